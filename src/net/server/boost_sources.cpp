// Asio and Beast compiled once, here; everybody else sees declarations.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>

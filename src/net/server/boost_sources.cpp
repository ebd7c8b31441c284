// Asio and Beast compiled once, here; other files see declarations only.
#include <boost/asio/impl/src.hpp>
#include <boost/beast/src.hpp>

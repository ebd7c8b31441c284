// Boost.JSON compiled once, here; everybody else sees declarations.
#include <boost/json/src.hpp>

// Boost.JSON compiled once, here; other files see declarations only.
#include <boost/json/src.hpp>

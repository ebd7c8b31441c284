#include "machine/listeners.h"

#include <gtest/gtest.h>

namespace holdfast::node {
namespace {

TEST(Listeners, OnlyThoseAtEveryAddressCount) {
  std::set<int> ports;
  add_wildcard_ports(
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
      "   0: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
      "   1: 0100007F:0CEA 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0\n"
      "   2: 00000000:0050 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0\n"
      "   3: 00000000000000000000000000000000:0CEB 00000000000000000000000000000000:0000 0A 0\n"
      "   4: half of a line\n",
      ports);
  EXPECT_EQ(ports, (std::set<int>{8080, 3307}));
}

}  // namespace
}  // namespace holdfast::node

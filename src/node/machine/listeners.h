/// Listening sockets on the machine's one network stack, which all pods share.
#pragma once

#include <set>
#include <string_view>

namespace holdfast::node {

/// Ports on which somebody listens at every address, from the text of /proc/net/tcp or tcp6.
void add_wildcard_ports(std::string_view table, std::set<int>& ports);
/// Those of this machine now.
std::set<int> wildcard_ports();
/// Ports below it are for root of the machine.
int first_port_of_all();

}  // namespace holdfast::node

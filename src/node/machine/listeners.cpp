// Lines of /proc/net/tcp, of which the second and fourth word count:
//
//   sl  local_address rem_address   st …
//    0: 00000000:1F90 00000000:0000 0A …     0A: it listens; zeros: at every address
#include "machine/listeners.h"

#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

#include <charconv>
#include <vector>

namespace holdfast::node {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(line, ' '))
    if (!word.empty()) words.push_back(word);
  return words;
}

}  // namespace

void add_wildcard_ports(std::string_view table, std::set<int>& ports) {
  for (const std::string_view line : split(table, '\n')) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 4 || words[3] != "0A") continue;
    const size_t colon = words[1].find(':');
    if (colon == std::string_view::npos ||
        words[1].substr(0, colon).find_first_not_of('0') != std::string_view::npos)
      continue;
    const std::string_view number = words[1].substr(colon + 1);
    int port = 0;
    std::from_chars(number.data(), number.data() + number.size(), port, 16);
    if (port > 0) ports.insert(port);
  }
}

int first_port_of_all() {
  const Result<std::string> text = read_file("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  int port = 1024;
  if (text) std::from_chars(text->data(), text->data() + text->size(), port);
  return port;
}

std::set<int> wildcard_ports() {
  std::set<int> ports;
  for (const char* file : {"/proc/net/tcp", "/proc/net/tcp6"})
    if (const Result<std::string> table = read_file(file)) add_wildcard_ports(*table, ports);
  return ports;
}

}  // namespace holdfast::node

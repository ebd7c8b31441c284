/// Name servers, search paths and addresses.
#include <holdfast/base/text.h>

#include "kinds/pod/pod.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <cctype>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

constexpr size_t kMaxNameServers = 3;
constexpr size_t kMaxSearchPaths = 32;
constexpr size_t kMaxSearchBytes = 2048;

/// Decimal bytes may have leading zeros, as old Go read them.
bool is_ipv4(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 4) return false;
  for (std::string_view part : parts) {
    if (part.empty() || part.find_first_not_of("0123456789") != std::string_view::npos)
      return false;
    while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    if (part.size() > 3 || std::stoi(std::string(part)) > 255) return false;
  }
  return true;
}

/// Labels of a search path: `_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?`.
bool is_search_path(std::string_view text) {
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::string_view label : split(text, '.')) {
    if (label.starts_with('_')) label.remove_prefix(1);
    if (label.empty() || !alnum(label.front()) || !alnum(label.back())) return false;
    for (char c : label)
      if (!alnum(c) && c != '-' && c != '_') return false;
  }
  return true;
}

void check_search(const Place& search) {
  std::string_view name = search.text();
  if (name == ".") return;
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.size() > 253) search.invalid(Value(name), "must be no more than 253 bytes");
  if (is_search_path(name)) return;
  search.invalid(Value(name),
                 "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
                 "characters, '_', '-' or '.', "
                 "and must start and end with an alphanumeric character (e.g. 'example.com', regex "
                 "used for validation "
                 "is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')");
}

void check_searches(const Place& searches) {
  const size_t count = searches.items().size();
  if (count > kMaxSearchPaths)
    searches.invalid(fmt::format("must not have more than {} search paths", kMaxSearchPaths));
  size_t bytes = count == 0 ? 0 : count - 1;
  for (const Value& search : searches.items()) bytes += model::string_at(search, {}).size();
  if (bytes > kMaxSearchBytes)
    searches.invalid(
        fmt::format("must not have more than {} characters (including spaces) in the search list",
                    kMaxSearchBytes));
  searches.each(check_search);
}

}  // namespace

void check_ip(const Place& address) {
  in6_addr ignored{};
  const std::string text(address.text());
  if (is_ipv4(text) || inet_pton(AF_INET6, text.c_str(), &ignored) == 1) return;
  address.invalid(Value(text), "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

void check_dns(const Place& spec) {
  const Place config = spec["dnsConfig"];
  const Place servers = config["nameservers"];
  if (spec["dnsPolicy"].text() == "None") {
    if (!config.present())
      return config.required("must provide `dnsConfig` when `dnsPolicy` is None");
    if (servers.empty())
      return servers.required("must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (servers.items().size() > kMaxNameServers)
    servers.invalid(fmt::format("must not have more than {} nameservers", kMaxNameServers));
  servers.each(check_ip);
  check_searches(config["searches"]);
  config["options"].each([](const Place& option) {
    if (option["name"].empty()) option.required("must not be empty");
  });
}

}  // namespace holdfast::apiserver::pod

#include "s3/proxy.h"

#include <holdfast/base/text.h>

namespace holdfast::blob {
namespace {

std::string variable(const Environment& environment, const std::string& name) {
  for (const std::string& form : {to_lower(name), name}) {
    const char* const value = environment(form.c_str());
    if (value != nullptr && *value != '\0') return value;
  }
  return "";
}

/// Without scheme, port and brackets.
std::string host_of(std::string_view endpoint) {
  std::string_view rest = endpoint.substr(endpoint.find("//") + 2);
  rest = rest.substr(0, rest.find('/'));
  if (rest.starts_with('[')) return to_lower(rest.substr(1, rest.find(']') - 1));
  return to_lower(rest.substr(0, rest.find(':')));
}

bool is_exempt(const std::string& host, std::string_view list) {
  for (const std::string_view raw : split(list, ',')) {
    std::string entry = to_lower(trim(raw));
    entry = entry.substr(0, entry.find(':'));
    if (entry == "*") return true;
    if (entry.starts_with('.')) entry.erase(0, 1);
    if (entry.empty()) continue;
    if (host == entry || host.ends_with("." + entry)) return true;
  }
  return false;
}

}  // namespace

std::string find_proxy(const std::string& endpoint, const Environment& environment) {
  const std::string host = host_of(endpoint);
  if (host == "localhost" || host.starts_with("127.") || host == "::1") return "";
  if (is_exempt(host, variable(environment, "NO_PROXY"))) return "";
  return variable(environment, endpoint.starts_with("https://") ? "HTTPS_PROXY" : "HTTP_PROXY");
}

}  // namespace holdfast::blob

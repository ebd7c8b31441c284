#include <holdfast/kube/resource.h>
#include <holdfast/net/http.h>

namespace holdfast::kube {

std::string Resource::api_version() const {
  return group.empty() ? std::string(version) : std::string(group) + "/" + std::string(version);
}

std::string Resource::path(std::string_view ns, std::string_view name,
                           std::string_view subresource) const {
  std::string out = group.empty() ? "/api" : "/apis";
  const auto add = [&out](std::string_view part) {
    out += '/';
    out += net::percent_encode(part);
  };
  if (!group.empty()) add(group);
  add(version);
  if (namespaced && !ns.empty()) {
    add("namespaces");
    add(ns);
  }
  add(plural);
  if (!name.empty()) add(name);
  if (!subresource.empty()) {
    // "proxy/metrics" has parts of its own.
    for (size_t at = 0; at <= subresource.size();) {
      const size_t end = std::min(subresource.find('/', at), subresource.size());
      add(subresource.substr(at, end - at));
      at = end + 1;
    }
  }
  return out;
}

std::string Resource::text() const {
  return group.empty() ? std::string(plural) : std::string(plural) + "." + std::string(group);
}

}  // namespace holdfast::kube

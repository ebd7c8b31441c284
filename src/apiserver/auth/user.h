/// The user of a request, as authentication found it and authorization judges it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace holdfast::apiserver {

/// The user of a request that shows no credentials.
inline constexpr char kAnonymous[] = "system:anonymous";

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::map<std::string, std::vector<std::string>> extra;
};

/// What is asked, in RBAC's terms. Either a resource request or, with `path`, a non-resource one.
struct Attributes {
  std::string verb;  ///< get list watch create update patch delete deletecollection impersonate
                     ///< bind escalate …
  std::string group, version, resource, subresource, ns, name;
  std::string path;  ///< non-resource URL; "" for resource requests
  bool is_resource() const { return path.empty(); }
};

struct Decision {
  bool allowed = false;
  std::string reason;  ///< RBAC: … as the real server says it
};

}  // namespace holdfast::apiserver

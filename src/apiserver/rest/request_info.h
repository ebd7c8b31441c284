/// A request's URL in Kubernetes' terms: verb, group, version, namespace, resource, name,
/// subresource.
#pragma once

#include <holdfast/net/http.h>

#include <string>

namespace holdfast::apiserver {

struct RequestInfo {
  bool is_resource = false;  ///< false: a non-resource path such as /version
  std::string verb;  ///< get list watch create update patch delete deletecollection; else the
                     ///< lower-case method
  std::string group, version, ns, resource, name, subresource;
  std::string path;
};

RequestInfo parse_request_info(const net::Request& request);

}  // namespace holdfast::apiserver

/// Objects as caches hold them, from YAML, for the tests of this room.
#pragma once

#include "storage.h"

#include <gtest/gtest.h>

#include <string>

namespace holdfast::volumes {

inline kube::Cached cached_yaml(const std::string& yaml) {
  Result<model::Parsed> parsed = model::parse_yaml(yaml);
  if (!parsed) {
    ADD_FAILURE() << parsed.error().what();
    return {};
  }
  Result<kube::Cached> object = kube::Cached::from_value(parsed->value);
  if (!object) ADD_FAILURE() << object.error().what();
  return object ? object.take() : kube::Cached();
}

/// With spec and status as lines of flow YAML: "accessModes: [ReadWriteOnce], …".
inline Claim a_claim(const std::string& spec, const std::string& status = "phase: Pending",
                     const std::string& annotations = "", const std::string& meta = "") {
  return read_claim(
      cached_yaml("{metadata: {namespace: shop, name: data, uid: c1, "
                  "resourceVersion: '7', annotations: {" +
                  annotations + "}" + meta +
                  "}, spec: {accessModes: [ReadWriteOnce], resources: {requests: "
                  "{storage: 5Gi}}, " +
                  spec + "}, status: {" + status + "}}"));
}

inline Volume a_volume(const std::string& name, const std::string& spec,
                       const std::string& status = "phase: Available",
                       const std::string& annotations = "", const std::string& meta = "") {
  return read_volume(cached_yaml("{metadata: {name: " + name + ", uid: u-" + name +
                                 ", resourceVersion: '8', annotations: {" + annotations + "}" +
                                 meta + "}, spec: {" + spec + "}, status: {" + status + "}}"));
}

}  // namespace holdfast::volumes

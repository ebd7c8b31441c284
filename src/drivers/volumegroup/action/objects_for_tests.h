/// Objects as a cache would hold them, for the tests of plans.
#pragma once

#include <holdfast/kube/cached.h>

#include <string_view>

namespace holdfast::drivers::volumegroup {

inline kube::Cached object(std::string_view kind, std::string_view name,
                           model::Array finalizers = {}) {
  using model::Object;
  return kube::Cached::from_value(
             Object{{"apiVersion", "longhorn.io/v1beta2"},
                    {"kind", kind},
                    {"metadata", Object{{"namespace", "shop"},
                                        {"name", name},
                                        {"uid", "u-1"},
                                        {"resourceVersion", "7"},
                                        {"finalizers", std::move(finalizers)}}}})
      .take();
}

}  // namespace holdfast::drivers::volumegroup

/// Writes of controllers: through the same path as requests, as the user that the real controller
/// is.
#pragma once

#include "crd/served_kinds.h"
#include "rest/form.h"
#include "rest/remove.h"
#include "rest/write.h"

#include <string>

namespace holdfast::apiserver {

inline WriteRequest write_as(std::string_view controller, ResourcePtr resource, const Key& key,
                             std::string subresource = "") {
  WriteRequest request;
  request.resource = std::move(resource);
  request.ns = key.ns;
  request.name = key.name;
  request.subresource = std::move(subresource);
  request.user.name = "system:serviceaccount:kube-system:" + std::string(controller);
  request.user.groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system",
                         "system:authenticated"};
  request.options.field_manager = "kube-controller-manager";
  return request;
}

/// Takes a finalizer away from the object if it has it.
Answer<Written> remove_finalizer(Api& api, const WriteRequest& request, std::string_view finalizer);

/// Every object of a resource, everywhere or in one namespace.
std::vector<StoredPtr> list_all(const Store& store, std::string resource,
                                std::optional<std::string> ns = std::nullopt);

}  // namespace holdfast::apiserver

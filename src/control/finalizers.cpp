#include <holdfast/control/finalizers.h>

#include <algorithm>

namespace holdfast::control {

namespace {

Write write_finalizers(const kube::Resource& resource, const kube::Cached& seen,
                       const std::vector<std::string>& finalizers) {
  model::Array list;
  for (const auto& finalizer : finalizers) list.emplace_back(finalizer);
  model::Value merge;
  model::ensure_object(merge, {"metadata"})["finalizers"] = std::move(list);
  return patch(resource, seen, std::move(merge), Decides::Yes);
}

}  // namespace

bool has_finalizer(const kube::Cached& object, std::string_view finalizer) {
  auto finalizers = object.meta().finalizers;
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

Write add_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                    std::string_view finalizer) {
  auto finalizers = seen.meta().finalizers;
  if (std::find(finalizers.begin(), finalizers.end(), finalizer) == finalizers.end())
    finalizers.emplace_back(finalizer);
  return write_finalizers(resource, seen, finalizers);
}

Write drop_finalizer(const kube::Resource& resource, const kube::Cached& seen,
                     std::string_view finalizer) {
  auto finalizers = seen.meta().finalizers;
  std::erase(finalizers, finalizer);
  return write_finalizers(resource, seen, finalizers);
}

}  // namespace holdfast::control

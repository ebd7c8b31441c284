/// Metadata and type names read out of values.
#include <holdfast/model/object.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace holdfast::model {
namespace {

Labels labels_of(const Value& object) {
  Labels labels;
  for (const auto& member : object_at(object, {"metadata", "labels"}))
    if (member.value().is_string())
      labels.emplace_back(std::string(member.key().data(), member.key().size()),
                          view(member.value().get_string()));
  std::sort(labels.begin(), labels.end());
  return labels;
}

OwnerReference owner_of(const Value& value) {
  return {.api_version = std::string(string_at(value, {"apiVersion"})),
          .kind = std::string(string_at(value, {"kind"})),
          .name = std::string(string_at(value, {"name"})),
          .uid = std::string(string_at(value, {"uid"})),
          .controller = bool_at(value, {"controller"}, false),
          .block_owner_deletion = bool_at(value, {"blockOwnerDeletion"}, false)};
}

}  // namespace

Result<GroupVersion> GroupVersion::parse(std::string_view api_version) {
  if (api_version.empty() || api_version == "/") return GroupVersion{};
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return GroupVersion{"", std::string(api_version)};
  if (api_version.find('/', slash + 1) != std::string_view::npos)
    return Error(Fault::Invalid, "unexpected GroupVersion string: " + std::string(api_version));
  return GroupVersion{std::string(api_version.substr(0, slash)),
                      std::string(api_version.substr(slash + 1))};
}

Meta meta_of(const Value& object) {
  Meta meta;
  meta.ns = string_at(object, {"metadata", "namespace"});
  meta.name = string_at(object, {"metadata", "name"});
  meta.uid = string_at(object, {"metadata", "uid"});
  meta.resource_version = string_at(object, {"metadata", "resourceVersion"});
  meta.deletion_timestamp = string_at(object, {"metadata", "deletionTimestamp"});
  meta.generation = int_at(object, {"metadata", "generation"}, 0);
  meta.labels = labels_of(object);
  for (const Value& finalizer : array_at(object, {"metadata", "finalizers"}))
    if (finalizer.is_string()) meta.finalizers.emplace_back(view(finalizer.get_string()));
  for (const Value& owner : array_at(object, {"metadata", "ownerReferences"}))
    meta.owners.push_back(owner_of(owner));
  return meta;
}

Result<GroupVersionKind> gvk_of(const Value& object) {
  GroupVersion version = HF_TRY(GroupVersion::parse(string_at(object, {"apiVersion"})));
  return GroupVersionKind{std::move(version.group), std::move(version.version),
                          std::string(string_at(object, {"kind"}))};
}

bool set_condition(std::vector<Condition>& conditions, Condition wanted, std::string_view now) {
  const auto same = std::find_if(conditions.begin(), conditions.end(),
                                 [&](const Condition& c) { return c.type == wanted.type; });
  if (same == conditions.end()) {
    wanted.last_transition_time = now;
    conditions.push_back(std::move(wanted));
    return true;
  }
  const bool turned = same->status != wanted.status;
  const bool changed = turned || same->reason != wanted.reason || same->message != wanted.message ||
                       same->observed_generation != wanted.observed_generation;
  wanted.last_transition_time = turned ? std::string(now) : same->last_transition_time;
  *same = std::move(wanted);
  return changed;
}

}  // namespace holdfast::model

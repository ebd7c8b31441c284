#include <holdfast/kube/typed.h>

namespace holdfast::kube {

model::Value to_value(const ApplyMeta& meta) {
  model::Object out{{"name", meta.name}};
  if (!meta.ns.empty()) out["namespace"] = meta.ns;
  if (!meta.uid.empty()) out["uid"] = meta.uid;
  if (!meta.labels.empty()) {
    model::Object& labels = out["labels"].emplace_object();
    for (const auto& [key, value] : meta.labels) labels[key] = value;
  }
  if (!meta.owners.is_null()) out["ownerReferences"] = meta.owners;
  return out;
}

}  // namespace holdfast::kube

// TaintNodes: a node begins as not ready, so that no pod is placed on it before it is seen to be.
#include "admission/plugins.h"

namespace holdfast::apiserver {

Answer<void> taint_nodes_by_condition(Api&, const Admission& admission) {
  if (!creates_core(admission, "nodes")) return {};
  constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready", kEffect = "NoSchedule";
  Array taints = model::array_at(admission.object, {"spec", "taints"});
  for (const Value& taint : taints)
    if (model::string_at(taint, {"key"}) == kNotReady &&
        model::string_at(taint, {"effect"}) == kEffect)
      return {};
  taints.emplace_back(Object{{"key", kNotReady}, {"effect", kEffect}});
  model::ensure_object(admission.object, {"spec"})["taints"] = std::move(taints);
  return {};
}

}  // namespace holdfast::apiserver

#include "server/bootstrap.h"

#include "crd/served_kinds.h"
#include "rest/decode.h"
#include "rest/form.h"
#include "rest/write.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::apiserver {
namespace {

Value make_namespace(std::string_view name) {
  return Object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Object{{"name", name}}}};
}

Value make_priority_class(std::string_view name, int64_t value, std::string_view description) {
  return Object{{"apiVersion", "scheduling.k8s.io/v1"},
                {"kind", "PriorityClass"},
                {"metadata", Object{{"name", name}}},
                {"value", value},
                {"description", description}};
}

Value kubernetes_service(const std::string& address) {
  int64_t port = 6443;
  const size_t colon = address.rfind(':');
  if (colon != std::string::npos)
    std::from_chars(address.data() + colon + 1, address.data() + address.size(), port);
  Value service = Object{{"apiVersion", "v1"},
                         {"kind", "Service"},
                         {"metadata", Object{{"name", "kubernetes"}, {"namespace", "default"}}},
                         {"spec", Object{{"type", "ClusterIP"},
                                         {"clusterIP", "10.0.0.1"},
                                         {"clusterIPs", Array{Value("10.0.0.1")}},
                                         {"ipFamilies", Array{Value("IPv4")}},
                                         {"ipFamilyPolicy", "SingleStack"},
                                         {"ports", Array{Value(Object{{"name", "https"},
                                                                      {"port", 443},
                                                                      {"protocol", "TCP"},
                                                                      {"targetPort", port}})}}}}};
  model::ensure_object(service, {"metadata", "labels"}) =
      Object{{"component", "apiserver"}, {"provider", "kubernetes"}};
  return service;
}

Result<void> put(Api& api, const Value& object) {
  const model::GroupVersionKind gvk = HF_TRY(model::gvk_of(object));
  const ResourcePtr resource = api.kinds.catalogue()->find_kind(gvk);
  HF_CHECK(resource != nullptr);
  const std::string ns(model::string_at(object, {"metadata", "namespace"}));
  const std::string name(model::string_at(object, {"metadata", "name"}));
  if (api.store.get({resource->storage, ns, name}) != nullptr) return ok();
  WriteRequest request{
      resource, ns, name, "", {}, User{"system:apiserver", "", {"system:masters"}, {}}, nullptr};
  request.options.field_manager = "kube-apiserver";
  std::vector<std::string> warnings;
  Value next = object;
  Answer<void> settled = settle_object(next, {}, *resource, FieldValidation::Ignore, warnings);
  if (!settled)
    return Error(Fault::Internal,
                 fmt::format("prepare {} {}: {}", resource->kind, name, settled.error().message));
  Answer<Written> written = create_object(api, request, std::move(next));
  if (!written && written.error().code != 409)
    return Error(Fault::Internal,
                 fmt::format("create {} {}: {}", resource->kind, name, written.error().message));
  return ok();
}

Result<void> restore_role(Api& api, const Value& wanted) {
  const model::GroupVersionKind gvk = HF_TRY(model::gvk_of(wanted));
  const ResourcePtr resource = api.kinds.catalogue()->find_kind(gvk);
  const std::string ns(model::string_at(wanted, {"metadata", "namespace"}));
  const std::string name(model::string_at(wanted, {"metadata", "name"}));
  const StoredPtr stored = api.store.get({resource->storage, ns, name});
  if (stored == nullptr) return put(api, wanted);
  const Value live = parse_stored(*stored);
  if (model::string_at(live, {"metadata", "annotations",
                              "rbac.authorization.kubernetes.io/autoupdate"}) == "false")
    return ok();
  // Aggregated roles are filled by their controller: only the others have rules to restore.
  const Value* rules = model::find(wanted, {"rules"});
  if (rules == nullptr || model::find(wanted, {"aggregationRule"}) != nullptr) return ok();
  Array merged = model::array_at(live, {"rules"});
  const size_t before = merged.size();
  for (const Value& rule : rules->get_array())
    if (std::find(merged.begin(), merged.end(), rule) == merged.end()) merged.push_back(rule);
  if (merged.size() == before) return ok();
  WriteRequest request{
      resource, ns, name, "", {}, User{"system:apiserver", "", {"system:masters"}, {}}, nullptr};
  request.options.field_manager = "kube-apiserver";
  Answer<Written> written =
      update_object(api, request, {}, [&](const Value* current) -> Answer<Value> {
        Value next = *current;
        next.get_object()["rules"] = merged;
        return next;
      });
  if (!written)
    return Error(Fault::Internal,
                 fmt::format("restore {} {}: {}", resource->kind, name, written.error().message));
  return ok();
}

}  // namespace

Result<void> bootstrap(Api& api, const std::string& address) {
  for (const std::string_view name : {"default", "kube-system", "kube-public", "kube-node-lease"})
    HF_TRY(put(api, make_namespace(name)));
  for (const Value& object : default_rbac_objects()) HF_TRY(restore_role(api, object));
  HF_TRY(put(api,
             make_priority_class(
                 "system-node-critical", 2000001000,
                 "Used for system critical pods that must not be moved from their current node.")));
  HF_TRY(put(api, make_priority_class("system-cluster-critical", 2000000000,
                                      "Used for system critical pods that must run in the cluster, "
                                      "but can be moved to another node if necessary.")));
  HF_TRY(put(api, kubernetes_service(address)));
  return ok();
}

}  // namespace holdfast::apiserver

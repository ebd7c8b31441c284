// ServiceAccount: a pod gets the default account, its image pull secrets and its token volume.
#include "admission/plugins.h"
#include "rest/form.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr int64_t kTokenSeconds =
    3607;  // as the real server: an odd second marks tokens that were asked for by it
constexpr int kFileMode = 0644;
constexpr std::string_view kNameAlphabet = "bcdfghjklmnpqrstvwxz2456789";

bool mounts_token(const Value& pod, const Value& account) {
  if (const Value* wanted = model::find(pod, {"spec", "automountServiceAccountToken"});
      wanted && wanted->is_bool())
    return wanted->get_bool();
  return model::bool_at(account, {"automountServiceAccountToken"}, true);
}

Value token_volume(const std::string& name) {
  const Value namespace_item =
      Object{{"path", "namespace"},
             {"fieldRef", Object{{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}}}};
  return Object{
      {"name", name},
      {"projected",
       Object{
           {"sources",
            Array{Value(Object{{"serviceAccountToken",
                                Object{{"expirationSeconds", kTokenSeconds}, {"path", "token"}}}}),
                  Value(Object{
                      {"configMap", Object{{"name", "kube-root-ca.crt"},
                                           {"items", Array{Value(Object{{"key", "ca.crt"},
                                                                        {"path", "ca.crt"}})}}}}}),
                  Value(Object{{"downwardAPI", Object{{"items", Array{namespace_item}}}}})}},
           {"defaultMode", kFileMode}}}};
}

// Adds the mount where the container has nothing there yet; true if any container took it.
bool mount_in(Value& pod, std::string_view list, const std::string& volume) {
  Value* containers = model::find(pod, {"spec", list});
  if (containers == nullptr || !containers->is_array()) return false;
  bool used = false;
  for (Value& container : containers->get_array()) {
    bool taken = false;
    for (const Value& mount : model::array_at(container, {"volumeMounts"}))
      taken = taken || model::string_at(mount, {"mountPath"}) == kMountPath;
    if (taken) continue;
    Array mounts = model::array_at(container, {"volumeMounts"});
    mounts.push_back(Object{{"name", volume}, {"readOnly", true}, {"mountPath", kMountPath}});
    container.get_object()["volumeMounts"] = std::move(mounts);
    used = true;
  }
  return used;
}

void add_token_volume(Value& pod, Random& random) {
  std::string volume = "kube-api-access-";
  for (int i = 0; i < 5; ++i) volume += kNameAlphabet[random.below(kNameAlphabet.size())];
  const bool in_init = mount_in(pod, "initContainers", volume);
  if (!mount_in(pod, "containers", volume) && !in_init) return;
  Array volumes = model::array_at(pod, {"spec", "volumes"});
  volumes.push_back(token_volume(volume));
  model::ensure_object(pod, {"spec"})["volumes"] = std::move(volumes);
}

}  // namespace

Answer<void> service_account(Api& api, const Admission& admission) {
  if (!creates_core(admission, "pods")) return {};
  Value& pod = admission.object;
  // A mirror pod shows what a node runs already; it has no say.
  if (model::find(pod, {"metadata", "annotations", "kubernetes.io/config.mirror"})) return {};
  Object& spec = model::ensure_object(pod, {"spec"});
  std::string name(model::string_at(pod, {"spec", "serviceAccountName"}));
  if (name.empty()) name = "default";
  spec["serviceAccountName"] = name;
  spec["serviceAccount"] = name;
  const StoredPtr stored = api.store.get({"serviceaccounts", admission.request.ns, name});
  if (stored == nullptr)
    return model::forbidden(
        {"", "pods"}, model::string_at(pod, {"metadata", "name"}),
        fmt::format("error looking up service account {}/{}: serviceaccount \"{}\" not found",
                    admission.request.ns, name, name));
  const Value account = parse_stored(*stored);
  if (mounts_token(pod, account)) add_token_volume(pod, api.random);
  const Array& secrets = model::array_at(account, {"imagePullSecrets"});
  if (model::array_at(pod, {"spec", "imagePullSecrets"}).empty() && !secrets.empty())
    spec["imagePullSecrets"] = secrets;
  return {};
}

Answer<void> default_toleration_seconds(Api&, const Admission& admission) {
  if (!creates_core(admission, "pods")) return {};
  Array tolerations = model::array_at(admission.object, {"spec", "tolerations"});
  bool changed = false;
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    bool said = false;
    for (const Value& each : tolerations) {
      const std::string_view own = model::string_at(each, {"key"}),
                             effect = model::string_at(each, {"effect"});
      said = said || ((own == key || own.empty()) && (effect == "NoExecute" || effect.empty()));
    }
    if (said) continue;
    tolerations.push_back(Object{
        {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}});
    changed = true;
  }
  if (changed)
    model::ensure_object(admission.object, {"spec"})["tolerations"] = std::move(tolerations);
  return {};
}

}  // namespace holdfast::apiserver

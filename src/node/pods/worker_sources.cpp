// Sources of a pod's environment and volumes.
#include <holdfast/base/walls.h>

#include "pods/worker.h"

#include <fmt/format.h>

namespace holdfast::node {
namespace {

using model::string_at;
using model::Value;

Error as_error(const kube::Failure& failure) { return failure.error.copy(); }

Result<Value> fetch(kube::Client& client, const kube::Resource& resource, const std::string& ns,
                    const std::string& name) {
  kube::Reply<Value> object = client.get(resource, ns, name);
  if (!object) return as_error(object.error());
  return object.take();
}

/// A claim may be called bound by whoever may write its status; the volume says whose it is.
bool is_for(const Value& volume, const Value& claim) {
  for (const char* member : {"namespace", "name", "uid"})
    if (string_at(volume, {"spec", "claimRef", member}) != string_at(claim, {"metadata", member}))
      return false;
  return true;
}

}  // namespace

VolumeFolders PodWorker::volume_folders() const {
  return {folder_, around_.secrets / uid_, facts_.users};
}

VolumeSources PodWorker::sources() const {
  VolumeSources out;
  const std::string ns = machine_.pod().ns;
  out.config_map = [this, ns](const std::string& name) {
    return fetch(around_.client, kube::kConfigMaps, ns, name);
  };
  out.secret = [this, ns](const std::string& name) {
    return fetch(around_.client, kube::kSecrets, ns, name);
  };
  out.claim = [this](const std::string& name) { return claim_folder(name); };
  out.token = [this](const VolumeSources::Token& wanted) { return token(wanted); };
  out.node_name = around_.node_name;
  out.host_ip = around_.host_ip;
  out.pod_ip = facts_.ip;
  out.cpu_millis = around_.cpu_millis;
  out.memory_bytes = around_.memory_bytes;
  if (model::bool_at(*machine_.pod().object, {"spec", "enableServiceLinks"}, true))
    out.services = around_.service_variables(ns);
  const auto server = [&](const char* name, const std::string& value) {
    out.services.emplace_back(name, value);
  };
  server("KUBERNETES_SERVICE_HOST", around_.server_host);
  server("KUBERNETES_SERVICE_PORT", around_.server_port);
  server("KUBERNETES_SERVICE_PORT_HTTPS", around_.server_port);
  server("KUBERNETES_PORT", fmt::format("tcp://{}:{}", around_.server_host, around_.server_port));
  return out;
}

Result<std::string> PodWorker::claim_folder(const std::string& name) const {
  Result<Value> claim = fetch(around_.client, kube::kClaims, machine_.pod().ns, name);
  if (!claim && claim.error().fault() == Fault::NotFound)
    return Error(Fault::NotFound, fmt::format("persistentvolumeclaim \"{}\" not found", name));
  if (!claim) return claim.take_error();
  const std::string volume(string_at(*claim, {"spec", "volumeName"}));
  if (volume.empty() || string_at(*claim, {"status", "phase"}) != "Bound")
    return Error(Fault::Unavailable,
                 fmt::format("persistentvolumeclaim \"{}\" is not bound to a volume yet", name));
  const Value found = HF_TRY(fetch(around_.client, kube::kVolumes, "", volume));
  if (!is_for(found, *claim) && wall_stands("a volume is mounted for its own claim"))
    return Error(Fault::Invalid,
                 fmt::format("persistentvolumeclaim \"{}\" names volume {}, which is "
                             "bound to another claim",
                             name, volume));
  for (const char* kind : {"local", "hostPath"}) {
    const std::string_view path = string_at(found, {"spec", kind, "path"});
    if (path.empty()) continue;
    if (!std::filesystem::exists(path))
      return Error(Fault::NotFound,
                   fmt::format("volume {} is not on this node: {} does not exist", volume, path));
    return std::string(path);
  }
  return Error(
      Fault::Invalid,
      fmt::format(
          "volume {} is of a kind that this node cannot mount: use the class holdfast-local",
          volume));
}

Result<std::string> PodWorker::token(const VolumeSources::Token& wanted) const {
  const Pod& pod = machine_.pod();
  IssuedToken& issued = tokens_[fmt::format("{}/{}", wanted.expiration_seconds, wanted.audience)];
  if (!issued.text.empty() && around_.clock.mono() < issued.renew_at) return issued.text;
  model::Object spec{
      {"expirationSeconds", wanted.expiration_seconds},
      {"boundObjectRef",
       model::Object{{"kind", "Pod"}, {"apiVersion", "v1"}, {"name", pod.name}, {"uid", pod.uid}}}};
  if (!wanted.audience.empty()) spec["audiences"] = model::Array{Value(wanted.audience)};
  const std::string account(string_at(*pod.object, {"spec", "serviceAccountName"}));
  const Value request = model::Object{{"apiVersion", "authentication.k8s.io/v1"},
                                      {"kind", "TokenRequest"},
                                      {"spec", std::move(spec)}};
  const std::string target =
      kube::kServiceAccounts.path(pod.ns, account.empty() ? "default" : account, "token");
  kube::Reply<Value> answer = around_.client.raw("POST", target, request);
  if (!answer) return as_error(answer.error());
  issued.text = string_at(*answer, {"status", "token"});
  // As kubelet: when four fifths of its life are over.
  issued.renew_at = around_.clock.mono() + std::chrono::seconds(wanted.expiration_seconds) * 4 / 5;
  return issued.text;
}

}  // namespace holdfast::node

#include "kinds/core/volume_sources.h"

#include <holdfast/base/text.h>

#include "kinds/go_struct.h"
#include "kinds/pod/pod.h"

#include <array>

namespace holdfast::apiserver::core {

using model::Value;

namespace {

void check_host_path(const Place& source) {
  if (!source["path"].need()) return;
  pod::check_no_backsteps(source["path"]);
  source["type"].one_of_if_present({"", "BlockDevice", "CharDevice", "Directory",
                                    "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
}

void check_nfs(const Place& source) {
  source["server"].need();
  source["path"].need();
  if (!source["path"].text().starts_with('/'))
    source["path"].invalid(Value(source["path"].text()), "must be an absolute path");
}

void check_local(const Place& source) {
  if (source["path"].need()) pod::check_no_backsteps(source["path"]);
}

void check_secret(const Place& secret) {
  if (!secret.present()) return;
  if (secret["name"].need()) secret["name"].dns_subdomain();
  if (secret["namespace"].need()) secret["namespace"].dns_label();
}

void check_csi(const Place& source) {
  const Place driver = source["driver"];
  driver.need();
  if (driver.text().size() > 63) driver.too_long(63);
  for (std::string& complaint : model::check_dns1123_subdomain(to_lower(driver.text())))
    driver.invalid(Value(driver.text()), std::move(complaint));
  source["volumeHandle"].need();
  for (std::string_view name : {"controllerPublishSecretRef", "controllerExpandSecretRef",
                                "nodePublishSecretRef", "nodeExpandSecretRef"})
    check_secret(source[name]);
}

void check_fibre_channel(const Place& source) {
  const Place targets = source["targetWWNs"];
  if (targets.empty() && source["wwids"].empty())
    targets.required("must specify either targetWWNs or wwids, but not both");
  if (targets.empty()) return;
  if (!source["wwids"].empty())
    targets.invalid("targetWWNs and wwids can not be specified simultaneously");
  if (!source["lun"].present())
    return source["lun"].required("lun is required if targetWWNs is specified");
  source["lun"].between(0, 255);
}

void check_flex(const Place& source) {
  source["driver"].need();
  for (const auto& option : source["options"].members()) {
    const std::string_view key = option.key();
    const std::string domain = "." + to_lower(key.substr(0, key.find('/')));
    if (domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io"))
      source["options"].entry(key).invalid(Value(key),
                                           "kubernetes.io and k8s.io namespaces are reserved");
  }
}

struct Source {
  std::string_view name, go_name;
  void (*check)(const Place& source) = nullptr;
  std::array<std::string_view, 3> needs = {};  ///< members that must not be empty
  std::string_view path = {};                  ///< what the real server calls it, if not its name
  std::string_view path_if_second = {};        ///< the same in the sentence about a second source
};

/// In the order in which the real server looks at them.
constexpr Source kSources[] = {
    {"hostPath", "HostPath", check_host_path},
    {"gcePersistentDisk",
     "GCEPersistentDisk",
     nullptr,
     {"pdName"},
     "persistentDisk",
     "gcePersistentDisk"},
    {"awsElasticBlockStore", "AWSElasticBlockStore", nullptr, {"volumeID"}},
    {"glusterfs", "Glusterfs", nullptr, {"endpoints", "path"}},
    {"flocker", "Flocker"},
    {"nfs", "NFS", check_nfs},
    {"rbd", "RBD", nullptr, {"monitors", "image"}},
    {"quobyte", "Quobyte", nullptr, {"registry", "volume"}},
    {"cephfs", "CephFS", nullptr, {"monitors"}, "cephfs", "cephFS"},
    {"iscsi", "ISCSI", nullptr, {"targetPortal", "iqn"}},
    {"cinder", "Cinder", nullptr, {"volumeID"}},
    {"fc", "FC", check_fibre_channel},
    {"flexVolume", "FlexVolume", check_flex},
    {"azureFile", "AzureFile", nullptr, {"secretName", "shareName"}},
    {"vsphereVolume", "VsphereVolume", nullptr, {"volumePath"}},
    {"photonPersistentDisk", "PhotonPersistentDisk", nullptr, {"pdID"}},
    {"portworxVolume", "PortworxVolume", nullptr, {"volumeID"}},
    {"azureDisk", "AzureDisk", nullptr, {"diskName", "diskURI"}},
    {"scaleIO", "ScaleIO", nullptr, {"gateway", "system", "volumeName"}},
    {"local", "Local", check_local},
    {"storageos", "StorageOS", nullptr, {"volumeName"}},
    {"csi", "CSI", check_csi},
};

void check_one(const Place& spec, const Source& source) {
  const Place found = spec[source.name].as(
      model::child(spec.path(), source.path.empty() ? source.name : source.path));
  if (source.check != nullptr) return source.check(found);
  for (std::string_view name : source.needs)
    if (!name.empty()) found[name].need();
}

Value shown_secret(const Value& source, std::string_view name) {
  const Value* secret = model::find(source, {name});
  return secret == nullptr ? Value()
                           : go_pointer(*secret, {{"Name", "name"}, {"Namespace", "namespace"}});
}

/// Of sources that nobody serves any more, only what is set is shown.
Value shown_source(std::string_view name, const Value& source) {
  if (name == "hostPath")
    return go_pointer(source, {{"Path", "path"}, {"Type", "type", Zero::Null}});
  if (name == "nfs")
    return go_pointer(
        source, {{"Server", "server"}, {"Path", "path"}, {"ReadOnly", "readOnly", Zero::False}});
  if (name == "local")
    return go_pointer(source, {{"Path", "path"}, {"FSType", "fsType", Zero::Null}});
  if (name != "csi") return source;
  Value out = go_struct(source, {{"Driver", "driver"},
                                 {"VolumeHandle", "volumeHandle"},
                                 {"ReadOnly", "readOnly", Zero::False},
                                 {"FSType", "fsType"},
                                 {"VolumeAttributes", "volumeAttributes", Zero::Null}});
  for (auto [go_name, secret] :
       {std::pair("ControllerPublishSecretRef", "controllerPublishSecretRef"),
        {"NodeStageSecretRef", "nodeStageSecretRef"},
        {"NodePublishSecretRef", "nodePublishSecretRef"},
        {"ControllerExpandSecretRef", "controllerExpandSecretRef"},
        {"NodeExpandSecretRef", "nodeExpandSecretRef"}})
    out.get_object()[go_name] = shown_secret(source, secret);
  return out;
}

}  // namespace

void default_volume_source(Value& spec) {
  const auto set = [&](std::string_view source, std::string_view member, Value value) {
    if (Value* found = model::find(spec, {source}))
      default_member(*found, member, std::move(value));
  };
  set("hostPath", "type", "");
  set("iscsi", "iscsiInterface", "default");
  set("rbd", "pool", "rbd");
  set("rbd", "user", "admin");
  set("rbd", "keyring", "/etc/ceph/keyring");
  set("azureDisk", "cachingMode", "ReadWrite");
  set("azureDisk", "kind", "Shared");
  set("azureDisk", "fsType", "ext4");
  set("azureDisk", "readOnly", false);
  set("scaleIO", "storageMode", "ThinProvisioned");
  set("scaleIO", "fsType", "xfs");
}

void check_volume_source(const Place& spec, std::string_view volume_name) {
  bool have = false;
  for (const Source& source : kSources) {
    const Place found = spec[source.name];
    if (!found.present()) continue;
    if (have && source.name != "flexVolume") {
      found
          .as(model::child(spec.path(),
                           source.path_if_second.empty() ? source.name : source.path_if_second))
          .forbidden("may not specify more than 1 volume type");
      continue;
    }
    have = true;
    check_one(spec, source);
    if (source.name == "local" && !spec["nodeAffinity"].present())
      spec["nodeAffinity"].required("Local volume requires node affinity");
    if (source.name == "iscsi" && found["initiatorName"].present() &&
        volume_name.size() + 1 + found["targetPortal"].text().size() > 64)
      found["targetPortal"]
          .as(model::child(found.path(), "targetportal"))
          .invalid(
              "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters "
              "if iscsi.initiatorName is specified.");
  }
  if (!have) spec.required("must specify a volume type");
}

Value sources_of(const Value& spec) {
  model::Object out;
  for (const Source& source : kSources)
    if (const Value* found = model::find(spec, {source.name})) out.emplace(source.name, *found);
  return out;
}

Value shown_sources(const Value& spec) {
  model::Object out;
  for (std::string_view go_name : {"GCEPersistentDisk",
                                   "AWSElasticBlockStore",
                                   "HostPath",
                                   "Glusterfs",
                                   "NFS",
                                   "RBD",
                                   "Quobyte",
                                   "ISCSI",
                                   "FlexVolume",
                                   "Cinder",
                                   "CephFS",
                                   "FC",
                                   "Flocker",
                                   "AzureFile",
                                   "VsphereVolume",
                                   "AzureDisk",
                                   "PhotonPersistentDisk",
                                   "PortworxVolume",
                                   "ScaleIO",
                                   "Local",
                                   "StorageOS",
                                   "CSI"})
    for (const Source& source : kSources) {
      if (source.go_name != go_name) continue;
      const Value* found = model::find(spec, {source.name});
      out.emplace(go_name, found == nullptr ? Value() : shown_source(source.name, *found));
    }
  return out;
}

}  // namespace holdfast::apiserver::core

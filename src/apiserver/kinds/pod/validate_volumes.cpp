/// Volumes: exactly one source each, and what each source requires.
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>

#include "kinds/pod/pod.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

/// `iqn.2001-04.com.example:storage`, `eui.` + 16 and `naa.` + 32 letters or digits.
bool is_initiator(std::string_view name) {
  const auto alnum = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::string_view rest = name.substr(std::min<size_t>(4, name.size()));
  if (name.starts_with("eui"))
    return rest.size() == 16 && std::all_of(rest.begin(), rest.end(), alnum);
  if (name.starts_with("naa"))
    return rest.size() == 32 && std::all_of(rest.begin(), rest.end(), alnum);
  if (rest.size() < 9 || name[3] != '.') return false;
  for (size_t i : {0, 1, 2, 3, 5, 6})
    if (!digit(rest[i])) return false;
  const size_t colon = rest.find(':', 9);
  if (rest[4] != '-' || rest[7] != '.' || colon == std::string_view::npos) return false;
  const std::string_view host = rest.substr(8, colon - 8);
  const std::string_view unit = rest.substr(colon + 1);
  return std::all_of(host.begin(), host.end(),
                     [&](char c) { return alnum(c) || c == '-' || c == '.'; }) &&
         !unit.empty() && unit.find_first_of(",;*&$| \t\r\n\f\v") == std::string_view::npos;
}

bool has_initiator_prefix(std::string_view name) {
  return name.starts_with("iqn") || name.starts_with("eui") || name.starts_with("naa");
}

void check_initiator(const Place& name) {
  if (!has_initiator_prefix(name.text()))
    name.invalid("must be valid format starting with iqn, eui, or naa");
  else if (!is_initiator(name.text()))
    name.invalid("must be valid format");
}

void check_iscsi(const Place& source) {
  source["targetPortal"].need();
  if (source["iqn"].need()) check_initiator(source["iqn"]);
  source["lun"].between(0, 255);
  if ((source["chapAuthDiscovery"].flag() || source["chapAuthSession"].flag()) &&
      !source["secretRef"].present())
    source["secretRef"].required();
  const Place initiator = source["initiatorName"];
  if (initiator.present())
    check_initiator(initiator.as(model::child(source.path(), "initiatorname")));
}

void check_host_path(const Place& source) {
  if (!source["path"].need()) return;
  check_no_backsteps(source["path"]);
  source["type"].one_of_if_present({"", "BlockDevice", "CharDevice", "Directory",
                                    "DirectoryOrCreate", "File", "FileOrCreate", "Socket"});
}

void check_items(const Place& source) {
  check_file_mode(source["defaultMode"]);
  source["items"].each(check_key_to_path);
}

void check_secret(const Place& source) {
  source["secretName"].need();
  check_items(source);
}

void check_config_map(const Place& source) {
  source["name"].need();
  check_items(source);
}

void check_nfs(const Place& source) {
  source["server"].need();
  source["path"].need();
  if (!source["path"].text().starts_with('/'))
    source["path"].invalid(Value(source["path"].text()), "must be an absolute path");
}

/// The real server names the list's owner for what is wrong with one of its files.
void check_downward(const Place& source) {
  check_file_mode(source["defaultMode"]);
  source["items"].each([&](const Place& file) { check_downward_file(file.as(source.path())); });
}

void check_csi(const Place& source) {
  const Place driver = source["driver"];
  driver.need();
  if (driver.text().size() > 63) driver.too_long(63);
  for (std::string& complaint : model::check_dns1123_subdomain(to_lower(driver.text())))
    driver.invalid(Value(driver.text()), std::move(complaint));
  const Place secret = source["nodePublishSecretRef"];
  if (secret.present() && secret["name"].need())
    secret["name"].as(model::child(source.path(), "name")).dns_subdomain();
}

void check_ephemeral(const Place& source) {
  const Place claim = source["volumeClaimTemplate"];
  if (!claim.present()) return claim.required();
  const Place metadata = claim["metadata"];
  check_annotations(metadata["annotations"]);
  check_labels(metadata["labels"]);
  for (const auto& member : metadata.members()) {
    const std::string_view name = member.key();
    if (name != "annotations" && name != "labels" && !metadata[name].empty())
      metadata[name].forbidden("cannot be set");
  }
  check_claim_spec(claim["spec"]);
}

void check_empty_dir(const Place& source) {
  auto limit = model::Quantity::parse(source["sizeLimit"].text());
  if (source["sizeLimit"].present() && limit && limit->negative())
    source["sizeLimit"].forbidden("SizeLimit field must be a valid resource quantity");
}

void check_git_repo(const Place& source) {
  source["repository"].need();
  check_relative_path(source["directory"]);
}

void check_fibre_channel(const Place& source) {
  const Place names = source["targetWWNs"];
  if (names.empty() && source["wwids"].empty())
    names.required("must specify either targetWWNs or wwids, but not both");
  if (names.empty()) return;
  if (!source["wwids"].empty())
    names.invalid("targetWWNs and wwids can not be specified simultaneously");
  if (!source["lun"].present())
    source["lun"].required("lun is required if targetWWNs is specified");
  source["lun"].between(0, 255);
}

void check_disk_partition(const Place& source) {
  const int64_t partition = source["partition"].number();
  if (partition < 0 || partition > 255)
    source["partition"].invalid("must be between 1 and 255, inclusive");
}

void check_azure_disk(const Place& source) {
  source["diskName"].need();
  source["diskURI"].need();
  source["cachingMode"].one_of_if_present({"None", "ReadOnly", "ReadWrite"});
  source["kind"].one_of_if_present({"Dedicated", "Managed", "Shared"});
  const std::string_view uri = source["diskURI"].text();
  const bool managed = source["kind"].text() == "Managed";
  if (managed && !uri.starts_with("/subscriptions/"))
    source["diskURI"].unsupported(
        {"/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
         "{disk-id}"});
  if (!managed && !uri.starts_with("https://"))
    source["diskURI"].unsupported(
        {"https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"});
}

void check_flex(const Place& source) {
  source["driver"].need();
  source["options"].each_entry([](std::string_view name, const Place& option) {
    const std::string domain = "." + to_lower(name.substr(0, name.find('/')));
    if (domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io"))
      option.invalid(Value(name), "kubernetes.io and k8s.io namespaces are reserved");
  });
}

void check_storage_os(const Place& source) {
  if (source["volumeName"].need()) source["volumeName"].dns_label();
  if (!source["volumeNamespace"].empty()) source["volumeNamespace"].dns_label();
  if (source["secretRef"].present()) source["secretRef"]["name"].need();
}

void check_quobyte(const Place& source) {
  source["registry"].need("must be a host:port pair or multiple pairs separated by commas");
  source["volume"].need();
}

void check_flocker(const Place& source) {
  const Place name = source["datasetName"];
  if (name.empty() && source["datasetUUID"].empty())
    source.required("one of datasetName and datasetUUID is required");
  if (!name.empty() && !source["datasetUUID"].empty())
    source.invalid(Value("resource"),
                   "datasetName and datasetUUID can not be specified simultaneously");
  if (name.text().find('/') != std::string_view::npos) name.invalid("must not contain '/'");
}

struct Source {
  std::string_view name;
  void (*check)(const Place& source);
  std::vector<std::string_view> needs =
      {};                      ///< members that must not be empty, checked if there is no `check`
  std::string_view path = {};  ///< what the real server calls it, where that is not its name
  std::string_view path_if_second = {};
};

/// In the order in which the real server looks at them: the first one found is the volume's.
const std::vector<Source>& sources() {
  static const std::vector<Source> table{
      {"emptyDir", check_empty_dir},
      {"hostPath", check_host_path},
      {"gitRepo", check_git_repo},
      {"gcePersistentDisk", nullptr, {"pdName"}, "persistentDisk", "gcePersistentDisk"},
      {"awsElasticBlockStore", nullptr, {"volumeID"}},
      {"secret", check_secret},
      {"nfs", check_nfs},
      {"iscsi", check_iscsi},
      {"glusterfs", nullptr, {"endpoints", "path"}},
      {"flocker", check_flocker},
      {"persistentVolumeClaim", nullptr, {"claimName"}},
      {"rbd", nullptr, {"monitors", "image"}},
      {"cinder", nullptr, {"volumeID"}},
      {"cephfs", nullptr, {"monitors"}, "cephfs", "cephFS"},
      {"quobyte", check_quobyte},
      {"downwardAPI", check_downward, {}, "downwardAPI", "downwarAPI"},
      {"fc", check_fibre_channel},
      {"flexVolume", check_flex},
      {"configMap", check_config_map},
      {"azureFile", nullptr, {"secretName", "shareName"}},
      {"vsphereVolume", nullptr, {"volumePath"}},
      {"photonPersistentDisk", nullptr, {"pdID"}},
      {"portworxVolume", nullptr, {"volumeID"}},
      {"azureDisk", check_azure_disk},
      {"storageos", check_storage_os},
      {"projected", check_projected},
      {"scaleIO", nullptr, {"gateway", "system", "volumeName"}},
      {"csi", check_csi},
      {"ephemeral", check_ephemeral},
  };
  return table;
}

void check_source(const Place& volume, const Source& source) {
  const Place found = volume[source.name].as(
      model::child(volume.path(), source.path.empty() ? source.name : source.path));
  if (source.check != nullptr) return source.check(found);
  for (std::string_view member : source.needs) found[member].need();
  if (source.name == "gcePersistentDisk" || source.name == "awsElasticBlockStore")
    check_disk_partition(found);
  if (source.name == "cinder" && found["secretRef"].present()) found["secretRef"]["name"].need();
}

void check_claim_name(const Place& volume, const Value* pod_metadata) {
  const std::string_view pod =
      pod_metadata == nullptr ? "" : model::string_at(*pod_metadata, {"name"});
  const std::string_view name = volume["name"].text();
  if (pod.empty() || name.empty()) return;
  const std::string claim = fmt::format("{}-{}", pod, name);
  for (const std::string& complaint : model::check_dns1123_subdomain(claim))
    volume["name"].invalid(fmt::format("PVC name {}: {}", quoted(claim), complaint));
}

void check_volume(const Place& volume, const Value* pod_metadata) {
  bool have = false;
  for (const Source& source : sources()) {
    if (!volume[source.name].present()) continue;
    if (have) {
      volume[source.path_if_second.empty() ? source.name : source.path_if_second].forbidden(
          "may not specify more than 1 volume type");
      continue;
    }
    have = true;
    check_source(volume, source);
    if (source.name == "ephemeral") check_claim_name(volume, pod_metadata);
  }
  if (!have) volume.required("must specify a volume type");
}

}  // namespace

void check_volumes(const Place& volumes, const Value* pod_metadata, Surroundings& around) {
  std::set<std::string> made_claims;
  const std::string_view pod =
      pod_metadata == nullptr ? "" : model::string_at(*pod_metadata, {"name"});
  volumes.each([&](const Place& volume) {
    if (!pod.empty() && volume["ephemeral"].present())
      made_claims.insert(fmt::format("{}-{}", pod, volume["name"].text()));
  });
  volumes.each([&](const Place& volume) {
    const size_t errors_before = volume.errors().size();
    check_volume(volume, pod_metadata);
    const Place name = volume["name"];
    if (name.need()) name.dns_label();
    if (around.volume(name.text()) != nullptr) name.duplicate();
    if (volume.errors().size() == errors_before)
      around.volumes.emplace_back(name.text(), &volume.value());
    const Place claim = volume["persistentVolumeClaim"]["claimName"];
    if (claim.present() && made_claims.contains(std::string(claim.text())))
      claim.invalid("must not reference a PVC that gets created for an ephemeral volume");
  });
}

}  // namespace holdfast::apiserver::pod

#include "pods/volumes.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/files.h>
#include <holdfast/base/text.h>

#include "pods/identity.h"
#include "shim/descriptors.h"
#include "volume_files/group_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;
using model::array_at;
using model::bool_at;
using model::int_at;
using model::string_at;
using model::Value;

constexpr int64_t kDefaultMode = 0644, kTokenSeconds = 3600;

struct Making {
  const Pod& pod;
  const VolumeFolders& folders;
  const VolumeSources& sources;
  WallTime now;
};

Result<void> add_entries(const Value& object, const Value& volume, bool secret, int64_t mode,
                         Payload& files) {
  const auto bytes_of = [&](std::string_view key) -> std::optional<std::string> {
    const Value* value = model::find(object, {"data", key});
    if (value != nullptr && value->is_string())
      return secret ? from_base64(model::view(value->get_string()))
                    : std::optional(std::string(model::view(value->get_string())));
    value = secret ? nullptr : model::find(object, {"binaryData", key});
    return value != nullptr && value->is_string() ? from_base64(model::view(value->get_string()))
                                                  : std::nullopt;
  };
  const model::Array& items = array_at(volume, {"items"});
  for (const Value& item : items) {
    std::optional<std::string> bytes = bytes_of(string_at(item, {"key"}));
    if (!bytes && !bool_at(volume, {"optional"}, false))
      return Error(Fault::Invalid,
                   fmt::format("references non-existent {} key: {}", secret ? "secret" : "config",
                               string_at(item, {"key"})));
    if (bytes)
      files[std::string(string_at(item, {"path"}))] = {std::move(*bytes),
                                                       mode_t(int_at(item, {"mode"}, mode))};
  }
  if (!items.empty()) return {};
  for (const std::string_view member : {"data", "binaryData"})
    for (const auto& entry : model::object_at(object, {member}))
      if (std::optional<std::string> bytes = bytes_of(std::string_view(entry.key())))
        files[std::string(std::string_view(entry.key()))] = {std::move(*bytes), mode_t(mode)};
  return {};
}

/// A ConfigMap or Secret, by the member that says its name.
Result<void> add_object(const Making& making, const Value& volume, std::string_view name,
                        bool secret, int64_t mode, Payload& files) {
  const std::string wanted(name);
  Result<Value> object = secret ? making.sources.secret(wanted) : making.sources.config_map(wanted);
  if (object) return add_entries(*object, volume, secret, mode, files);
  if (object.error().fault() != Fault::NotFound) return object.take_error();
  if (bool_at(volume, {"optional"}, false)) return {};
  return Error(Fault::NotFound,
               fmt::format("{} \"{}\" not found", secret ? "secret" : "configmap", wanted));
}

Result<void> add_downward(const Making& making, const Value& volume, int64_t mode, Payload& files) {
  for (const Value& item : array_at(volume, {"items"})) {
    PayloadFile file{"", mode_t(int_at(item, {"mode"}, mode))};
    if (const Value* field = model::find(item, {"fieldRef"}))
      file.bytes =
          field_of(making.pod, string_at(*field, {"fieldPath"}), making.sources).value_or("");
    if (const Value* field = model::find(item, {"resourceFieldRef"})) {
      const ContainerDef* container = making.pod.find(string_at(*field, {"containerName"}));
      if (container == nullptr)
        return Error(Fault::Invalid,
                     fmt::format("container {} not found", string_at(*field, {"containerName"})));
      const Value* divisor = model::find(*field, {"divisor"});
      file.bytes = HF_TRY(resource_of(
          *container, string_at(*field, {"resource"}),
          divisor != nullptr && divisor->is_string() ? model::view(divisor->get_string()) : "1",
          making.sources));
    }
    files[std::string(string_at(item, {"path"}))] = std::move(file);
  }
  return {};
}

Result<void> add_projected(const Making& making, const Value& volume, int64_t mode,
                           Payload& files) {
  for (const Value& source : array_at(volume, {"sources"})) {
    if (const Value* each = model::find(source, {"configMap"}))
      HF_TRY(add_object(making, *each, string_at(*each, {"name"}), false, mode, files));
    if (const Value* each = model::find(source, {"secret"}))
      HF_TRY(add_object(making, *each, string_at(*each, {"name"}), true, mode, files));
    if (const Value* each = model::find(source, {"downwardAPI"}))
      HF_TRY(add_downward(making, *each, mode, files));
    if (const Value* each = model::find(source, {"serviceAccountToken"})) {
      std::string token =
          HF_TRY(making.sources.token({std::string(string_at(*each, {"audience"})),
                                       int_at(*each, {"expirationSeconds"}, kTokenSeconds)}));
      files[std::string(string_at(*each, {"path"}))] = {
          std::move(token), mode_t(fs_group_of(making.pod) ? 0640 : mode)};
    }
  }
  return {};
}

int64_t mode_of(const Value& source) { return int_at(source, {"defaultMode"}, kDefaultMode); }

Result<std::string> fill(const Making& making, const std::string& name, std::string_view kind,
                         Payload files) {
  const fs::path folder = making.folders.secrets / kind / name;
  const auto first = uid_t(making.folders.users);
  PayloadOwners owners{first, {}};
  if (const std::optional<int64_t> group = fs_group_of(making.pod))
    owners.group = first + gid_t(*group);
  HF_TRY(write_payload(folder, files, owners, making.now));
  return folder.string();
}

Result<std::string> empty_dir(const Making& making, const std::string& name, bool in_memory) {
  const fs::path folder = in_memory ? making.folders.secrets / "memory" / name
                                    : making.folders.pod / "volumes" / "empty-dir" / name;
  const bool fresh = !fs::exists(folder);
  HF_TRY(make_folder(folder, 0777));
  // In memory no kernel before 6.3 translates ids: there stand those of the pod's own range.
  const uid_t owner = in_memory ? uid_t(making.folders.users) : 0;
  if ((fresh && ::chmod(folder.c_str(), 0777) != 0) ||
      (in_memory && ::chown(folder.c_str(), owner, fresh ? owner : gid_t(-1)) != 0))
    return system_error("open " + folder.string() + " to all", errno);
  return folder.string();
}

Result<std::string> host_path(const Value& source) {
  const std::string path(string_at(source, {"path"}));
  const std::string_view type = string_at(source, {"type"});
  struct stat facts {};
  const bool there = ::stat(path.c_str(), &facts) == 0;
  if (type == "DirectoryOrCreate" && !there) HF_TRY(make_folder(path, 0755));
  if (type == "FileOrCreate" && !there) {
    const Fd made(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!made) return system_error("make " + path, errno);
  }
  const bool wrong = (type == "Directory" && !(there && S_ISDIR(facts.st_mode))) ||
                     (type == "File" && !(there && S_ISREG(facts.st_mode))) ||
                     (type == "Socket" && !(there && S_ISSOCK(facts.st_mode))) ||
                     (type == "CharDevice" && !(there && S_ISCHR(facts.st_mode))) ||
                     (type == "BlockDevice" && !(there && S_ISBLK(facts.st_mode)));
  if (wrong)
    return Error(Fault::Invalid,
                 fmt::format("hostPath type check failed: {} is not a {}", path, to_lower(type)));
  if (type.empty() && !there) HF_TRY(make_folder(path, 0755));
  return path;
}

Result<std::string> make_volume(const Making& making, const Value& volume) {
  const std::string name(string_at(volume, {"name"}));
  Payload files;
  if (const Value* source = model::find(volume, {"emptyDir"}))
    return empty_dir(making, name, string_at(*source, {"medium"}) == "Memory");
  if (const Value* source = model::find(volume, {"hostPath"})) return host_path(*source);
  if (const Value* source = model::find(volume, {"persistentVolumeClaim"}))
    return making.sources.claim(std::string(string_at(*source, {"claimName"})));
  if (model::find(volume, {"ephemeral"}) != nullptr)
    return making.sources.claim(making.pod.name + "-" + name);
  if (const Value* source = model::find(volume, {"configMap"})) {
    HF_TRY(
        add_object(making, *source, string_at(*source, {"name"}), false, mode_of(*source), files));
    return fill(making, name, "configmap", std::move(files));
  }
  if (const Value* source = model::find(volume, {"secret"})) {
    HF_TRY(add_object(making, *source, string_at(*source, {"secretName"}), true, mode_of(*source),
                      files));
    return fill(making, name, "secret", std::move(files));
  }
  if (const Value* source = model::find(volume, {"downwardAPI"})) {
    HF_TRY(add_downward(making, *source, mode_of(*source), files));
    return fill(making, name, "downward-api", std::move(files));
  }
  if (const Value* source = model::find(volume, {"projected"})) {
    HF_TRY(add_projected(making, *source, mode_of(*source), files));
    return fill(making, name, "projected", std::move(files));
  }
  return Error(Fault::Invalid,
               fmt::format("no volume plugin matched: this node has none for volume \"{}\"", name));
}

/// With OnRootMismatch, a root that already fits says that all does.
bool group_fits(const Pod& pod, const std::string& folder, gid_t group) {
  if (string_at(*pod.object, {"spec", "securityContext", "fsGroupChangePolicy"}) !=
      "OnRootMismatch")
    return false;
  struct stat facts {};
  return ::stat(folder.c_str(), &facts) == 0 && facts.st_gid == group &&
         (facts.st_mode & 02070) == 02070;
}

/// Its content is the server's word: the node fills it, containers only read.
bool is_filled(const Value& volume) {
  for (const std::string_view kind : {"configMap", "secret", "downwardAPI", "projected"})
    if (model::find(volume, {kind}) != nullptr) return true;
  return false;
}

const Value* volume_of(const Pod& pod, std::string_view name) {
  for (const Value& volume : array_at(*pod.object, {"spec", "volumes"}))
    if (string_at(volume, {"name"}) == name) return &volume;
  return nullptr;
}

}  // namespace

bool has_changing_volumes(const Pod& pod) {
  const model::Array& volumes = array_at(*pod.object, {"spec", "volumes"});
  return std::any_of(volumes.begin(), volumes.end(),
                     [](const Value& volume) { return is_filled(volume); });
}

Result<VolumePaths> make_volumes(const Pod& pod, const VolumeFolders& folders,
                                 const VolumeSources& sources, WallTime now, Ownership ownership) {
  VolumePaths paths;
  const Making making{pod, folders, sources, now};
  const std::optional<int64_t> group = fs_group_of(pod);
  for (const Value& volume : array_at(*pod.object, {"spec", "volumes"})) {
    const std::string name(string_at(volume, {"name"}));
    Result<std::string> made = make_volume(making, volume);
    if (!made)
      return made.take_error().with_context(
          fmt::format("MountVolume.SetUp failed for volume \"{}\" ", name));
    const bool owned = model::find(volume, {"emptyDir"}) != nullptr ||
                       model::find(volume, {"ephemeral"}) != nullptr ||
                       model::find(volume, {"persistentVolumeClaim"}) != nullptr;
    const bool in_memory = string_at(volume, {"emptyDir", "medium"}) == "Memory";
    const gid_t owner = gid_t(group.value_or(0) + (in_memory ? folders.users : 0));
    if (owned && group && ownership == Ownership::Give && !group_fits(pod, *made, owner))
      HF_TRY(give_to_group(*made, owner));
    paths[name] = made.take();
  }
  return paths;
}

Result<std::vector<MountSpec>> mounts_of(const Pod& pod, const ContainerDef& container,
                                         const VolumePaths& paths, const Variables& variables) {
  std::vector<MountSpec> mounts;
  for (const Value& each : array_at(*container.object, {"volumeMounts"})) {
    const auto volume = paths.find(std::string(string_at(each, {"name"})));
    if (volume == paths.end())
      return Error(Fault::Invalid,
                   fmt::format("volume \"{}\" is not there", string_at(each, {"name"})));
    MountSpec mount{.from = volume->second, .to = std::string(string_at(each, {"mountPath"}))};
    const Value* source = volume_of(pod, volume->first);
    const bool filled = source != nullptr && is_filled(*source);
    mount.read_only = bool_at(each, {"readOnly"}, false) || filled;
    const Value* empty = source != nullptr ? model::find(*source, {"emptyDir"}) : nullptr;
    mount.made_here = filled || empty != nullptr;
    if (filled || (empty != nullptr && string_at(*empty, {"medium"}) == "Memory"))
      mount.ids = "Pod";
    else if (source != nullptr && model::find(*source, {"hostPath"}) != nullptr)
      mount.ids = "Any";
    mount.sub_path = std::string(string_at(each, {"subPath"}));
    if (const std::string_view text = string_at(each, {"subPathExpr"}); !text.empty())
      mount.sub_path = expand(text, variables);
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

}  // namespace holdfast::node

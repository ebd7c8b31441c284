#include "provider/store.h"

#include <holdfast/model/json.h>
#include <holdfast/model/time.h>

#include "provider/tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::volumes {

using model::Object;
using model::Value;

namespace {

constexpr mode_t kPrivate = 0700;
constexpr mode_t kEverybody = 0777;

/// A name that cannot lead anywhere else.
bool plain(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

std::vector<std::string> entries(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::string to_text(const Cut& cut) {
  Object sizes;
  for (const auto& [volume, size] : cut.sizes) sizes[volume] = size;
  return model::to_json(Object{{"time", model::to_rfc3339_micro(cut.time)},
                               {"namespace", cut.ns},
                               {"volumes", std::move(sizes)}});
}

Result<Cut> read_cut(const fs::path& file) {
  const std::string text = HF_TRY(read_file(file));
  const Result<model::Parsed> parsed = model::parse_json(text);
  const Error damaged(Fault::Corrupt, file.string() + " is damaged");
  if (!parsed) return damaged.copy();
  const auto time = model::parse_rfc3339(model::string_at(parsed->value, {"time"}));
  if (!time) return damaged.copy();
  Cut cut{.time = *time, .ns = std::string(model::string_at(parsed->value, {"namespace"}))};
  for (const auto& [volume, size] : model::object_at(parsed->value, {"volumes"}))
    cut.sizes[std::string(volume)] = size.is_int64() ? size.get_int64() : 0;
  return cut;
}

}  // namespace

std::optional<CutMember> CutMember::parse(std::string_view handle) {
  const size_t slash = handle.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  CutMember member{std::string(handle.substr(0, slash)), std::string(handle.substr(slash + 1))};
  if (!plain(member.cut) || !plain(member.volume)) return std::nullopt;
  return member;
}

Store::Store(fs::path folder, std::unique_ptr<Provider> provider, const Clock& clock,
             std::stop_token stop, FolderLock lock)
    : folder_(std::move(folder)),
      provider_(std::move(provider)),
      clock_(clock),
      stop_(std::move(stop)),
      lock_(std::move(lock)) {}

Result<std::unique_ptr<Store>> Store::open(fs::path folder, std::unique_ptr<Provider> provider,
                                           const Clock& clock, std::stop_token stop) {
  HF_TRY(make_folder(folder, kPrivate));
  FolderLock lock = HF_TRY(FolderLock::take(folder));
  for (const char* part : {"volumes", "cuts", "making", "trash"})
    HF_TRY(make_folder(folder / part, kPrivate));
  for (const char* part : {"making", "trash"})
    for (const std::string& left : entries(folder / part))
      HF_TRY(provider->remove(folder / part / left));
  for (const std::string& ns : entries(folder / "volumes"))
    for (const std::string& left : entries(folder / "volumes" / ns))
      if (left.starts_with('.')) HF_TRY(provider->remove(folder / "volumes" / ns / left));
  return std::unique_ptr<Store>(
      new Store(std::move(folder), std::move(provider), clock, std::move(stop), std::move(lock)));
}

fs::path Store::path_of(const VolumeFolder& volume) const {
  HF_CHECK(plain(volume.ns) && plain(volume.name));
  return folder_ / "volumes" / volume.ns / volume.name;
}

fs::path Store::cut_path(const CutMember& member) const {
  return folder_ / "cuts" / member.cut / "data" / member.volume;
}

std::optional<VolumeFolder> Store::volume_at(const fs::path& path) const {
  VolumeFolder volume{path.parent_path().filename(), path.filename()};
  if (!plain(volume.ns) || !plain(volume.name) || path_of(volume) != path) return std::nullopt;
  return volume;
}

Result<void> Store::make(const VolumeFolder& volume) {
  const fs::path path = path_of(volume);
  HF_TRY(provider_->make_namespace(path.parent_path()));
  return make_open_folder(path, kEverybody);
}

Result<void> Store::clone_folder(const fs::path& from, const VolumeFolder& to) {
  const fs::path path = path_of(to);
  if (is_there(path)) return ok();
  HF_TRY(provider_->make_namespace(path.parent_path()));
  // Beside its place, so that the last step is a rename within one subvolume.
  const fs::path staged = path.parent_path() / (".making-" + to.name);
  HF_TRY(provider_->remove(staged));
  HF_TRY(provider_->clone(from, staged, stop_));
  return rename_folder(staged, path);
}

Result<void> Store::clone(const VolumeFolder& from, const VolumeFolder& to) {
  return clone_folder(path_of(from), to);
}

Result<void> Store::restore(const CutMember& from, const VolumeFolder& to) {
  if (!holds(from))
    return Error(Fault::NotFound, fmt::format("there is no snapshot {}", from.handle()));
  return clone_folder(cut_path(from), to);
}

Result<void> Store::discard(const fs::path& path, const std::string& as) {
  const fs::path trash = folder_ / "trash" / as;
  HF_TRY(provider_->remove(trash));
  if (is_there(path)) HF_TRY(rename_folder(path, trash));
  return provider_->remove(trash);
}

Result<void> Store::remove(const VolumeFolder& volume) {
  const fs::path path = path_of(volume);
  // A rename out of the namespace's subvolume is refused, so it goes where it lies.
  const fs::path going = path.parent_path() / (".going-" + volume.name);
  HF_TRY(provider_->remove(going));
  if (is_there(path)) HF_TRY(rename_folder(path, going));
  HF_TRY(provider_->remove(going));
  return remove_if_empty(path.parent_path());
}

Result<void> Store::stage_cut(const fs::path& at, const std::string& ns,
                              const std::map<std::string, int64_t>& sizes) {
  HF_TRY(provider_->remove(at));
  HF_TRY(make_folder(at / "members", kPrivate));
  std::vector<std::string> volumes;
  for (const auto& [volume, size] : sizes) {
    if (!is_there(path_of({ns, volume})))
      return Error(Fault::NotFound, fmt::format("the folder of volume {} is gone", volume));
    HF_TRY(write_file(at / "members" / volume, "", 0600));
    volumes.push_back(volume);
  }
  // Before the cut: all that was written by then is in it.
  const Cut cut{.time = clock_.now(), .ns = ns, .sizes = sizes};
  HF_TRY(provider_->cut(folder_ / "volumes" / ns, volumes, at / "data", stop_));
  return write_file(at / "cut.json", to_text(cut), 0600);
}

Result<Cut> Store::cut(const std::string& id, const std::string& ns,
                       const std::map<std::string, int64_t>& sizes) {
  if (!plain(id)) return Error(Fault::Invalid, fmt::format("{} cannot be a cut's name", id));
  const fs::path place = folder_ / "cuts" / id;
  if (!is_there(place)) {
    const fs::path staged = folder_ / "making" / id;
    HF_TRY(stage_cut(staged, ns, sizes));
    HF_TRY(rename_folder(staged, place));
  }
  return find_cut(id);
}

Result<Cut> Store::find_cut(const std::string& id) const {
  const fs::path place = folder_ / "cuts" / id;
  if (!plain(id) || !is_there(place))
    return Error(Fault::NotFound, fmt::format("there is no cut {}", id));
  return read_cut(place / "cut.json");
}

bool Store::holds(const CutMember& member) const {
  return is_there(folder_ / "cuts" / member.cut / "members" / member.volume);
}

Result<void> Store::release(const CutMember& member) {
  const fs::path place = folder_ / "cuts" / member.cut;
  const Lock lock(releasing_);
  HF_TRY(remove_file(place / "members" / member.volume));
  return entries(place / "members").empty() ? discard(place, member.cut) : ok();
}

std::vector<VolumeFolder> Store::volumes() const {
  std::vector<VolumeFolder> out;
  for (const std::string& ns : entries(folder_ / "volumes"))
    for (const std::string& name : entries(folder_ / "volumes" / ns))
      if (!name.starts_with('.')) out.push_back({ns, name});
  return out;
}

std::vector<std::string> Store::cuts() const { return entries(folder_ / "cuts"); }

}  // namespace holdfast::volumes

/// The volumes and cuts of one folder:
///
///   DIR/lock                          one process at a time
///   DIR/volumes/NAMESPACE/VOLUME/     what pods see, mode 0777: who may write is the pod's matter
///   DIR/cuts/CUT/                     of one VolumeSnapshot or VolumeGroupSnapshot
///     cut.json                        {"time":"2026-01-02T03:04:05.000006Z","namespace":"shop",
///                                      "volumes":{"pvc-1":1073741824}}   sizes when it was cut
///     members/VOLUME                  empty; one for each snapshot that still uses the cut
///     data/VOLUME/                    what the volume held; never changed
///   DIR/making/CUT/                   not complete; emptied at start, as is
///   DIR/trash/CUT/                    on its way out
///   DIR/volumes/NAMESPACE/.making-VOLUME, .going-VOLUME    the same for volumes
///
/// Whatever has a name under volumes/ or cuts/ is complete: it was made beside and renamed. DIR
/// itself is closed to everybody else on the machine.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/files.h>
#include <holdfast/base/mutex.h>

#include "provider/provider.h"

#include <map>
#include <optional>

namespace holdfast::volumes {

struct VolumeFolder {
  std::string ns{}, name{};
  auto operator<=>(const VolumeFolder&) const = default;
};

/// The parts of a handle, "CUT/VOLUME": one volume as a cut holds it.
struct CutMember {
  std::string cut{}, volume{};
  std::string handle() const { return cut + "/" + volume; }
  static std::optional<CutMember> parse(std::string_view handle);
};

struct Cut {
  WallTime time{};
  std::string ns{};
  std::map<std::string, int64_t> sizes{};  ///< by volume
};

class Store {
 public:
  /// Conflict if another process holds the folder.
  static Result<std::unique_ptr<Store>> open(fs::path folder, std::unique_ptr<Provider> provider,
                                             const Clock& clock, std::stop_token stop);

  const Provider& provider() const { return *provider_; }
  fs::path path_of(const VolumeFolder& volume) const;
  /// Read only: a cut never changes.
  fs::path cut_path(const CutMember& member) const;
  /// Which volume of this store lies at that path; nothing for a path outside.
  std::optional<VolumeFolder> volume_at(const fs::path& path) const;

  /// All of these can be done twice.
  Result<void> make(const VolumeFolder& volume);
  Result<void> clone(const VolumeFolder& from, const VolumeFolder& to);
  Result<void> restore(const CutMember& from, const VolumeFolder& to);
  Result<void> remove(const VolumeFolder& volume);

  /// Cuts volumes of one namespace at one instant. A cut of that id that is there already is the
  /// answer, whatever the volumes hold by now.
  Result<Cut> cut(const std::string& id, const std::string& ns,
                  const std::map<std::string, int64_t>& sizes);
  /// NotFound if there is none.
  Result<Cut> find_cut(const std::string& id) const;
  bool holds(const CutMember& member) const;
  /// The member's snapshot is gone; with the last one the cut goes.
  Result<void> release(const CutMember& member);

  std::vector<VolumeFolder> volumes() const;
  std::vector<std::string> cuts() const;

 private:
  Store(fs::path folder, std::unique_ptr<Provider> provider, const Clock& clock,
        std::stop_token stop, FolderLock lock);
  Result<void> clone_folder(const fs::path& from, const VolumeFolder& to);
  Result<void> discard(const fs::path& path, const std::string& as);
  Result<void> stage_cut(const fs::path& at, const std::string& ns,
                         const std::map<std::string, int64_t>& sizes);

  const fs::path folder_;
  const std::unique_ptr<Provider> provider_;
  const Clock& clock_;
  const std::stop_token stop_;
  const FolderLock lock_;
  Mutex releasing_;  ///< two members of one cut that go at once must agree on who was the last
};

}  // namespace holdfast::volumes

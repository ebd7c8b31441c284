/// VolumeSnapshots, their contents and classes, as far as decisions about them need.
#pragma once

#include <holdfast/control/outcome.h>
#include <holdfast/kube/cached.h>

#include "provider/store.h"

#include <memory>
#include <optional>
#include <string>

namespace holdfast::volumes {

/// What all four kinds of snapshots and contents tell of themselves.
struct Told {
  kube::Cached object{};
  std::shared_ptr<const model::Value> value{};
  std::string name{}, uid{};
  bool deleting = false;
  bool ready = false;   ///< status.readyToUse
  std::string error{};  ///< status.error.message

  bool guarded_by(std::string_view finalizer) const;
  std::string_view annotation(std::string_view key) const;
};

struct Snapshot : Told {
  std::string ns{};
  std::string claim{}, given_content{};  ///< spec.source: one of them
  std::string class_name{};
  std::string bound{};  ///< status.boundVolumeSnapshotContentName
  std::string group{};  ///< status.volumeGroupSnapshotName
  std::string text() const { return ns + "/" + name; }
  /// The content that it has or will have.
  std::string content_name() const {
    return given_content.empty() ? "snapcontent-" + uid : given_content;
  }
};

struct Content : Told {
  std::string driver{};
  bool deletes = false;                         ///< deletionPolicy: Delete
  std::string volume_handle{}, given_handle{};  ///< spec.source: one of them
  std::string handle{};                         ///< status.snapshotHandle
  std::string ref_ns{}, ref_name{}, ref_uid{};  ///< spec.volumeSnapshotRef
  int64_t created = 0, size = 0;                ///< status: creationTime in ns, restoreSize
};

struct SnapshotClass {
  std::string name{}, driver{}, deletion_policy{};
  bool is_default = false;
};

Snapshot read_snapshot(const kube::Cached& object);
Content read_content(const kube::Cached& object);
SnapshotClass read_snapshot_class(const kube::Cached& object, std::string_view default_annotation);
void read_told(Told& out, const kube::Cached& object);

/// "NODE/CUT/VOLUME", the handle of a snapshot: where it lies, and as what.
struct SnapshotHandle {
  std::string node{};
  CutMember member{};
  std::string text() const { return node + "/" + member.handle(); }
  static std::optional<SnapshotHandle> parse(std::string_view text);
};

/// Adds a finalizer that is not there, or takes one that is; nothing to do: nothing.
std::optional<control::Write> guard(const kube::Resource& resource, const Told& told,
                                    std::string_view finalizer);
std::optional<control::Write> unguard(const kube::Resource& resource, const Told& told,
                                      std::string_view finalizer);

/// status.error with the time, and readyToUse false; told already: look again after a while.
control::Outcome fail(const kube::Resource& resource, const Told& told, std::string reason,
                      std::string message, WallTime now);

}  // namespace holdfast::volumes

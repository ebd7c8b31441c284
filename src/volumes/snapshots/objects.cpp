#include "snapshots/objects.h"

#include <holdfast/control/finalizers.h>
#include <holdfast/model/time.h>

#include "words.h"

namespace holdfast::volumes {

using control::Outcome;
using control::Write;
using model::Object;
using model::string_at;
using model::Value;

namespace {

/// Nothing tells when trouble with a volume, a class or the folder is over.
constexpr auto kAgain = std::chrono::seconds(15);

}  // namespace

bool Told::guarded_by(std::string_view finalizer) const {
  return control::has_finalizer(object, finalizer);
}

std::string_view Told::annotation(std::string_view key) const {
  return string_at(*value, {"metadata", "annotations", key});
}

void read_told(Told& out, const kube::Cached& object) {
  out.object = object;
  out.value = object.shared_value();
  out.name = object.name();
  out.uid = object.uid();
  out.deleting = object.being_deleted();
  out.ready = model::bool_at(*out.value, {"status", "readyToUse"}, false);
  out.error = string_at(*out.value, {"status", "error", "message"});
}

Snapshot read_snapshot(const kube::Cached& object) {
  Snapshot out;
  read_told(out, object);
  const Value& value = *out.value;
  out.ns = object.ns();
  out.claim = string_at(value, {"spec", "source", "persistentVolumeClaimName"});
  out.given_content = string_at(value, {"spec", "source", "volumeSnapshotContentName"});
  out.class_name = string_at(value, {"spec", "volumeSnapshotClassName"});
  out.bound = string_at(value, {"status", "boundVolumeSnapshotContentName"});
  out.group = string_at(value, {"status", "volumeGroupSnapshotName"});
  return out;
}

Content read_content(const kube::Cached& object) {
  Content out;
  read_told(out, object);
  const Value& value = *out.value;
  out.driver = string_at(value, {"spec", "driver"});
  out.deletes = string_at(value, {"spec", "deletionPolicy"}) == "Delete";
  out.volume_handle = string_at(value, {"spec", "source", "volumeHandle"});
  out.given_handle = string_at(value, {"spec", "source", "snapshotHandle"});
  out.handle = string_at(value, {"status", "snapshotHandle"});
  out.ref_ns = string_at(value, {"spec", "volumeSnapshotRef", "namespace"});
  out.ref_name = string_at(value, {"spec", "volumeSnapshotRef", "name"});
  out.ref_uid = string_at(value, {"spec", "volumeSnapshotRef", "uid"});
  out.created = model::int_at(value, {"status", "creationTime"}, 0);
  out.size = model::int_at(value, {"status", "restoreSize"}, 0);
  return out;
}

SnapshotClass read_snapshot_class(const kube::Cached& object, std::string_view default_annotation) {
  const std::shared_ptr<const Value> shared = object.shared_value();
  const Value& value = *shared;
  return {
      .name = std::string(object.name()),
      .driver = std::string(string_at(value, {"driver"})),
      .deletion_policy = std::string(string_at(value, {"deletionPolicy"})),
      .is_default = string_at(value, {"metadata", "annotations", default_annotation}) == "true"};
}

std::optional<SnapshotHandle> SnapshotHandle::parse(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const std::optional<CutMember> member = CutMember::parse(text.substr(slash + 1));
  if (!member) return std::nullopt;
  return SnapshotHandle{std::string(text.substr(0, slash)), *member};
}

std::optional<Write> guard(const kube::Resource& resource, const Told& told,
                           std::string_view finalizer) {
  if (told.guarded_by(finalizer)) return std::nullopt;
  return control::add_finalizer(resource, told.object, finalizer);
}

std::optional<Write> unguard(const kube::Resource& resource, const Told& told,
                             std::string_view finalizer) {
  if (!told.guarded_by(finalizer)) return std::nullopt;
  return control::drop_finalizer(resource, told.object, finalizer);
}

Outcome fail(const kube::Resource& resource, const Told& told, std::string reason,
             std::string message, WallTime now) {
  if (told.error == message) return Outcome::wait(kAgain, std::move(reason), std::move(message));
  Object error{{"message", message}, {"time", model::to_rfc3339(now)}};
  Value merge = Object{{"status", Object{{"readyToUse", false}, {"error", std::move(error)}}}};
  Outcome out = Outcome::act(
      control::patch(resource, told.object, std::move(merge), control::Decides::Yes, "status"));
  out.notes = {{.warning = true,
                .reason = std::move(reason),
                .message = std::move(message),
                .action = "Creating"}};
  return out;
}

}  // namespace holdfast::volumes

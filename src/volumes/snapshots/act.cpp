#include "snapshots/act.h"

#include <holdfast/model/time.h>

#include "words.h"

#include <fmt/format.h>

namespace holdfast::volumes::snapshots {

using control::Decides;
using control::Note;
using control::Write;
using model::Array;
using model::Object;
using model::string_at;
using model::Value;

namespace {

Value reference_to(const Snapshot& snapshot) {
  return Object{{"apiVersion", kube::kVolumeSnapshots.api_version()},
                {"kind", kube::kVolumeSnapshots.kind},
                {"namespace", snapshot.ns},
                {"name", snapshot.name},
                {"uid", snapshot.uid},
                {"resourceVersion", std::to_string(snapshot.object.version())}};
}

std::string creation_time(const Content& content) {
  return model::to_rfc3339(WallTime(std::chrono::microseconds(content.created / 1000)));
}

/// "1Gi": the largest binary unit that leaves no rest.
std::string binary_size(int64_t bytes) {
  constexpr std::string_view kUnits[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  size_t unit = 0;
  for (; bytes % 1024 == 0 && unit + 1 < std::size(kUnits); ++unit) bytes /= 1024;
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

Object wanted_status(const Content& content, WallTime now) {
  Object status{{"boundVolumeSnapshotContentName", content.name}, {"readyToUse", content.ready}};
  if (content.created != 0) status["creationTime"] = creation_time(content);
  if (content.size != 0) status["restoreSize"] = binary_size(content.size);
  if (!content.error.empty() && !content.ready)
    status["error"] = Object{{"message", content.error}, {"time", model::to_rfc3339(now)}};
  else
    status["error"] = nullptr;
  return status;
}

bool told_already(const Snapshot& snapshot, const Content& content) {
  const std::string_view error = content.ready ? std::string_view() : content.error;
  const std::string_view created = string_at(*snapshot.value, {"status", "creationTime"});
  return snapshot.bound == content.name && snapshot.ready == content.ready &&
         snapshot.error == error &&
         model::find(*snapshot.value, {"status", "readyToUse"}) != nullptr &&
         (content.created == 0 || created == creation_time(content));
}

}  // namespace

Write set_class(const Snapshot& snapshot, std::string_view name) {
  Value merge = Object{{"spec", Object{{"volumeSnapshotClassName", name}}}};
  return control::patch(kube::kVolumeSnapshots, snapshot.object, std::move(merge), Decides::Yes);
}

Write create_content(const Snapshot& snapshot, const Volume& volume, const SnapshotClass& by) {
  Object metadata{{"name", snapshot.content_name()}};
  metadata["finalizers"] = Array{Value(kContentBound)};
  Object spec{{"driver", kDriver},
              {"deletionPolicy", by.deletion_policy},
              {"volumeSnapshotClassName", by.name},
              {"sourceVolumeMode", "Filesystem"},
              {"source", Object{{"volumeHandle", volume.name}}},
              {"volumeSnapshotRef", reference_to(snapshot)}};
  Write write = control::create(kube::kVolumeSnapshotContents,
                                Object{{"apiVersion", kube::kVolumeSnapshotContents.api_version()},
                                       {"kind", kube::kVolumeSnapshotContents.kind},
                                       {"metadata", std::move(metadata)},
                                       {"spec", std::move(spec)}});
  write.note = Note{.reason = "CreatingSnapshot",
                    .message = fmt::format("Waiting for a snapshot {} to be created by the CSI "
                                           "driver.",
                                           snapshot.text()),
                    .action = "Creating"};
  return write;
}

Write bind_content(const Content& content, const Snapshot& snapshot) {
  Object reference{{"uid", snapshot.uid},
                   {"resourceVersion", std::to_string(snapshot.object.version())}};
  Value merge = Object{{"spec", Object{{"volumeSnapshotRef", std::move(reference)}}}};
  return control::patch(kube::kVolumeSnapshotContents, content.object, std::move(merge),
                        Decides::Yes);
}

std::optional<Write> report(const Snapshot& snapshot, const Content& content, WallTime now) {
  if (told_already(snapshot, content)) return std::nullopt;
  Value merge = Object{{"status", wanted_status(content, now)}};
  Write write = control::patch(kube::kVolumeSnapshots, snapshot.object, std::move(merge),
                               Decides::Yes, "status");
  if (content.ready && !snapshot.ready)
    write.note = Note{.reason = "SnapshotReady",
                      .message = fmt::format("Snapshot {} is ready to use.", snapshot.text()),
                      .action = "Creating"};
  return write;
}

Write announce_end(const Content& content) {
  Object annotations;
  annotations[kBeingDeleted] = "yes";
  Value merge = Object{{"metadata", Object{{"annotations", std::move(annotations)}}}};
  return control::patch(kube::kVolumeSnapshotContents, content.object, std::move(merge),
                        Decides::Yes);
}

}  // namespace holdfast::volumes::snapshots

#include "moves/objection.h"

#include <holdfast/model/time.h>
#include <holdfast/repo/id.h>

#include "documents/document.h"
#include "moves/rounds.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using Direction = DataMove::Direction;

/// A mover is told them in a variable of its environment, which has an end.
constexpr int64_t kMostFound = 200;
constexpr size_t kMostTags = 32, kLongestTag = 256, kMostForgotten = 1000, kMostExpected = 1000;

std::string of_tags(const char* field, const std::vector<std::string>& tags) {
  if (tags.size() > kMostTags) return fmt::format("{}: more than {} tags", field, kMostTags);
  for (const std::string& tag : tags) {
    if (tag.empty()) return fmt::format("{}: a tag is empty", field);
    if (tag.size() > kLongestTag)
      return fmt::format("{}: a tag is longer than {} bytes", field, kLongestTag);
    if (tag.find(',') != std::string::npos)
      return fmt::format("{}: {} has a comma, which separates tags", field, tag);
  }
  return "";
}

std::string of_source(const DataMove::Spec& spec) {
  if (int(spec.volume.has_value()) + int(spec.pod.has_value()) + int(spec.document.has_value()) !=
      1)
    return "exactly one of spec.volume, spec.pod and spec.document must be given";
  if (spec.volume && !spec.volume->snapshot_uid.empty() && spec.volume->snapshot.empty())
    return "spec.volume.volumeSnapshotUID is of a VolumeSnapshot: name that, too";
  if (spec.volume && spec.volume->claim.empty() == spec.volume->snapshot.empty())
    return "exactly one of spec.volume.persistentVolumeClaim and spec.volume.volumeSnapshot must "
           "be given";
  if (spec.pod && spec.pod->directory.empty() == spec.pod->command.empty())
    return "exactly one of spec.pod.directory and spec.pod.command must be given";
  if (spec.pod && !spec.pod->directory.empty() && spec.pod->directory.front() != '/')
    return "spec.pod.directory must be an absolute path";
  if (spec.document && !is_document_name(spec.document->name))
    return "spec.document.name must be the name of a file, without a path";
  return "";
}

std::string of_document_backup(const DataMove::Spec& spec) {
  const std::optional<std::string>& content = spec.document->content;
  if (!content) return "spec.document.content must be given: it is the text to back up";
  if (content->size() > kMostDocument)
    return fmt::format("spec.document.content: {} bytes are more than {}", content->size(),
                       kMostDocument);
  if (!is_document_text(*content))
    return "spec.document.content must be text, without control characters";
  if (spec.follow) return "spec.follow is for volumes and pods: a document does not change";
  return "";
}

std::string of_document_restore(const DataMove::Spec& spec) {
  if (spec.document->content) return "spec.document.content is for backups";
  if (spec.snapshot.empty() != spec.find.has_value())
    return "exactly one of spec.snapshot and spec.find must say which snapshots are meant";
  if (!spec.find) return "";
  if (!spec.find->before.empty() && !model::parse_rfc3339(spec.find->before))
    return fmt::format("spec.find.before: {} is not a time such as 2026-01-02T03:04:05Z",
                       spec.find->before);
  if (spec.find->limit < 1 || spec.find->limit > kMostFound)
    return fmt::format("spec.find.limit must be between 1 and {}", kMostFound);
  return of_tags("spec.find.tags", spec.find->tags);
}

std::string of_forgetting(const DataMove::Spec& spec) {
  if (spec.volume || spec.pod || spec.document)
    return "spec.volume, spec.pod and spec.document are for backups and restores";
  if (!spec.snapshot.empty()) return "spec.snapshot is for restores: name spec.snapshots";
  if (spec.follow) return "spec.follow is for backups";
  if (spec.all_tagged && !spec.snapshots.empty())
    return "spec.allTagged stands in place of spec.snapshots: name one of them";
  if (!spec.all_tagged && spec.snapshots.empty())
    return "spec.snapshots must say which snapshots are forgotten, or spec.allTagged that all with "
           "spec.tags are";
  if (spec.snapshots.size() > kMostForgotten)
    return fmt::format("spec.snapshots: more than {} at once", kMostForgotten);
  for (const std::string& id : spec.snapshots)
    if (!repo::Id::from_hex(id))
      return fmt::format("spec.snapshots: {} is not an id of 64 hexadecimal digits", id);
  if (spec.tags.empty()) return "spec.tags must have a tag that all of spec.snapshots carry";
  return of_tags("spec.tags", spec.tags);
}

/// Only the move that writes of others what they have made looks for it first.
std::string of_expected(const DataMove::Spec& spec) {
  if (!spec.document || spec.direction != Direction::Backup)
    return "spec.expects is for documents that are backed up";
  if (spec.expects.size() > kMostExpected)
    return fmt::format("spec.expects: more than {} snapshots", kMostExpected);
  for (const DataMove::Expected& each : spec.expects) {
    if (!repo::Id::from_hex(each.snapshot_id))
      return fmt::format("spec.expects: {} is not an id of 64 hexadecimal digits",
                         each.snapshot_id);
    if (std::string wrong = of_tags("spec.expects.tags", each.tags); !wrong.empty()) return wrong;
  }
  return "";
}

std::string of_backup(const DataMove::Spec& spec) {
  if (spec.document)
    if (std::string wrong = of_document_backup(spec); !wrong.empty()) return wrong;
  if (spec.follow && !follow_interval(spec))
    return fmt::format(
        "spec.follow.interval: {} is not a duration of a second or more, such as 5m "
        "or 1h",
        spec.follow->interval);
  return of_tags("spec.tags", spec.tags);
}

std::string of_restore(const DataMove::Spec& spec) {
  if (spec.follow) return "spec.follow is for backups";
  if (!spec.tags.empty()) return "spec.tags is for backups";
  if (spec.document) return of_document_restore(spec);
  if (spec.snapshot.empty())
    return "spec.snapshot must say which snapshot of the repository is restored";
  if (spec.volume && !spec.volume->snapshot.empty())
    return "a VolumeSnapshot cannot be restored into: name a claim";
  return "";
}

}  // namespace

std::string objection(const DataMove::Spec& spec) {
  if (spec.find && !(spec.document && spec.direction == Direction::Restore))
    return "spec.find is for documents that are restored";
  if (spec.direction == Direction::Forget)
    return spec.expects.empty() ? of_forgetting(spec) : of_expected(spec);
  if (!spec.snapshots.empty())
    return "spec.snapshots is for forgetting: a restore has spec.snapshot";
  if (spec.all_tagged) return "spec.allTagged is for forgetting";
  if (!spec.expects.empty())
    if (std::string wrong = of_expected(spec); !wrong.empty()) return wrong;
  if (std::string wrong = of_source(spec); !wrong.empty()) return wrong;
  return spec.direction == Direction::Backup ? of_backup(spec) : of_restore(spec);
}

}  // namespace holdfast::protect

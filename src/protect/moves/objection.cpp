#include "moves/objection.h"

#include "moves/rounds.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using Direction = DataMove::Direction;

/// A mover is told them in a variable of its environment, which has an end.
constexpr size_t kMostTags = 32, kLongestTag = 256;

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
  if (spec.volume.has_value() == spec.pod.has_value())
    return "exactly one of spec.volume and spec.pod must be given";
  if (spec.volume && spec.volume->claim.empty() == spec.volume->snapshot.empty())
    return "exactly one of spec.volume.persistentVolumeClaim and spec.volume.volumeSnapshot must "
           "be given";
  if (spec.pod && spec.pod->directory.empty() == spec.pod->command.empty())
    return "exactly one of spec.pod.directory and spec.pod.command must be given";
  if (spec.pod && !spec.pod->directory.empty() && spec.pod->directory.front() != '/')
    return "spec.pod.directory must be an absolute path";
  return "";
}

std::string of_backup(const DataMove::Spec& spec) {
  if (spec.follow && !follow_interval(spec))
    return fmt::format(
        "spec.follow.interval: {} is not a duration of a second or more, such as 5m "
        "or 1h",
        spec.follow->interval);
  return of_tags("spec.tags", spec.tags);
}

std::string of_restore(const DataMove::Spec& spec) {
  if (spec.snapshot.empty())
    return "spec.snapshot must say which snapshot of the repository is restored";
  if (spec.follow) return "spec.follow is for backups";
  if (!spec.tags.empty()) return "spec.tags is for backups";
  if (spec.volume && !spec.volume->snapshot.empty())
    return "a VolumeSnapshot cannot be restored into: name a claim";
  return "";
}

}  // namespace

std::string objection(const DataMove::Spec& spec) {
  if (std::string wrong = of_source(spec); !wrong.empty()) return wrong;
  return spec.direction == Direction::Backup ? of_backup(spec) : of_restore(spec);
}

}  // namespace holdfast::protect

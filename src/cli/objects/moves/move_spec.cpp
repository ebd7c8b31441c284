#include "objects/moves/move_spec.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/moves.h>
#include <holdfast/cli/words.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using protect::DataMove;

struct Source {
  enum class Kind { Claim, Snapshot, Pod } kind = Kind::Claim;
  std::string name{};
};

Result<Source> parse_source(const std::string& text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return Source{Source::Kind::Claim, text};
  const std::string kind = to_lower(std::string_view(text).substr(0, slash));
  Source out{Source::Kind::Claim, text.substr(slash + 1)};
  const std::string_view plain = std::string_view(kind).substr(0, kind.find('.'));
  if (plain == "pod" || plain == "pods" || plain == "po")
    out.kind = Source::Kind::Pod;
  else if (plain == "volumesnapshot" || plain == "volumesnapshots" || plain == "vs")
    out.kind = Source::Kind::Snapshot;
  else if (plain != "persistentvolumeclaim" && plain != "persistentvolumeclaims" && plain != "pvc")
    return Error(Fault::Invalid,
                 fmt::format("{}: nothing that can be moved", holdfast::quoted(text)))
        .with_hint("name a claim, volumesnapshot/NAME, or pod/NAME with --directory or a command");
  if (out.name.empty() || out.name.find('/') != out.name.npos)
    return Error(Fault::Invalid,
                 fmt::format("{}: no name after the slash", holdfast::quoted(text)));
  return out;
}

Result<void> set_ends(const MoveFlags& flags, DataMove::Spec& spec) {
  const Source source = HF_TRY(parse_source(flags.volume));
  const bool pod = source.kind == Source::Kind::Pod;
  const bool folder = !flags.directory.empty(), command = !flags.command.empty();
  if (pod && folder == command)
    return Error(Fault::Invalid, "a pod's data is that of --directory, or of a command after --");
  if (!pod && (folder || command))
    return Error(Fault::Invalid,
                 fmt::format("{} is of a pod: pod/NAME", folder ? "--directory" : "a command"));
  if (pod)
    spec.pod = DataMove::Pod{source.name, flags.container, flags.directory, flags.command};
  else if (source.kind == Source::Kind::Snapshot)
    spec.volume = DataMove::Volume{.snapshot = source.name};
  else
    spec.volume = DataMove::Volume{.claim = source.name};
  if (!flags.location.empty())
    spec.location = HF_TRY(parse_reference("--location", flags.location));
  return ok();
}

Result<DataMove> move_of(const MoveFlags& flags, DataMove::Direction direction,
                         std::string_view limit_flag) {
  DataMove move;
  move.spec.direction = direction;
  move.spec.snapshot = flags.snapshot;
  move.spec.backoff_limit = flags.backoff_limit;
  if (!flags.follow.empty()) {
    HF_TRY(parse_duration("--follow", flags.follow));
    move.spec.follow = DataMove::Follow{flags.follow};
  }
  HF_TRY(set_ends(flags, move.spec));
  if (!flags.limit.empty()) {
    const uint64_t rate = HF_TRY(parse_size(limit_flag, flags.limit));
    if (rate == 0)
      return Error(Fault::Invalid,
                   fmt::format("{} {}: nothing would move", limit_flag, flags.limit))
          .with_hint("leave it out for no limit");
    move.spec.limits = DataMove::Limits{int64_t(rate)};
  }
  return move;
}

}  // namespace

Result<protect::Reference> parse_reference(std::string_view flag, std::string_view text) {
  const size_t slash = text.find('/');
  protect::Reference out;
  out.name = slash == text.npos ? text : text.substr(slash + 1);
  if (slash != text.npos) out.ns = text.substr(0, slash);
  const bool empty_part = out.name.empty() || (slash != text.npos && out.ns.empty());
  if (empty_part || out.name.find('/') != out.name.npos)
    return Error(Fault::Invalid, fmt::format("{} {}: neither NAME nor NAMESPACE/NAME", flag,
                                             holdfast::quoted(text)));
  return out;
}

Result<DataMove> backup_move(const MoveFlags& flags) {
  return move_of(flags, DataMove::Direction::Backup, "--limit-upload");
}

Result<DataMove> restore_move(const MoveFlags& flags) {
  return move_of(flags, DataMove::Direction::Restore, "--limit-download");
}

}  // namespace holdfast::cli

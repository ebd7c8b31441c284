#include <holdfast/cli/moves.h>
#include <holdfast/cli/restoring.h>
#include <holdfast/cli/words.h>
#include <holdfast/model/time.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {

void add_restore_flags(CLI::App& command, RestoreFlags& flags) {
  command.add_option("--into", flags.into, "namespace; default: the original one");
  command.add_option("--conflict", flags.conflict, "policy for existing claims")
      ->check(CLI::IsMember({"Fail", "Rename", "Replace"}))
      ->capture_default_str();
  command.add_option("--suffix", flags.suffix, "suffix for Rename; default: -restored");
  command
      .add_option("--storage-class", flags.storage_classes,
                  "OLD=NEW: a class of the backup by its name here; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--yes", flags.yes, "with --conflict Replace: carry it out");
}

Result<std::map<std::string, std::string>> parse_classes(const std::vector<std::string>& flags) {
  std::map<std::string, std::string> out;
  for (const std::string& each : flags) {
    const size_t equals = each.find('=');
    if (equals == each.npos || equals == 0 || equals + 1 == each.size())
      return Error(Fault::Invalid, fmt::format("--storage-class {}: not OLD=NEW", each));
    out[each.substr(0, equals)] = each.substr(equals + 1);
  }
  return out;
}

void add_source_flags(CLI::App& command, SourceFlags& flags, const SourceWords& words) {
  command.add_option("--from", flags.subject,
                     fmt::format("in place of {}: the {}, NAME or NAMESPACE/NAME, of a backup that "
                                 "a repository holds",
                                 words.object, words.noun));
  command.add_option("--location", flags.location, "with --from; default: the default location");
  command.add_option("--id", flags.id, "with --from: id of the backup; default: the newest");
  command.add_option("--before", flags.before,
                     "with --from: the newest that is not younger: 2026-01-02T03:04:05Z, or "
                     "2026-01-02 03:04:05 of this machine");
  command.add_option("--repository", flags.repository,
                     "with --from: NAMESPACE or ADMINS.NAMESPACE, the repository; another than "
                     "the namespace's own only for admins");
  command.add_option(std::string(words.into), flags.made,
                     "with --from: name of the new object; default: generated");
}

Result<bool> names_source(const SourceFlags& flags, std::string_view object,
                          const SourceWords& words) {
  if (flags.subject.empty() == object.empty())
    return Error(Fault::Invalid,
                 fmt::format("name {}, or a {} with --from", words.object, words.noun))
        .with_hint(fmt::format("{0}, or {0} --location NAME, shows them", words.list));
  if (flags.subject.empty() &&
      !(flags.location + flags.id + flags.before + flags.repository + flags.made).empty())
    return Error(
        Fault::Invalid,
        fmt::format("--location, --id, --before, --repository and {} are of --from", words.into));
  return !flags.subject.empty();
}

std::string subject_of(const SourceFlags& flags, const std::string& ns) {
  const bool whole = flags.subject.find('/') != flags.subject.npos;
  return whole ? flags.subject : fmt::format("{}/{}", ns, flags.subject);
}

Result<std::string> before_of(const SourceFlags& flags) {
  if (flags.before.empty() || model::parse_rfc3339(flags.before)) return flags.before;
  return model::to_rfc3339(HF_TRY(parse_local_time("--before", flags.before)));
}

Result<std::optional<protect::Reference>> location_of(const SourceFlags& flags) {
  if (flags.location.empty()) return std::optional<protect::Reference>();
  return std::optional(HF_TRY(parse_reference("--location", flags.location)));
}

}  // namespace holdfast::cli

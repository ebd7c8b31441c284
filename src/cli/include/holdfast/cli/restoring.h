/// The flags of commands that bring claims back from a backup, as what a driver's kinds ask for: by
/// an object that is there, or out of a repository that alone knows of it.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/model/fields.h>
#include <holdfast/protect/types.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

struct RestoreFlags {
  std::string into{}, conflict = "Fail", suffix{};
  std::vector<std::string> storage_classes{};  ///< OLD=NEW
  bool yes = false;
  /// Claims are taken away: it needs --yes.
  bool replaces() const { return conflict == "Replace"; }
};
void add_restore_flags(CLI::App& command, RestoreFlags& flags);

Result<std::map<std::string, std::string>> parse_classes(const std::vector<std::string>& flags);

/// A driver's own wish of a restore: `ns`, `conflict` with the words Fail, Rename and Replace,
/// `suffix` and `storage_classes`. Invalid names the flag.
template <class Restore>
Result<Restore> restore_of(const RestoreFlags& flags) {
  Restore out;
  out.ns = flags.into;
  const auto conflict = model::from_word<decltype(Restore::conflict)>(flags.conflict);
  if (!conflict)
    return Error(Fault::Invalid,
                 "--conflict " + flags.conflict + ": not one of Fail, Rename, Replace");
  if (!flags.suffix.empty() && flags.conflict != "Rename")
    return Error(Fault::Invalid, "--suffix is of --conflict Rename");
  out.conflict = *conflict;
  out.suffix = flags.suffix;
  out.storage_classes = HF_TRY(parse_classes(flags.storage_classes));
  return out;
}

/// A backup that only its repository knows.
struct SourceFlags {
  std::string subject{};   ///< what was backed up: NAME, of the namespace, or NAMESPACE/NAME
  std::string location{};  ///< NAME or NAMESPACE/NAME; "" = the default one
  std::string id{}, before{};
  std::string repository{};  ///< whose it is; "" = the namespace's
  std::string made{};        ///< name of the object that is made to bring it back
};
/// A driver's words for it.
struct SourceWords {
  std::string_view noun{};    ///< what was backed up: "group"
  std::string_view object{};  ///< the argument in whose place it is named: "ACTION"
  std::string_view into{};    ///< the flag with the name of the new object: "--into-action"
  std::string_view list{};    ///< the command that shows them
};
void add_source_flags(CLI::App& command, SourceFlags& flags, const SourceWords& words);

/// Whether it is a source that is named, or `object`. Invalid if it is both or neither.
Result<bool> names_source(const SourceFlags& flags, std::string_view object,
                          const SourceWords& words);

/// NAMESPACE/NAME of what was backed up.
std::string subject_of(const SourceFlags& flags, const std::string& ns);
/// RFC 3339, or "".
Result<std::string> before_of(const SourceFlags& flags);
/// Nothing: the default one.
Result<std::optional<protect::Reference>> location_of(const SourceFlags& flags);

/// A driver's own source, but for its subject: `location`, `id`, `ns` and `before`.
template <class Source>
Result<Source> source_of(const SourceFlags& flags) {
  Source out;
  out.location = HF_TRY(location_of(flags));
  out.id = flags.id;
  out.ns = flags.repository;
  out.before = HF_TRY(before_of(flags));
  return out;
}

}  // namespace holdfast::cli

/// The kinds that a server serves, and their names: plural, singular, short name, category or kind,
/// with a group after a dot where two share a name.
#pragma once

#include <holdfast/kube/client.h>

#include <string>
#include <vector>

namespace holdfast::cli {

struct Served {
  std::string group{}, version{}, plural{}, singular{}, kind{};
  std::vector<std::string> short_names{}, categories{}, verbs{};
  bool namespaced = true;
  bool preferred = true;  ///< of its group's versions

  /// Lives as long as this.
  kube::Resource resource() const { return {group, version, plural, kind, namespaced}; }
  /// "pod", "datamove.holdfast.dev": what stands before the slash of a name.
  std::string prefix() const;
};

class Catalogue {
 public:
  /// From the answers of /api and /apis, in the order in which names are looked for. Invalid if one
  /// of them is no APIGroupDiscoveryList.
  static Result<Catalogue> read(const std::vector<model::Value>& lists);
  static kube::Reply<Catalogue> ask(kube::Client& client);

  /// All that a word means: one kind, or those of a category. In kubectl's words: `the server
  /// doesn't have a resource type "x"`.
  Result<std::vector<const Served*>> find(std::string_view word) const;
  /// In the very version.
  bool has(const kube::Resource& kind) const;
  const std::vector<Served>& all() const { return all_; }

 private:
  const Served* one(std::string_view name, std::string_view version, std::string_view group) const;
  std::vector<Served> all_;
};

/// What one argument, or a pair of them, asks for.
struct Wanted {
  std::string kind{};
  std::string name{};  ///< "" = all of that kind
  bool operator==(const Wanted&) const = default;
};

/// `pods`, `pods,services`, `pod web db`, `pod/web service/web`; kubectl's rules and words.
Result<std::vector<Wanted>> read_wanted(const std::vector<std::string>& words);

}  // namespace holdfast::cli

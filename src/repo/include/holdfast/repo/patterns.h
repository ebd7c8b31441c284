/// restic's patterns of paths.
///
///   *.o           a name anywhere            /home/*/tmp   from the root on
///   a/b           these two in a row         **            any number of folders
///   !keep.o       takes back what an earlier pattern chose
/// Components are compared as Go's filepath.Match does: * ? [a-z] [^a-z] and \ before a character.
#pragma once

#include <holdfast/base/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::repo {

class Patterns {
 public:
  /// Invalid names the pattern that is none.
  static Result<Patterns> parse(const std::vector<std::string>& texts, bool ignore_case);

  bool empty() const { return patterns_.empty(); }
  /// The path, or a folder it lies in, is chosen.
  bool match(std::string_view path) const;
  /// Something below this folder may be chosen.
  bool match_below(std::string_view folder) const;

 private:
  struct Pattern {
    std::vector<std::string> parts{};
    bool rooted = false, negated = false;
  };
  std::vector<Pattern> patterns_;
  bool ignore_case_ = false;
};

/// Go's filepath.Match of one component.
bool component_matches(std::string_view pattern, std::string_view name);

}  // namespace holdfast::repo

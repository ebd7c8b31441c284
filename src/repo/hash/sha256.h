/// SHA-256 of several buffers at once. One stream leaves half of the SHA unit idle; two fill it.
#pragma once

#include <holdfast/repo/id.h>

#include <memory>
#include <span>
#include <string_view>

namespace holdfast::repo {

/// ids[i] = SHA-256(buffers[i]). The same on every machine; faster where the processor has SHA
/// instructions.
void hash_all(std::span<const std::string_view> buffers, std::span<Id> ids);
Id hash(std::string_view bytes);

/// A hash that is fed piece by piece, while others are computed beside it. Cheap to make.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  RunningHash(const RunningHash&) = delete;
  RunningHash& operator=(const RunningHash&) = delete;

  /// `piece` continues what was fed before, and ids[i] = SHA-256(buffers[i]).
  void feed(std::string_view piece, std::span<const std::string_view> buffers = {},
            std::span<Id> ids = {});
  Id finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// For tests: without the processor's help.
void hash_all_portably(std::span<const std::string_view> buffers, std::span<Id> ids);
bool has_sha_instructions();

}  // namespace holdfast::repo

/// JSON reader for a repository's files, without a DOM: members and items are visited once, in
/// their order. simdjson stays behind this door.
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace holdfast::repo {

/// Valid only inside the call that hands it over. Every failure is Corrupt.
class JsonValue {
 public:
  explicit JsonValue(void* value) : value_(value) {}
  Result<std::string> text();
  Result<uint64_t> number();
  Result<bool> boolean();
  /// The JSON text of the value as it stands.
  Result<std::string> raw();
  Result<void> each(const std::function<Result<void>(JsonValue)>& item);
  /// A member that is null is not there, as Go has it; rustic writes such.
  Result<void> members(const std::function<Result<void>(std::string_view key, JsonValue)>& member);

 private:
  void* value_;
};

/// The whole text must be one object or list.
Result<void> read_json(std::string_view text, const std::function<Result<void>(JsonValue)>& root);

}  // namespace holdfast::repo

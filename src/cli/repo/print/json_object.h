/// One JSON object written member by member: lines of `--json`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

class JsonObject {
 public:
  JsonObject() = default;
  /// Goes on with an object that is there already, as text.
  explicit JsonObject(std::string object);

  /// Bytes that are not UTF-8 become U+FFFD, as Go has it.
  JsonObject& text(std::string_view key, std::string_view value);
  JsonObject& number(std::string_view key, uint64_t value);
  JsonObject& real(std::string_view key, double value);
  JsonObject& flag(std::string_view key, bool value);
  JsonObject& texts(std::string_view key, const std::vector<std::string>& values);
  JsonObject& raw(std::string_view key, std::string_view json);
  std::string take();

 private:
  void key(std::string_view name);
  std::string out_ = "{";
};

/// With quotes.
std::string json_text(std::string_view value);
/// "[a,b]" of items that are JSON.
std::string json_list(const std::vector<std::string>& items);
/// The same JSON with a line for each member, so many spaces deeper at each level; as it is if that
/// would be many times longer.
std::string indented(std::string_view json, size_t spaces = 2);

}  // namespace holdfast::cli

// What goes to a mover and comes back from it, as text.
#include <holdfast/base/bytes.h>
#include <holdfast/model/field_text.h>
#include <holdfast/protect/mover.h>

namespace holdfast::protect {
namespace {

constexpr size_t kBlock = 64;  // of SHA-256

std::string hmac(std::string key, std::string_view text) {
  if (key.size() > kBlock) key = sha256(key);
  key.resize(kBlock, '\0');
  std::string inner = key, outer = key;
  for (char& c : inner) c = char(c ^ 0x36);
  for (char& c : outer) c = char(c ^ 0x5c);
  return sha256(outer + sha256(inner + std::string(text)));
}

}  // namespace

std::string to_text(const MoveTask& task) { return model::fields_to_json(task); }
Result<MoveTask> parse_move_task(std::string_view json) {
  return model::fields_from_json<MoveTask>(json);
}
std::string to_text(const MoveReport& report) { return model::fields_to_json(report); }
Result<MoveReport> parse_move_report(std::string_view json) {
  return model::fields_from_json<MoveReport>(json);
}

std::string derived_password(std::string_view location_password, std::string_view ns) {
  return hex(hmac(std::string(location_password), "holdfast.dev/repository/" + std::string(ns)));
}

}  // namespace holdfast::protect

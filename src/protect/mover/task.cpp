// Task and result of a mover, as text.
#include <holdfast/base/bytes.h>
#include <holdfast/base/hmac.h>
#include <holdfast/model/field_text.h>
#include <holdfast/protect/mover.h>

namespace holdfast::protect {

std::string to_text(const MoveTask& task) { return model::fields_to_json(task); }
Result<MoveTask> parse_move_task(std::string_view json) {
  return model::fields_from_json<MoveTask>(json);
}
std::string to_text(const MoveReport& report) { return model::fields_to_json(report); }
Result<MoveReport> parse_move_report(std::string_view json) {
  return model::fields_from_json<MoveReport>(json);
}

std::string derived_password(std::string_view location_password, std::string_view ns) {
  return hex(hmac_sha256(location_password, "holdfast.dev/repository/" + std::string(ns)));
}

}  // namespace holdfast::protect

// Task and result of an upkeep pod, as text.
#include <holdfast/model/field_text.h>
#include <holdfast/protect/upkeep.h>

namespace holdfast::protect {

std::string to_text(const UpkeepTask& task) { return model::fields_to_json(task); }
Result<UpkeepTask> parse_upkeep_task(std::string_view json) {
  return model::fields_from_json<UpkeepTask>(json);
}
std::string to_text(const UpkeepReport& report) { return model::fields_to_json(report); }
Result<UpkeepReport> parse_upkeep_report(std::string_view json) {
  return model::fields_from_json<UpkeepReport>(json);
}

}  // namespace holdfast::protect

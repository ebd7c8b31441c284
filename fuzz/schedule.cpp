// Cron expressions that people wrote. What parses names times that come after the one asked for, on
// the full minute, each later than the one before.
#include <holdfast/base/result.h>
#include <holdfast/protect/schedule.h>

using namespace holdfast;
using namespace std::chrono_literals;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // "EXPRESSION⏎ZONE"
  const size_t line = text.find('\n');
  const std::string_view zone =
      line == std::string_view::npos ? std::string_view() : text.substr(line + 1);
  const auto schedule = protect::Schedule::parse(text.substr(0, line), zone);
  if (!schedule) return 0;
  WallTime at = WallTime(1772000000s);
  for (int i = 0; i < 3; ++i) {
    const auto next = schedule->next(at);
    if (!next) return 0;
    HF_CHECK(*next > at);
    if (text.find("@every") == std::string_view::npos)
      HF_CHECK(*next == std::chrono::floor<std::chrono::minutes>(*next));
    at = *next;
  }
  return 0;
}

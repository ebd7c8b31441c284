#include <holdfast/base/log.h>
#include <holdfast/base/text.h>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace holdfast::log {
namespace {

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::Debug:
      return spdlog::level::debug;
    case Level::Info:
      return spdlog::level::info;
    case Level::Warn:
      return spdlog::level::warn;
    case Level::Error:
      return spdlog::level::err;
    case Level::Off:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> stderr_logger = [] {
    auto made = spdlog::stderr_color_mt("holdfast");
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%fZ %^%l%$ %v", spdlog::pattern_time_type::utc);
    return made;
  }();
  return *stderr_logger;
}

}  // namespace

void set_level(Level level) { logger().set_level(spdlog_level(level)); }

void write(Level level, std::string_view message) {
  if (!logger().should_log(spdlog_level(level))) return;
  // It may repeat what a bucket, a pod or a tenant's object said.
  const std::string shown = harmless_line(message);
  logger().log(spdlog_level(level), spdlog::string_view_t(shown.data(), shown.size()));
}

}  // namespace holdfast::log

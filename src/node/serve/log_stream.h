/// A container's log as `kubectl logs` asks for it: a stream that may follow.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/net/http.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::node {

struct LogOptions {
  bool follow = false, timestamps = false;
  std::optional<WallTime> since{};
  std::optional<int64_t> tail_lines{}, limit_bytes{};
  std::string stream = "All";  ///< All, Stdout, Stderr
};
/// From the query of the request; Invalid names the parameter.
Result<LogOptions> read_log_options(const net::Query& query, WallTime now);

/// One line of a log file (shim/log_file.h); nothing if it is none.
struct LogLine {
  std::string_view time, stream, text;
  bool whole = true;
};
std::optional<LogLine> parse_log_line(std::string_view line);

/// `file` is the log of one run; its rotated predecessors FILE.1 … are read before it. `ended` says
/// that nothing more will come.
std::shared_ptr<net::BodyStream> open_log(std::filesystem::path file, LogOptions options,
                                          std::function<bool()> ended);

}  // namespace holdfast::node

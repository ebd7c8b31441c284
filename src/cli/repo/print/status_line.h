/// Status line: its words, and the line on a terminal that is written over.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::cli {

struct Pace {
  uint64_t done = 0, all = 0;  ///< bytes; all = 0: not known
  double per_second = 0;
  std::optional<std::chrono::seconds> left{};
};

/// "34.1%"
std::string percent(uint64_t done, uint64_t all);
/// "34.1%  1.2 GiB of 4.0 GiB, " + details + ", 250.0 MiB/s, ETA 0:12"; details may be empty.
std::string pace_text(const Pace& pace, const std::string& details);

/// On standard error; written over on a terminal, a line of its own otherwise.
class StatusLine {
 public:
  StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine() { clear(); }

  bool terminal() const { return terminal_; }
  void show(std::string line);
  /// Takes the line away, so that something else can be written.
  void clear();

 private:
  const bool terminal_;
  bool shown_ = false;
};

}  // namespace holdfast::cli

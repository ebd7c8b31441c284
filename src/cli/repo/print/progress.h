/// Progress of a long verb: one line on a terminal that is written over, or lines of JSON.
#pragma once

#include "repo/print/status_line.h"
#include "repo/session.h"

#include <deque>
#include <optional>

namespace holdfast::cli {

class Progress {
 public:
  explicit Progress(Session& session);

  /// Whether it ever says anything.
  bool speaks() const { return every_ != MonoTime(); }
  /// Whether it is time to say something again; asked before each of the following.
  bool due();
  /// "[0:05] 34.1%  1.2 GiB of 4.0 GiB, " + details + ", 250.0 MiB/s, ETA 0:12"
  void bytes(uint64_t done, uint64_t all, const std::string& details);
  /// "[0:05] 34.1%  3 of 9 packs"
  void items(uint64_t done, uint64_t all, const std::string& noun);
  /// Takes the line away, so that something else can be written.
  void clear() { line_.clear(); }

  std::chrono::duration<double> elapsed() const;
  /// In whole seconds; nothing while it cannot be said.
  std::optional<std::chrono::seconds> remaining(uint64_t done, uint64_t all) const;

 private:
  void show(const std::string& text);
  double rate(uint64_t done);

  Session& session_;
  StatusLine line_{};
  const MonoTime start_;
  MonoTime every_{}, last_{};
  std::deque<std::pair<MonoTime, uint64_t>> lately_{};  ///< what the rate is taken from
};

}  // namespace holdfast::cli

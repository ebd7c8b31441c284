/// Output of a verb: results to standard output, remarks and troubles to standard error.
#pragma once

#include <holdfast/base/result.h>

#include "repo/settings.h"

namespace holdfast::cli {

class Output {
 public:
  explicit Output(const Settings& settings);

  bool json() const { return json_; }
  bool quiet() const { return quiet_; }
  int verbose() const { return verbose_; }

  /// A line of the result.
  void line(std::string_view text);
  /// Bytes of the result as they are.
  Result<void> bytes(std::string_view bytes);
  /// Text of the repository: as it is for a file or a program, harmless for a terminal.
  Result<void> as_stored(std::string_view text);
  /// A line for people; not with --quiet or --json.
  void remark(std::string_view text);
  void warn(std::string_view text);
  /// Ends the run: what went wrong, and the way out.
  void fail(const Error& error, int code);

  /// A name from a repository; on a terminal without what could steer it.
  std::string shown(const std::string& name) const;
  /// Nobody reads the results any more.
  bool closed() const { return closed_; }

 private:
  bool json_, quiet_, terminal_;
  int verbose_;
  bool closed_ = false;
};

}  // namespace holdfast::cli

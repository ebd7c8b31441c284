/// A container's log as the field's tools read it (CRI): one line per line of output, cut at 16
/// KiB,
///
///   2026-11-16T05:21:29.000123Z stdout F the line
///   2026-11-16T05:21:29.000124Z stderr P what has no line end, or not yet
///
/// A file that has grown past its bound becomes FILE.1, that one FILE.2, …; the oldest goes.
#pragma once

#include <holdfast/base/clock.h>

#include "shim/descriptors.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace holdfast::node {

class LogFile {
 public:
  LogFile(std::filesystem::path file, int64_t max_bytes, int64_t max_files)
      : path_(std::move(file)), max_bytes_(max_bytes), max_files_(max_files) {}
  /// Goes on behind what is there.
  Result<void> open();

  /// One output of the container; what came without a line end waits for it.
  class Stream {
   public:
    Stream(LogFile& file, std::string_view name) : file_(file), name_(name) {}
    void add(std::string_view bytes, WallTime now);
    /// Writes out what waits.
    void end(WallTime now);

   private:
    LogFile& file_;
    std::string_view name_;
    std::string open_line_;
  };

  static constexpr size_t kLineBound = size_t(16) << 10;

 private:
  void write(std::string_view stream, char tag, std::string_view line, WallTime now);
  /// A full disk loses lines of the log, never the container.
  void flush();
  void rotate();

  std::filesystem::path path_;
  int64_t max_bytes_, max_files_;
  int64_t size_ = 0;
  Fd fd_;
  std::string pending_;
};

}  // namespace holdfast::node

#include "shim/log_file.h"

#include <holdfast/model/time.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::node {

Result<void> LogFile::open() {
  fd_ = Fd(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640));
  if (!fd_) return system_error("open the log " + path_.string(), errno);
  struct stat facts {};
  size_ = fstat(fd_.get(), &facts) == 0 ? facts.st_size : 0;
  return {};
}

void LogFile::Stream::add(std::string_view bytes, WallTime now) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const size_t room = kLineBound - open_line_.size();
    const size_t take = std::min(end == std::string_view::npos ? bytes.size() : end, room);
    open_line_ += bytes.substr(0, take);
    bytes.remove_prefix(take);
    const bool whole = !bytes.empty() && bytes.front() == '\n';
    if (!whole && open_line_.size() < kLineBound) break;
    if (whole) bytes.remove_prefix(1);
    file_.write(name_, whole ? 'F' : 'P', open_line_, now);
    open_line_.clear();
  }
  file_.flush();
}

void LogFile::Stream::end(WallTime now) {
  if (!open_line_.empty()) file_.write(name_, 'P', open_line_, now);
  open_line_.clear();
  file_.flush();
}

void LogFile::write(std::string_view stream, char tag, std::string_view line, WallTime now) {
  fmt::format_to(std::back_inserter(pending_), "{} {} {} ", model::to_rfc3339_micro(now), stream,
                 tag);
  pending_ += line;
  pending_ += '\n';
  if (size_ + int64_t(pending_.size()) >= max_bytes_) {
    flush();
    rotate();
  }
}

void LogFile::flush() {
  std::string_view rest = pending_;
  while (!rest.empty() && fd_) {
    const ssize_t wrote = ::write(fd_.get(), rest.data(), rest.size());
    if (wrote <= 0) break;
    size_ += wrote;
    rest.remove_prefix(size_t(wrote));
  }
  pending_.clear();
}

void LogFile::rotate() {
  const auto numbered = [this](int64_t number) {
    return fmt::format("{}.{}", path_.string(), number);
  };
  std::error_code ignored;  // a rename that fails lets this file grow on
  for (int64_t number = max_files_ - 2; number >= 1; --number)
    std::filesystem::rename(numbered(number), numbered(number + 1), ignored);
  std::filesystem::rename(path_, numbered(1), ignored);
  if (max_files_ < 2) std::filesystem::remove(numbered(1), ignored);
  static_cast<void>(open());
}

}  // namespace holdfast::node

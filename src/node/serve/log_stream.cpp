#include "serve/log_stream.h"

#include <holdfast/base/files.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/sleep.h>
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>

#include "shim/descriptors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <thread>

namespace holdfast::node {
namespace {

using namespace std::chrono_literals;

constexpr size_t kPiece = size_t(64) << 10, kMostAtOnce = size_t(256) << 10;
constexpr auto kLook = 100ms;

Result<int64_t> number_of(std::string_view name, std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    return Error(Fault::Invalid,
                 fmt::format("{}: must be a number that is not negative, is \"{}\"", name, text));
  return value;
}

bool truth(std::string_view text) { return text == "true" || text == "1"; }

/// The files of a run, oldest first.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& file) {
  std::vector<std::filesystem::path> files = {file};
  for (int number = 1; std::filesystem::exists(fmt::format("{}.{}", file.string(), number));
       ++number)
    files.insert(files.begin(), fmt::format("{}.{}", file.string(), number));
  return files;
}

class LogStream final : public net::BodyStream {
 public:
  LogStream(std::filesystem::path file, LogOptions options, std::function<bool()> ended)
      : file_(std::move(file)),
        options_(std::move(options)),
        ended_(std::move(ended)),
        left_(options_.limit_bytes) {
    if (options_.tail_lines) skip_to_tail(*options_.tail_lines);
    bool begun = start_file_.empty();
    for (const std::filesystem::path& each : files_of(file_)) {
      if (!begun && each != start_file_) continue;
      Fd fd(::open(each.c_str(), O_RDONLY | O_CLOEXEC));
      if (!begun) lseek(fd.get(), start_at_, SEEK_SET);
      begun = true;
      queue_.push_back(std::move(fd));
    }
    if (options_.follow)
      looker_ = std::jthread([this](const std::stop_token& stop) { look(stop); });
  }

  State read(std::string& out) override {
    const size_t before = out.size();
    while (out.size() - before < kMostAtOnce) {
      if (left_ && *left_ <= 0) return State::End;
      const bool last = options_.follow && ended_();
      if (read_piece(out)) continue;
      if (out.size() > before) return State::Ready;
      if (!options_.follow || last) return State::End;
      return State::Idle;
    }
    return State::Ready;
  }

  void set_waker(std::function<void()> waker) override {
    const Lock lock(mutex_);
    waker_ = std::move(waker);
  }

 private:
  /// Wakes the reader now and then: it looks itself whether there is more.
  void look(const std::stop_token& stop) {
    const Sleep pause = sleep_until_stopped();
    while (!stop.stop_requested()) {
      pause(kLook, stop);
      std::function<void()> waker;
      {
        const Lock lock(mutex_);
        waker = waker_;
      }
      if (waker) waker();
    }
  }

  /// Counts lines from the end, so that gigabytes before them are not read.
  void skip_to_tail(int64_t lines) {
    int64_t wanted = lines;
    std::vector<std::filesystem::path> files = files_of(file_);
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
      const Fd fd(::open(file->c_str(), O_RDONLY | O_CLOEXEC));
      struct stat facts {};
      if (!fd || fstat(fd.get(), &facts) != 0) continue;
      off_t at = facts.st_size;
      std::string piece;
      while (at > 0 && wanted >= 0) {
        const size_t size = size_t(std::min<off_t>(at, off_t(kPiece)));
        piece.resize(size);
        at -= off_t(size);
        if (pread(fd.get(), piece.data(), size, at) != ssize_t(size)) break;
        for (size_t i = size; i-- > 0 && wanted >= 0;) {
          if (piece[i] != '\n') continue;
          // The newline that ends the file ends the last line; the one before the wanted lines ends
          // the search.
          if (wanted == 0) {
            start_file_ = *file;
            start_at_ = at + off_t(i) + 1;
          }
          --wanted;
        }
      }
      if (wanted < 0) break;
    }
    if (lines == 0) nothing_ = true;
  }

  bool read_piece(std::string& out) {
    if (!current_ && !next_file()) return false;
    char bytes[kPiece];
    const ssize_t got = ::read(current_.get(), bytes, sizeof bytes);
    if (got > 0) {
      add(std::string_view(bytes, size_t(got)), out);
      return true;
    }
    if (!queue_.empty()) {
      current_.reset();
      return true;
    }
    return options_.follow && rotated();
  }

  bool next_file() {
    while (!queue_.empty()) {
      current_ = std::move(queue_.front());
      queue_.erase(queue_.begin());
      if (current_) return true;
    }
    if (options_.follow) current_ = Fd(::open(file_.c_str(), O_RDONLY | O_CLOEXEC));
    return bool(current_);
  }

  /// Whether the file that is written now is another than the one that was read to its end.
  bool rotated() {
    struct stat here {
    }, there{};
    if (fstat(current_.get(), &here) != 0 || ::stat(file_.c_str(), &there) != 0 ||
        here.st_ino == there.st_ino)
      return false;
    Fd next(::open(file_.c_str(), O_RDONLY | O_CLOEXEC));
    if (!next) return false;
    current_ = std::move(next);
    return true;
  }

  void add(std::string_view bytes, std::string& out) {
    open_line_ += bytes;
    size_t at = 0;
    for (size_t end = 0; (end = open_line_.find('\n', at)) != std::string::npos; at = end + 1)
      add_line(std::string_view(open_line_).substr(at, end - at), out);
    open_line_.erase(0, at);
  }

  void add_line(std::string_view raw, std::string& out) {
    const std::optional<LogLine> line = parse_log_line(raw);
    if (!line || nothing_) return;
    if (options_.stream == "Stdout" && line->stream != "stdout") return;
    if (options_.stream == "Stderr" && line->stream != "stderr") return;
    if (options_.since) {
      const std::optional<WallTime> time = model::parse_rfc3339(line->time);
      if (time && *time < *options_.since) return;
    }
    std::string text;
    if (options_.timestamps && !inside_line_) text = std::string(line->time) + " ";
    text += line->text;
    if (line->whole) text += '\n';
    inside_line_ = !line->whole;
    if (left_ && int64_t(text.size()) > *left_) text.resize(size_t(std::max<int64_t>(0, *left_)));
    if (left_) *left_ -= int64_t(text.size());
    out += text;
  }

  const std::filesystem::path file_;
  const LogOptions options_;
  const std::function<bool()> ended_;
  std::optional<int64_t> left_;
  std::vector<Fd> queue_;
  Fd current_;
  std::string open_line_;
  bool inside_line_ = false, nothing_ = false;
  std::filesystem::path
      start_file_;  ///< where the wanted tail begins; empty: at the beginning of all
  off_t start_at_ = 0;
  Mutex mutex_;
  std::function<void()> waker_ HF_GUARDED_BY(mutex_);
  std::jthread looker_;
};

}  // namespace

Result<LogOptions> read_log_options(const net::Query& query, WallTime now) {
  LogOptions options;
  for (const auto& [name, value] : query) {
    if (name == "follow") options.follow = truth(value);
    if (name == "timestamps") options.timestamps = truth(value);
    if (name == "tailLines") options.tail_lines = HF_TRY(number_of(name, value));
    if (name == "limitBytes") options.limit_bytes = HF_TRY(number_of(name, value));
    if (name == "stream" && !value.empty()) options.stream = value;
    if (name == "sinceSeconds") {
      const int64_t seconds = HF_TRY(number_of(name, value));
      options.since = now - std::chrono::seconds(seconds);
    }
    if (name == "sinceTime") {
      options.since = model::parse_rfc3339(value);
      if (!options.since)
        return Error(Fault::Invalid, fmt::format("sinceTime: \"{}\" is no RFC 3339 time", value));
    }
  }
  return options;
}

std::optional<LogLine> parse_log_line(std::string_view line) {
  LogLine out;
  const size_t first = line.find(' ');
  const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos || second + 2 > line.size()) return std::nullopt;
  const char tag = line[second + 1];
  if ((tag != 'F' && tag != 'P') || (line.size() > second + 2 && line[second + 2] != ' '))
    return std::nullopt;
  out.time = line.substr(0, first);
  out.stream = line.substr(first + 1, second - first - 1);
  out.text = line.size() > second + 3 ? line.substr(second + 3) : "";
  out.whole = tag == 'F';
  return out;
}

std::shared_ptr<net::BodyStream> open_log(std::filesystem::path file, LogOptions options,
                                          std::function<bool()> ended) {
  return std::make_shared<LogStream>(std::move(file), std::move(options), std::move(ended));
}

}  // namespace holdfast::node

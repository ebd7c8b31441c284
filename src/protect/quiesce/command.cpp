#include "quiesce/command.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

constexpr size_t kLongestLine = 16384;
constexpr size_t kMostLines = 256;
constexpr size_t kErrorTail = 512;
/// Of a command that prints without end: so much is taken in one look.
constexpr int kMostEvents = 64;

}  // namespace

bool RunningCommand::take(MonoTime until) {
  if (over_) return false;
  std::optional<kube::ExecSession::Event> event = session_->next(until);
  if (!event) return false;
  switch (event->kind) {
    case kube::ExecSession::Event::Kind::End:
      over_ = true;
      break;
    case kube::ExecSession::Event::Kind::Errors:
      errors_ += event->data;
      if (errors_.size() > kErrorTail) errors_.erase(0, errors_.size() - kErrorTail);
      break;
    case kube::ExecSession::Event::Kind::Output:
      for (const char c : event->data) {
        if (c != '\n') {
          if (partial_.size() < kLongestLine) partial_ += c;
          continue;
        }
        if (lines_.size() < kMostLines) lines_.push_back(partial_);
        partial_.clear();
      }
      break;
  }
  return true;
}

std::optional<std::string> RunningCommand::line(MonoTime until) {
  while (lines_.empty())
    if (!take(until)) return std::nullopt;
  std::string out = std::move(lines_.front());
  lines_.pop_front();
  return out;
}

bool RunningCommand::ended(MonoTime until) {
  while (!over_) {
    lines_.clear();
    if (!take(until)) break;
  }
  return over_;
}

bool RunningCommand::alive() {
  for (int i = 0; i < kMostEvents && take(MonoTime(0)); ++i) continue;
  return !over_;
}

void RunningCommand::tell(std::string_view line) {
  // A session that is over says so by its end.
  static_cast<void>(session_->write(std::string(line) + "\n"));
}

void RunningCommand::end_input() {
  if (session_->can_end_input()) static_cast<void>(session_->end_input());
}

void RunningCommand::release() {
  if (over_) return;
  if (!session_->can_end_input() || !session_->end_input()) session_->close();
}

std::string RunningCommand::how_it_ended() const {
  if (!over_) return "it has not ended";
  const kube::ExecEnd& end = session_->end();
  const std::string said(trim(errors_));
  if (found_no_shell()) return "the container has no /bin/sh";
  if (!end.code) return end.message.empty() ? "its end is not known" : end.message;
  if (said.empty()) return fmt::format("exit code {}", *end.code);
  return fmt::format("exit code {}: {}", *end.code, said);
}

}  // namespace holdfast::protect

// The session of a command with a trailer. It holds back what may be the trailer's beginning, which
// is never more than a line, and gives it out when it turns out to be output.
#include <holdfast/base/walls.h>
#include <holdfast/control/sabotage.h>
#include <holdfast/protect/trailer.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <utility>

namespace holdfast::protect {
namespace {

using Kind = kube::ExecSession::Event::Kind;

/// Of CODE, BYTES and what stands between them.
constexpr size_t kLongestRest = 32;

struct Trailer {
  uint8_t code = 0;
  std::optional<uint64_t> bytes{};
};

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number out{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

/// Of what stands after the nonce.
std::optional<Trailer> trailer_in(std::string_view rest) {
  if (!rest.ends_with('\n')) return std::nullopt;
  rest.remove_suffix(1);
  const size_t space = rest.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  const auto code = number_in<uint8_t>(rest.substr(0, space));
  const std::string_view count = rest.substr(space + 1);
  const auto bytes = number_in<uint64_t>(count);
  if (!code || (!bytes && count != "-")) return std::nullopt;
  return Trailer{*code, bytes};
}

class TrailedSession final : public kube::ExecSession {
 public:
  TrailedSession(std::unique_ptr<kube::ExecSession> session, Counted counted,
                 std::string_view nonce)
      : session_(std::move(session)),
        counted_(counted),
        mark_(fmt::format("HOLDFAST END {} ", nonce)) {}

  std::optional<Event> next(MonoTime until) override {
    while (!over_) {
      std::optional<Event> event = session_->next(until);
      if (!event || event->kind == Kind::Errors) return event;
      if (event->kind == Kind::End) {
        over_ = true;
        end_ = end_of(session_->end());
        break;
      }
      take(std::move(event->data));
      if (std::string out = let_go(held_.size() - kept()); !out.empty())
        return Event{Kind::Output, std::move(out)};
    }
    if (held_.empty()) return Event{Kind::End};
    return Event{Kind::Output, let_go(held_.size())};
  }

  const kube::ExecEnd& end() const override { return end_; }
  Result<void> write(std::string_view bytes) override {
    Result<void> written = session_->write(bytes);
    if (written) written_ += bytes.size();
    return written;
  }
  Result<void> end_input() override { return session_->end_input(); }
  bool can_end_input() const override { return session_->can_end_input(); }
  Result<void> resize(int columns, int rows) override { return session_->resize(columns, rows); }
  void close() override { session_->close(); }

 private:
  void take(std::string bytes) {
    held_ = held_.empty() ? std::move(bytes) : held_ + bytes;
    const auto* found =
        static_cast<const char*>(memmem(held_.data(), held_.size(), mark_.data(), mark_.size()));
    if (found == nullptr) return;
    const std::string_view after =
        std::string_view(held_).substr(size_t(found - held_.data()) + mark_.size());
    const size_t line = after.find('\n') + 1;
    passed_ = passed_ || (line > 0 && line < after.size() && trailer_in(after.substr(0, line)));
  }
  /// The first `size` bytes of what is held: they are output.
  std::string let_go(size_t size) {
    std::string rest = held_.substr(size);
    held_.resize(size);
    came_ += size;
    return std::exchange(held_, std::move(rest));
  }

  /// How much of what is held may be the trailer.
  size_t kept() const {
    const size_t most = std::min(held_.size(), mark_.size() + kLongestRest);
    for (size_t size = most; size > 0; --size)
      if (may_begin(std::string_view(held_).substr(held_.size() - size))) return size;
    return 0;
  }
  bool may_begin(std::string_view text) const {
    if (text.size() <= mark_.size()) return std::string_view(mark_).starts_with(text);
    if (!text.starts_with(mark_)) return false;
    text.remove_prefix(mark_.size());
    if (text.ends_with('\n')) text.remove_suffix(1);
    return text.find_first_not_of("0123456789 -") == std::string_view::npos;
  }
  std::optional<Trailer> held_trailer() const {
    if (held_.size() <= mark_.size() || !held_.starts_with(mark_)) return std::nullopt;
    return trailer_in(std::string_view(held_).substr(mark_.size()));
  }

  /// Why the trailer, if there is one, does not show the whole; "" if it does.
  std::string missing(const std::optional<Trailer>& trailer, const kube::ExecEnd& told) const {
    if (!trailer && passed_)
      return "its output went on after its trailer: a process that it left behind writes on";
    if (!trailer)
      return fmt::format(
          "the stream ended after {} bytes of output, without its trailer{}{}",
          came_ + held_.size(), told.message.empty() && !told.code ? "" : ": ",
          told.code ? fmt::format("the server alone says that it ended with {}", *told.code)
                    : told.message);
    if (told.code && *told.code != 0 && *told.code != trailer->code)
      return fmt::format("its trailer says that it ended with {}, the server with {}",
                         trailer->code, *told.code);
    const uint64_t seen = counted_ == Counted::Input ? written_.load() : came_;
    if (counted_ == Counted::Nothing || !trailer->bytes || *trailer->bytes == seen) return "";
    return counted_ == Counted::Input
               ? fmt::format("{} of the {} bytes of its input reached it", *trailer->bytes, seen)
               : fmt::format("{} of the {} bytes of its output came", seen, *trailer->bytes);
  }

  kube::ExecEnd end_of(const kube::ExecEnd& told) {
    const std::optional<Trailer> trailer = held_trailer();
    const std::string why = missing(trailer, told);
    if (trailer) held_.clear();
    if (!why.empty() && (control::sabotage().no_trailer || !wall_stands("command trailer")))
      return told;
    if (!why.empty())
      return {.message = "its end was not seen, so it may still run: " + why,
              .status = told.status};
    kube::ExecEnd end{.code = trailer->code, .status = told.status};
    if (trailer->code != 0)
      end.message = fmt::format("command terminated with exit code {}", trailer->code);
    return end;
  }

  const std::unique_ptr<kube::ExecSession> session_;
  const Counted counted_;
  const std::string mark_;  ///< the trailer up to its code
  std::string held_{};      ///< not given out yet
  kube::ExecEnd end_{};
  uint64_t came_ = 0;  ///< of the output, and given out
  std::atomic<uint64_t> written_{0};
  bool passed_ = false;  ///< there was a trailer, and it was not the last
  bool over_ = false;
};

}  // namespace

std::unique_ptr<kube::ExecSession> until_trailer(std::unique_ptr<kube::ExecSession> session,
                                                 Counted counted, std::string_view nonce) {
  return std::make_unique<TrailedSession>(std::move(session), counted, nonce);
}

}  // namespace holdfast::protect

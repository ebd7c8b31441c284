#include "operators/feed.h"

#include <algorithm>

namespace holdfast::sim {
namespace {

// The object of an event line, by its uid: enough to know two events of one object.
std::string_view uid_in(std::string_view line) {
  constexpr std::string_view kMember = "\"uid\":\"";
  // The object's own uid stands in its metadata after those of its owners, if it has any: they
  // are alike in both lines, so all of them together serve as well.
  const size_t at = line.rfind(kMember);
  if (at == std::string_view::npos) return {};
  return line.substr(at, line.find('"', at + kMember.size()) - at);
}

std::string_view name_in(std::string_view line) {
  const size_t at = line.find("\"name\":\"");
  return at == std::string_view::npos ? "" : line.substr(at, line.find('"', at + 8) - at);
}

bool is_change(std::string_view line) { return line.find("\"type\":\"MODIFIED\"") == 1; }

constexpr std::string_view kExpired =
    R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},)"
    R"("status":"Failure","message":"too old resource version","reason":"Expired","code":410}})"
    "\n";

}  // namespace

Feed::Feed(kube::Informers::Entry& entry, Wire& wire, const Network& network, const Life& life,
           const ManualClock& clock)
    : entry_(entry),
      wire_(wire),
      network_(network),
      life_(life),
      clock_(clock),
      name_("feed " + entry.informer->scope().text()) {}

Feed::~Feed() {
  if (stream_ != nullptr) stream_->set_waker({});
}

std::optional<MonoTime> Feed::due() {
  if (life_.dead) return std::nullopt;
  std::optional<MonoTime> due;
  if (stream_ == nullptr)
    due = again_;
  else if (broken_ || expired_)
    due = MonoTime{};
  else if (*woken_ || !inbox_.empty() || ended_)
    due = delayed_until_;
  if (due) due = std::max(*due, life_.paused_until);
  return due;
}

void Feed::step() {
  if (stream_ == nullptr) return begin();
  if (broken_) {
    inbox_.clear();
    return close({});
  }
  if (expired_) {
    expired_ = false;
    inbox_.assign(1, std::string(kExpired));
    return deliver();
  }
  if (*woken_) pull();
  if (clock_.mono() < coalesced_until_) coalesce();
  if (!inbox_.empty()) return deliver();
  if (ended_) close({});
}

void Feed::begin() {
  kube::Reflector::Next next = entry_.reflector->next(clock_.mono());
  if (next.what == kube::Reflector::Next::Do::Wait) {
    again_ = next.until;
    return;
  }
  again_ = MonoTime{};
  Result<net::Response> answer = wire_.call(next.call);
  if (life_.dead) return;
  if (next.what == kube::Reflector::Next::Do::List)
    return entry_.reflector->listed(answer, clock_.mono());
  if (!answer || answer->stream == nullptr) return entry_.reflector->ended(answer, clock_.mono());
  stream_ = answer->stream;
  ended_ = broken_ = expired_ = false;
  half_.clear();
  // A server that lags behind with its lists lags behind with its watches too.
  if (network_.lists_lag(plural())) delay_until(network_.lag_ends(plural()));
  *woken_ = true;
  stream_->set_waker([woken = woken_] { *woken = true; });
}

void Feed::pull() {
  *woken_ = false;
  const net::BodyStream::State state = stream_->read(half_);
  // More may be there than one read gives.
  if (state == net::BodyStream::State::Ready) *woken_ = true;
  if (state == net::BodyStream::State::End) ended_ = true;
  size_t from = 0;
  for (size_t end; (end = half_.find('\n', from)) != std::string::npos; from = end + 1)
    inbox_.push_back(half_.substr(from, end + 1 - from));
  half_.erase(0, from);
}

void Feed::coalesce() {
  while (inbox_.size() > 1 && is_change(inbox_[0]) && is_change(inbox_[1]) &&
         uid_in(inbox_[0]) == uid_in(inbox_[1]) && name_in(inbox_[0]) == name_in(inbox_[1]))
    inbox_.pop_front();
}

void Feed::deliver() {
  const std::string line = std::move(inbox_.front());
  inbox_.pop_front();
  bool useful = entry_.reflector->received(line, clock_.mono());
  if (useful && clock_.mono() < duplicated_until_)
    useful = entry_.reflector->received(line, clock_.mono());
  if (!useful) close({});
}

void Feed::close(const net::Response& answer) {
  stream_->set_waker({});
  stream_ = nullptr;
  inbox_.clear();
  ended_ = broken_ = expired_ = false;
  *woken_ = false;
  again_ = MonoTime{};
  entry_.reflector->ended(answer, clock_.mono());
}

void Feed::drop() { broken_ = stream_ != nullptr; }
void Feed::expire() { expired_ = stream_ != nullptr; }

bool Feed::caught_up() const { return stream_ != nullptr && !*woken_ && inbox_.empty() && !ended_; }

}  // namespace holdfast::sim

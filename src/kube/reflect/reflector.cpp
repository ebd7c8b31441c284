#include <holdfast/kube/reflector.h>

#include "reflect/state.h"

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

constexpr std::string_view kMetadataVersion = "meta.k8s.io/v1";
constexpr MonoTime kShortWatch = std::chrono::seconds(1);

std::string_view api_version_of(const Scope& scope, std::string& storage) {
  if (scope.metadata_only) return kMetadataVersion;
  storage = scope.resource.api_version();
  return storage;
}

ObjectReader reader_for(const Scope& scope) {
  std::string storage;
  return {api_version_of(scope, storage),
          scope.metadata_only ? "PartialObjectMetadata" : scope.resource.kind};
}

}  // namespace

Reflector::State::State(Informer& to_fill, Random& chance, std::string agent)
    : informer(to_fill),
      random(chance),
      user_agent(std::move(agent)),
      reader(reader_for(to_fill.scope())) {}

void Reflector::State::set_trouble(std::string text, int code) {
  const Lock lock(mutex);
  trouble = {std::move(text), code};
}

void Reflector::State::pause(MonoTime now, std::string why, std::chrono::seconds at_least,
                             int code) {
  const bool by_person = code == 401 || code == 403 || code == 404;
  paused_away = code >= 500 && at_least.count() == 0;
  pause_by(code >= 500 ? when_away
           : by_person ? when_refused
                       : when_senseless,
           now, std::move(why), at_least, code);
}

void Reflector::State::pause_alone(MonoTime now, std::string why) {
  paused_away = true;
  pause_by(when_away, now, std::move(why), {}, 0);
}

void Reflector::State::pause_by(Backoff& backoff, MonoTime now, std::string why,
                                std::chrono::seconds at_least, int code) {
  set_trouble(fmt::format("{}: {}", informer.scope().text(), why), code);
  paused_until = now + std::max<MonoTime>(backoff.next(now, random), at_least);
}

void Reflector::State::relist() {
  mode = can_stream ? Mode::Streaming : Mode::Listing;
  refused_in_a_row = 0;
  begin_list();
}

Reflector::Reflector(Informer& informer, Random& random, std::string user_agent)
    : state_(std::make_unique<State>(informer, random, std::move(user_agent))) {}
Reflector::~Reflector() = default;

Reflector::Trouble Reflector::trouble() const {
  const Lock lock(state_->mutex);
  return state_->trouble;
}

int Reflector::lists() const { return state_->lists; }

void Reflector::hurry(MonoTime now) {
  if (state_->paused_away) state_->paused_until = std::min(state_->paused_until, now);
}

bool Reflector::is_away(MonoTime now) const {
  return state_->paused_away && now < state_->paused_until;
}

Reflector::Next Reflector::next(MonoTime now) {
  State& state = *state_;
  if (now < state.paused_until) return {Next::Do::Wait, state.paused_until, {}};
  if (state.mode == State::Mode::Listing) return {Next::Do::List, {}, state.list_call()};
  state.opened = now;
  state.line.clear();
  state.refusal.reset();
  state.defect.clear();
  return {Next::Do::Watch, {}, state.watch_call()};
}

void Reflector::listed(const Result<net::Response>& answer, MonoTime now) {
  if (!answer) return state_->pause_alone(now, "list: " + answer.error().what());
  state_->list_answered(*answer, now);
}

void Reflector::ended(const Result<net::Response>& answer, MonoTime now) {
  State& state = *state_;
  const bool streaming = state.mode == State::Mode::Streaming;
  std::optional<Refusal> refusal = std::exchange(state.refusal, std::nullopt);
  std::chrono::seconds wait{};
  if (answer && answer->status >= 300) {
    refusal = read_refusal(answer->status, answer->body);
    wait = retry_after(*answer);
  }
  state.line = {};
  if (refusal && streaming) return state.stream_refused(*refusal, wait, now);
  if (refusal) return state.watch_refused(*refusal, wait, now);
  state.watch_closed(answer, now);
}

void Reflector::State::stream_refused(const Refusal& refused, std::chrono::seconds wait,
                                      MonoTime now) {
  begin_list();
  if (refused.code == 400 || refused.code == 422) {
    // It knows no streamed lists; it will not learn them while we live.
    can_stream = false;
    mode = Mode::Listing;
    return;
  }
  const bool asked_for_version = version != 0 && !version_gone;
  if (asked_for_version && (refused.expired() || refused.version_too_large)) {
    version_gone = true;
    return;
  }
  pause(now, fmt::format("streamed list: {} {}", refused.code, refused.message), wait,
        refused.code);
}

void Reflector::State::watch_refused(const Refusal& refused, std::chrono::seconds wait,
                                     MonoTime now) {
  constexpr int kEnough = 5;
  if (refused.expired()) return relist();
  // The cache is still right up to its version: a list would only add to the server's trouble. But
  // what a server keeps refusing at this version it may allow at another.
  pause(now, fmt::format("watch: {} {}", refused.code, refused.message), wait, refused.code);
  if (++refused_in_a_row >= kEnough) relist();
}

void Reflector::State::watch_closed(const Result<net::Response>& answer, MonoTime now) {
  const bool streaming = mode == Mode::Streaming;
  if (streaming) begin_list();
  if (!defect.empty()) {
    if (!streaming) relist();
    return pause(now, "watch: " + std::exchange(defect, {}));
  }
  if (streaming && answer) {
    // The server took sendInitialEvents for none of its business.
    can_stream = false;
    mode = Mode::Listing;
  }
  const bool brief = now - opened < kShortWatch;
  if (!answer && (brief || streaming)) return pause_alone(now, "watch: " + answer.error().what());
  if (brief) return pause(now, "watch: ended within a second");
  // The server ends watches after some minutes by design: no trouble, and no pause.
}

}  // namespace holdfast::kube

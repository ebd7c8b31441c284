// Recorder: sends Events to the server.
//
//   record ─┬─ new note ──────────────→ create   NAMESPACE/NAME.MICROS(hex)
//           └─ same note, ≤6 min ago ─→ count it; the first repeat is patched at once
//                                         series {count, lastObservedTime}
//                                       later ones when the series has rested or gone on for 6 min
#include <holdfast/control/events.h>
#include <holdfast/model/time.h>

#include "events/note_text.h"

#include <fmt/format.h>

namespace holdfast::control {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostUnsent = 1000;
constexpr size_t kMostSeries = 4096;
constexpr std::chrono::microseconds kSeriesRest = 6min;
constexpr std::chrono::microseconds kTryAgain = 5s;
constexpr int kTries = 3;

}  // namespace

struct EventRecorder::Body {
  struct Series {
    std::string ns, name;
    int64_t count = 1;
    WallTime last_seen{};
    MonoTime seen{};      ///< the last repeat
    MonoTime written{};   ///< what the server knows is from then
    bool unsent = false;  ///< repeats that the server does not know of
    bool queued = false;  ///< a patch is among the unsent
  };
  using SeriesKey = std::string;
  struct Unsent {
    SeriesKey series;
    model::Value event;  ///< null: a patch of the series
    int tries = 0;
    MonoTime not_before{};
  };

  kube::Client& client;
  const Clock& clock;
  const std::string instance;
  mutable Mutex mutex{};
  std::deque<Unsent> unsent HF_GUARDED_BY(mutex){};
  std::map<SeriesKey, Series> series HF_GUARDED_BY(mutex){};
  size_t dropped HF_GUARDED_BY(mutex) = 0;
  Fence fence HF_GUARDED_BY(mutex) = Fence::open();
  bool core_events HF_GUARDED_BY(mutex) = false;  ///< the server has no events.k8s.io
  std::function<void()> waker HF_GUARDED_BY(mutex){};

  Body(kube::Client& through, const Clock& time, std::string name)
      : client(through), clock(time), instance(std::move(name)) {}

  void push(Unsent entry) HF_REQUIRES(mutex) {
    if (unsent.size() >= kMostUnsent) {
      forget(unsent.front());
      unsent.pop_front();
      ++dropped;
    }
    unsent.push_back(std::move(entry));
  }

  /// An event that never reached the server has no series to add to.
  void forget(const Unsent& entry) HF_REQUIRES(mutex) {
    if (!entry.event.is_null()) series.erase(entry.series);
    if (const auto found = series.find(entry.series); found != series.end())
      found->second.queued = false;
  }

  void repeat(const SeriesKey& key, Series& known, WallTime now, MonoTime mono) HF_REQUIRES(mutex) {
    ++known.count;
    known.last_seen = now;
    known.seen = mono;
    known.unsent = true;
    if (known.count == 2 && !known.queued) {
      known.queued = true;
      push({key, {}, 0, mono});
    }
  }

  void begin(const SeriesKey& key, std::string_view controller, const kube::Resource& resource,
             const kube::Cached& about, const Note& note, WallTime now, MonoTime mono)
      HF_REQUIRES(mutex) {
    if (series.size() >= kMostSeries) series.erase(series.begin());
    model::Value event = new_event(controller, instance, resource, about, note, now);
    Series fresh;
    fresh.ns = model::string_at(event, {"metadata", "namespace"});
    fresh.name = model::string_at(event, {"metadata", "name"});
    fresh.last_seen = now;
    fresh.seen = fresh.written = mono;
    series[key] = std::move(fresh);
    push({key, std::move(event), 0, mono});
  }

  /// Series that rest, or that have gone on unwritten for long, are written; those at rest end.
  void tend(MonoTime now) HF_REQUIRES(mutex) {
    for (auto at = series.begin(); at != series.end();) {
      Series& one = at->second;
      const bool rests = now - one.seen >= kSeriesRest;
      if (one.unsent && !one.queued && (rests || now - one.written >= kSeriesRest)) {
        one.queued = true;
        push({at->first, {}, 0, now});
      }
      at = rests && !one.unsent && !one.queued ? series.erase(at) : std::next(at);
    }
  }

  std::optional<MonoTime> due_locked() const HF_REQUIRES(mutex) {
    std::optional<MonoTime> first;
    const auto sooner = [&first](MonoTime at) {
      if (!first || at < *first) first = at;
    };
    for (const Unsent& entry : unsent) sooner(entry.not_before);
    for (const auto& [key, one] : series)
      if (one.unsent && !one.queued) sooner(std::min(one.seen, one.written) + kSeriesRest);
    return first;
  }

  kube::Reply<model::Value> send(const Unsent& entry, const Series& of, bool core) {
    const kube::Resource& resource = core ? kube::kCoreEvents : kube::kEvents;
    if (!entry.event.is_null())
      return client.create(resource, of.ns, core ? as_core_event(entry.event) : entry.event);
    return client.patch(resource, of.ns, of.name, kube::PatchType::Merge,
                        series_patch(of.count, of.last_seen));
  }
};

EventRecorder::EventRecorder(kube::Client& client, const Clock& clock, std::string instance)
    : body_(std::make_unique<Body>(client, clock, std::move(instance))) {}
EventRecorder::~EventRecorder() = default;

void EventRecorder::record(std::string_view controller, const kube::Resource& resource,
                           const kube::Cached& about, const Note& note) {
  const std::string key =
      fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", controller, resource.text(), about.uid(),
                  note.warning, note.reason, note.message, note.action, note.field);
  const WallTime now = body_->clock.now();
  const MonoTime mono = body_->clock.mono();
  std::function<void()> waker;
  {
    const Lock lock(body_->mutex);
    const auto known = body_->series.find(key);
    if (known != body_->series.end() && mono - known->second.seen < kSeriesRest)
      body_->repeat(key, known->second, now, mono);
    else
      body_->begin(key, controller, resource, about, note, now, mono);
    waker = body_->waker;
  }
  if (waker) waker();
}

std::optional<MonoTime> EventRecorder::due() const {
  const Lock lock(body_->mutex);
  return body_->due_locked();
}

void EventRecorder::step() {
  const MonoTime now = body_->clock.mono();
  Body::Unsent entry;
  Body::Series of;
  bool core = false;
  {
    const Lock lock(body_->mutex);
    body_->tend(now);
    const auto ready = std::find_if(body_->unsent.begin(), body_->unsent.end(),
                                    [now](const auto& one) { return one.not_before <= now; });
    if (ready == body_->unsent.end()) return;
    entry = std::move(*ready);
    body_->unsent.erase(ready);
    const auto found = body_->series.find(entry.series);
    if (found == body_->series.end()) return;  // dropped meanwhile
    found->second.queued = false;
    of = found->second;
    core = body_->core_events;
    if (!body_->fence.ask(now, body_->client.settings().timeout).granted) {
      body_->forget(entry);
      ++body_->dropped;
      return;
    }
  }
  const kube::Reply<model::Value> answer = body_->send(entry, of, core);
  const Lock lock(body_->mutex);
  const auto found = body_->series.find(entry.series);
  if (answer || answer.error().already_exists()) {
    if (found == body_->series.end()) return;
    found->second.written = now;
    // A created event says nothing of repeats, however many came before it was sent.
    const int64_t told = entry.event.is_null() ? of.count : 1;
    found->second.unsent = found->second.count != told;
    return;
  }
  const kube::Failure& failure = answer.error();
  // A path that nobody serves has no details; an object that is gone names itself.
  if (!core && failure.not_found() && !entry.event.is_null() && is_unserved(failure.status)) {
    body_->core_events = true;
    body_->push(std::move(entry));
    return;
  }
  if (failure.error.transient() && ++entry.tries < kTries) {
    entry.not_before = now + kTryAgain * entry.tries;
    if (entry.event.is_null() && found != body_->series.end()) found->second.queued = true;
    body_->push(std::move(entry));
    return;
  }
  body_->forget(entry);
  if (entry.event.is_null()) body_->series.erase(entry.series);
  ++body_->dropped;
}

size_t EventRecorder::dropped() const {
  const Lock lock(body_->mutex);
  return body_->dropped;
}

void EventRecorder::send_behind(Fence fence) {
  const Lock lock(body_->mutex);
  body_->fence = std::move(fence);
}

void EventRecorder::set_waker(std::function<void()> waker) {
  const Lock lock(body_->mutex);
  body_->waker = std::move(waker);
}

}  // namespace holdfast::control

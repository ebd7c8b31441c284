/// The informers of a process and, in production, a thread for each of their reflectors.
#include <holdfast/kube/informers.h>

#include <fmt/format.h>
#include <pthread.h>

namespace holdfast::kube {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kStack = size_t(2) << 20;  // their frames are several times as large
#else
constexpr size_t kStack = size_t(256) << 10;
#endif

/// How well a scope answers for a whole namespace; 0 = not at all.
int coverage(const Scope& scope, const Resource& resource, std::string_view ns) {
  if (!(scope.resource == resource) || (!scope.ns.empty() && scope.ns != ns)) return 0;
  const bool all = scope.label_selector.empty() && scope.field_selector.empty();
  return 1 + (scope.metadata_only ? 0 : 1) + (all ? 2 : 0);
}

}  // namespace

struct Informers::Threads {
  Threads(net::Client& to_ask, const Clock& time, std::function<void()> tell)
      : transport(to_ask), clock(time), on_synced(std::move(tell)) {}

  struct Reflecting {
    Threads* threads = nullptr;
    Entry* entry = nullptr;
    pthread_t thread{};
    bool told = false;  ///< that it is synced
  };

  void run(Reflecting& mine);
  /// True if it was cut short: somebody got an answer.
  bool wait_until(MonoTime until, uint64_t seen) HF_EXCLUDES(mutex);
  uint64_t answers_seen() HF_EXCLUDES(mutex);
  void answered() HF_EXCLUDES(mutex);
  void tell_if_synced(Reflecting& mine) HF_EXCLUDES(mutex);
  bool stopping() const { return stop.stop_requested(); }

  net::Client& transport;
  const Clock& clock;
  const std::function<void()> on_synced;
  std::stop_source stop;
  Mutex mutex;
  CondVar changed;  ///< an informer has synced, the server answers again, or all is to stop
  std::atomic<bool> some_away{false};
  uint64_t answers HF_GUARDED_BY(mutex) = 0;  ///< that came while some waited for one
  std::vector<std::unique_ptr<Reflecting>> reflecting;
};

bool Informers::Threads::wait_until(MonoTime until, uint64_t seen) {
  const Lock lock(mutex);
  while (!stopping() && answers == seen && clock.mono() < until)
    changed.wait_for(mutex, until - clock.mono());
  return answers != seen;
}

uint64_t Informers::Threads::answers_seen() {
  const Lock lock(mutex);
  return answers;
}

void Informers::Threads::answered() {
  if (!some_away.exchange(false)) return;
  const Lock lock(mutex);
  ++answers;
  changed.notify_all();
}

void Informers::Threads::tell_if_synced(Reflecting& mine) {
  if (mine.told || !mine.entry->informer->synced()) return;
  mine.told = true;
  {
    const Lock lock(mutex);
    changed.notify_all();
  }
  if (on_synced) on_synced();
}

void Informers::Threads::run(Reflecting& mine) {
  Reflector& reflector = *mine.entry->reflector;
  while (!stopping()) {
    const uint64_t seen = answers_seen();
    Reflector::Next next = reflector.next(clock.mono());
    next.call.stop = stop.get_token();
    if (next.what == Reflector::Next::Do::Wait) {
      if (reflector.is_away(clock.mono())) some_away = true;
      if (wait_until(next.until, seen)) reflector.hurry(clock.mono());
    } else if (next.what == Reflector::Next::Do::List) {
      const auto answer = transport.call(next.call);
      if (answer && answer->status < 500) answered();
      if (!stopping()) reflector.listed(answer, clock.mono());
    } else {
      const auto answer = transport.stream(next.call, [&](std::string_view bytes) {
        answered();
        const bool go_on = reflector.received(bytes, clock.mono());
        tell_if_synced(mine);
        return go_on && !stopping();
      });
      if (!stopping()) reflector.ended(answer, clock.mono());
    }
    tell_if_synced(mine);
  }
}

Informers::Informers(Random& random, std::string user_agent)
    : random_(random), user_agent_(std::move(user_agent)) {}

Informers::~Informers() { stop(); }

Informer& Informers::of(const Scope& scope) {
  for (const auto& entry : entries_)
    if (entry->informer->scope() == scope) return *entry->informer;
  HF_CHECK(threads_ == nullptr);
  auto entry = std::make_unique<Entry>();
  entry->informer = std::make_unique<Informer>(scope);
  entry->reflector = std::make_unique<Reflector>(*entry->informer, random_, user_agent_);
  entries_.push_back(std::move(entry));
  return *entries_.back()->informer;
}

Informer* Informers::covering(const Resource& resource, std::string_view ns) {
  Informer* best = nullptr;
  int best_coverage = 0;
  for (const auto& entry : entries_) {
    const int covers = coverage(entry->informer->scope(), resource, ns);
    if (covers > best_coverage) {
      best = entry->informer.get();
      best_coverage = covers;
    }
  }
  return best;
}

bool Informers::synced() const {
  return std::all_of(entries_.begin(), entries_.end(),
                     [](const auto& entry) { return entry->informer->synced(); });
}

std::vector<std::string> Informers::waiting_for() const {
  std::vector<std::string> waiting;
  for (const auto& entry : entries_) {
    if (entry->informer->synced()) continue;
    const std::string trouble = entry->reflector->trouble().text;
    waiting.push_back(trouble.empty() ? entry->informer->scope().text() : trouble);
  }
  return waiting;
}

Reflector::Trouble Informers::trouble(const Informer& informer) const {
  for (const auto& entry : entries_)
    if (entry->informer.get() == &informer) return entry->reflector->trouble();
  return {};
}

void Informers::start(net::Client& transport, const Clock& clock) {
  HF_CHECK(threads_ == nullptr);
  threads_ = std::make_unique<Threads>(transport, clock, on_synced_);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, kStack);
  for (const auto& entry : entries_) {
    auto mine = std::make_unique<Threads::Reflecting>();
    mine->threads = threads_.get();
    mine->entry = entry.get();
    const auto body = [](void* argument) -> void* {
      auto& reflecting = *static_cast<Threads::Reflecting*>(argument);
      reflecting.threads->run(reflecting);
      return nullptr;
    };
    HF_CHECK(pthread_create(&mine->thread, &small, body, mine.get()) == 0);
    threads_->reflecting.push_back(std::move(mine));
  }
  pthread_attr_destroy(&small);
}

void Informers::hurry() {
  if (threads_ != nullptr) threads_->answered();
}

void Informers::stop() {
  if (threads_ == nullptr) return;
  threads_->stop.request_stop();
  {
    const Lock lock(threads_->mutex);
    threads_->changed.notify_all();
  }
  for (const auto& each : threads_->reflecting) pthread_join(each->thread, nullptr);
  threads_.reset();
}

bool Informers::wait_for_sync(std::chrono::milliseconds limit, const std::stop_token& stop) {
  HF_CHECK(threads_ != nullptr);
  Threads& threads = *threads_;
  const MonoTime end = threads.clock.mono() + limit;
  const std::stop_callback wake(stop, [&threads] {
    const Lock lock(threads.mutex);
    threads.changed.notify_all();
  });
  const Lock lock(threads.mutex);
  while (!synced()) {
    const MonoTime now = threads.clock.mono();
    if (now >= end || stop.stop_requested()) return false;
    threads.changed.wait_for(threads.mutex, end - now);
  }
  return true;
}

}  // namespace holdfast::kube

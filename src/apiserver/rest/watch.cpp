#include "rest/watch.h"

#include <holdfast/model/time.h>

#include "rest/form.h"
#include "tables/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>

namespace holdfast::apiserver {
namespace {

constexpr size_t kChunkBytes = size_t(256) << 10;
constexpr size_t kChangesPerRead = 256;
constexpr std::chrono::seconds kBookmarkEvery{60};
// The real server ends a watch after a random time between these.
constexpr int64_t kMinTimeoutSeconds = 1800;

}  // namespace

class WatchStream final : public net::BodyStream {
 public:
  WatchStream(Api& api, WatchRequest request, Revision from, std::vector<StoredPtr> initial,
              bool announce_end)
      : store_(api.store),
        clock_(api.clock),
        request_(std::move(request)),
        cursor_(from),
        initial_(initial.begin(), initial.end()),
        announce_end_(announce_end),
        start_(from) {
    const int64_t seconds = request_.options.timeout_seconds.value_or(
        kMinTimeoutSeconds + int64_t(api.random.below(uint64_t(kMinTimeoutSeconds))));
    deadline_ = clock_.mono() + std::chrono::seconds(seconds);
    next_bookmark_ = clock_.mono() + kBookmarkEvery;
  }

  State read(std::string& out) override {
    if (ended_) return State::End;
    const size_t before = out.size();
    if (closed_.load()) return finish(out);
    // What the stream starts from must itself be durable.
    if (store_.durable() < start_) return State::Idle;
    send_initial(out);
    while (!ended_ && initial_.empty() && out.size() - before < kChunkBytes && send_changes(out)) {
    }
    if (!ended_ && initial_.empty()) send_bookmark_if_due(out);
    if (ended_ || clock_.mono() >= deadline_) return finish(out);
    return out.size() > before ? State::Ready : State::Idle;
  }

  void set_waker(std::function<void()> waker) override {
    const Lock lock(waker_mutex_);
    waker_ = std::move(waker);
  }

  void wake() {
    std::function<void()> waker;
    {
      const Lock lock(waker_mutex_);
      waker = waker_;
    }
    if (waker) waker();
  }

  void close() {
    closed_.store(true);
    wake();
  }

  bool due(MonoTime now) const { return now >= deadline_ || now >= next_bookmark_.load(); }
  const std::string& resource() const { return request_.resource->storage; }

 private:
  State finish(std::string& out) {
    // A last bookmark lets the client resume where it stopped.
    if (!ended_ && request_.options.bookmarks && sent_anything_after_start_) bookmark(out, false);
    ended_ = true;
    return State::End;
  }

  void send_initial(std::string& out) {
    const size_t before = out.size();
    while (!initial_.empty() && out.size() - before < kChunkBytes) {
      event(out, "ADDED", *initial_.front());
      initial_.pop_front();
    }
    if (initial_.empty() && announce_end_) {
      bookmark(out, true);
      announce_end_ = false;
    }
  }

  bool send_changes(std::string& out) {
    Revision seen = cursor_;
    Result<std::vector<Change>> changes =
        store_.changes(resource(), cursor_, kChangesPerRead, seen);
    if (!changes) {
      const Status gone = model::resource_expired(
          fmt::format("too old resource version: {} ({})", cursor_, store_.oldest()));
      out += "{\"type\":\"ERROR\",\"object\":" + model::to_json(model::to_value(gone)) + "}\n";
      ended_ = true;
      return false;
    }
    const size_t before = out.size();
    for (const Change& change : *changes) send_change(out, change);
    const bool moved = seen > cursor_;
    cursor_ = seen;
    sent_anything_after_start_ = sent_anything_after_start_ || moved;
    return out.size() > before || (moved && !changes->empty());
  }

  bool wanted(const Stored* stored, const Key& key) const {
    if (stored == nullptr) return false;
    if (request_.ns && key.ns != *request_.ns) return false;
    if (!request_.name.empty() && key.name != request_.name) return false;
    return selected(*stored, *request_.resource, request_.options);
  }

  // An object that comes to match is ADDED, one that no longer does is DELETED, whatever happened
  // to it.
  void send_change(std::string& out, const Change& change) {
    const bool was = wanted(change.before.get(), change.key);
    const bool is = change.type != ChangeType::Deleted && wanted(change.object.get(), change.key);
    if (is) return event(out, was ? "MODIFIED" : "ADDED", *change.object);
    if (!was) return;
    if (change.type == ChangeType::Deleted) return event(out, "DELETED", *change.object);
    // Its last matching state, at the revision at which it stopped to match.
    Value last = parse_stored(*change.before);
    event(out, "DELETED", *as_stored(make_draft(last), change.revision));
  }

  void event(std::string& out, std::string_view type, const Stored& stored) {
    render_event(out, type, stored, *request_.resource, request_.view, clock_.now(), first_);
    first_ = false;
  }

  void send_bookmark_if_due(std::string& out) {
    if (!request_.options.bookmarks || clock_.mono() < next_bookmark_.load()) return;
    bookmark(out, false);
  }

  void bookmark(std::string& out, bool initial_end) {
    next_bookmark_ = clock_.mono() + kBookmarkEvery;
    Object metadata{{"resourceVersion", std::to_string(cursor_)}};
    if (initial_end)
      metadata["annotations"] = Object{{"k8s.io/initial-events-end", "true"}};
    else
      metadata["creationTimestamp"] = nullptr;
    Object object{{"kind", request_.resource->kind},
                  {"apiVersion", request_.resource->api_version()},
                  {"metadata", metadata}};
    if (request_.view.form == View::Form::Metadata)
      object["kind"] = "PartialObjectMetadata", object["apiVersion"] = "meta.k8s.io/v1";
    if (request_.view.form == View::Form::Table) {
      object = Object{
          {"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", Object{{"resourceVersion", std::to_string(cursor_)}}},
          {"columnDefinitions", first_ ? Value(table_columns(*request_.resource)) : Value(nullptr)},
          {"rows", Array{Value(Object{
                       {"cells", table_cells(*request_.resource, Value(object), clock_.now())},
                       {"object", Object{{"kind", "PartialObjectMetadata"},
                                         {"apiVersion", "meta.k8s.io/v1"},
                                         {"metadata", metadata}}}})}}};
      first_ = false;
    }
    out += "{\"type\":\"BOOKMARK\",\"object\":" + model::to_json(Value(std::move(object))) + "}\n";
  }

  Store& store_;
  const Clock& clock_;
  const WatchRequest request_;
  Revision cursor_;
  std::deque<StoredPtr> initial_;
  bool announce_end_;
  const Revision start_;
  bool first_ = true;
  bool ended_ = false;
  bool sent_anything_after_start_ = false;
  std::atomic<bool> closed_{false};
  MonoTime deadline_{};
  std::atomic<MonoTime> next_bookmark_{};
  Mutex waker_mutex_;
  std::function<void()> waker_ HF_GUARDED_BY(waker_mutex_);
};

WatchHub::WatchHub(Store& store, const Clock& clock) : store_(store), clock_(clock) {
  store_.on_change([this](const Change& change) { note(change); });
  listener_ = store_.on_durable([this] { wake_changed(); });
}

WatchHub::~WatchHub() { store_.forget_listener(listener_); }

void WatchHub::note(const Change& change) {
  const Lock lock(changed_mutex_);
  Revision& newest = changed_[change.key.resource];
  newest = std::max(newest, change.revision);
}

void WatchHub::wake_changed() {
  std::vector<std::string> resources;
  // Asked before the lock: the store notes changes here while it holds its own.
  const Revision durable = store_.durable();
  {
    const Lock lock(changed_mutex_);
    for (auto it = changed_.begin(); it != changed_.end();) {
      resources.push_back(it->first);
      it = it->second <= durable ? changed_.erase(it) : std::next(it);
    }
  }
  std::vector<std::shared_ptr<WatchStream>> woken;
  {
    const Lock lock(mutex_);
    for (const std::string& resource : resources) {
      const auto found = streams_.find(resource);
      if (found == streams_.end()) continue;
      auto& all = found->second;
      all.erase(
          std::remove_if(all.begin(), all.end(), [](const auto& each) { return each.expired(); }),
          all.end());
      for (const auto& each : all)
        if (auto stream = each.lock()) woken.push_back(std::move(stream));
    }
  }
  for (const auto& stream : woken) stream->wake();
}

void WatchHub::join(const std::shared_ptr<WatchStream>& stream) {
  const Lock lock(mutex_);
  streams_[stream->resource()].push_back(stream);
}

void WatchHub::tick() {
  const MonoTime now = clock_.mono();
  std::vector<std::shared_ptr<WatchStream>> due;
  {
    const Lock lock(mutex_);
    for (auto& [resource, all] : streams_)
      for (const auto& each : all)
        if (auto stream = each.lock(); stream && stream->due(now)) due.push_back(std::move(stream));
  }
  for (const auto& stream : due) stream->wake();
}

void WatchHub::close_all() {
  std::vector<std::shared_ptr<WatchStream>> open_now;
  {
    const Lock lock(mutex_);
    for (auto& [resource, all] : streams_)
      for (const auto& each : all)
        if (auto stream = each.lock()) open_now.push_back(std::move(stream));
  }
  for (const auto& stream : open_now) stream->close();
}

void WatchHub::close_resource(const std::string& resource) {
  std::vector<std::shared_ptr<WatchStream>> open_now;
  {
    const Lock lock(mutex_);
    for (const auto& each : streams_[resource])
      if (auto stream = each.lock()) open_now.push_back(std::move(stream));
    streams_.erase(resource);
  }
  for (const auto& stream : open_now) stream->close();
}

size_t WatchHub::open() const {
  const Lock lock(mutex_);
  size_t count = 0;
  for (const auto& [resource, all] : streams_)
    count += size_t(
        std::count_if(all.begin(), all.end(), [](const auto& each) { return !each.expired(); }));
  return count;
}

Answer<std::shared_ptr<WatchStream>> open_watch(Api& api, WatchRequest request) {
  const ListOptions& options = request.options;
  const bool streaming_list = options.send_initial_events.value_or(false);
  const bool from_state = options.revision == 0 && options.send_initial_events.value_or(true);
  Revision from = options.revision;
  std::vector<StoredPtr> initial;
  if (streaming_list || from_state) {
    Result<Page> page = api.store.list({.resource = request.resource->storage,
                                        .ns = request.ns,
                                        .from_ns = "",
                                        .from_name = "",
                                        .limit = 0,
                                        .at = 0});
    if (!page) return model::internal_error(page.error().what());
    from = page->revision;
    for (StoredPtr& item : page->items)
      if ((request.name.empty() || item->meta.name == request.name) &&
          selected(*item, *request.resource, options))
        initial.push_back(std::move(item));
  } else if (options.revision == 0) {
    from = api.store.current();
  }
  if (options.revision > api.store.current())
    return model::timeout(fmt::format("Too large resource version: {}, current: {}",
                                      options.revision, api.store.current()),
                          1);
  auto stream = std::make_shared<WatchStream>(api, std::move(request), from, std::move(initial),
                                              streaming_list);
  api.watches.join(stream);
  // The hub wakes it for changes of its own resource; the version it begins with may be another's,
  // and not yet durable. One that was taken back is no place to begin: the client lists again.
  api.store.when_durable(from, [weak = std::weak_ptr(stream)](const Result<void>& durable) {
    const auto begun = weak.lock();
    if (begun && durable) begun->wake();
    if (begun && !durable) begun->close();
  });
  return stream;
}

std::shared_ptr<net::BodyStream> as_body(std::shared_ptr<WatchStream> stream) { return stream; }

}  // namespace holdfast::apiserver

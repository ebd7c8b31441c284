/// Random histories, random trouble: the informer ends up equal to the server, and so does a
/// follower of its changes alone.
#include <holdfast/kube/reflector.h>

#include <fmt/format.h>

#include <map>

namespace holdfast::kube {
namespace {

using namespace std::chrono_literals;

/// A server of one resource: a history of changes of which the older part may be compacted.
class History {
 public:
  struct Entry {
    std::string name, uid;
    uint64_t version = 0, value = 0;
    std::string text() const {
      return fmt::format(
          R"({{"metadata":{{"name":"{}","namespace":"n","uid":"{}","resourceVersion":"{}",)"
          R"("managedFields":[]}},"value":{}}})",
          name, uid, version, value);
    }
  };

  void change(Random& random) {
    const std::string name(1, char('a' + random.below(6)));
    auto& state = state_;
    const auto found = state.find(name);
    ++version_;
    if (found == state.end()) {
      const Entry made{name, fmt::format("{}-{}", name, version_), version_, random.below(100)};
      state[name] = made;
      events_[version_] = event("ADDED", made);
    } else if (random.below(3) == 0) {
      Entry last = found->second;
      last.version = version_;
      state.erase(found);
      events_[version_] = event("DELETED", last);
    } else {
      found->second.version = version_;
      found->second.value = random.below(100);
      events_[version_] = event("MODIFIED", found->second);
    }
  }
  void compact() {
    events_.clear();
    compacted_ = version_;
  }

  uint64_t version() const { return version_; }
  bool can_watch_from(uint64_t version) const { return version >= compacted_; }
  const std::map<std::string, Entry>& state() const { return state_; }
  std::string since(uint64_t version) const {
    std::string lines;
    for (auto it = events_.upper_bound(version); it != events_.end(); ++it) lines += it->second;
    return lines;
  }
  std::string bookmark(bool initial) const {
    return fmt::format(
        "{{\"type\":\"BOOKMARK\",\"object\":{{\"metadata\":{{\"resourceVersion\":\"{}\"{}}}}}}}\n",
        version_, initial ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "");
  }
  std::string streamed() const {
    std::string lines;
    for (const auto& [name, entry] : state_) lines += event("ADDED", entry);
    return lines + bookmark(true);
  }
  /// Pages of two; the token says where the next begins and of which version it is.
  std::string page(const std::string& from) const {
    std::string items, next;
    int count = 0;
    for (auto it = state_.upper_bound(from); it != state_.end(); ++it) {
      if (count++ == 2) break;
      items += (items.empty() ? "" : ",") + it->second.text();
      if (count == 2 && std::next(it) != state_.end())
        next = fmt::format("{}@{}", it->first, version_);
    }
    return fmt::format(R"({{"metadata":{{"resourceVersion":"{}","continue":"{}"}},"items":[{}]}})",
                       version_, next, items);
  }

 private:
  static std::string event(std::string_view type, const Entry& entry) {
    return fmt::format("{{\"type\":\"{}\",\"object\":{}}}\n", type, entry.text());
  }
  std::map<std::string, Entry> state_;
  std::map<uint64_t, std::string> events_;
  uint64_t version_ = 1, compacted_ = 0;
};

/// Builds the state from changes alone, and refuses any that does not fit what it has.
class Follower {
 public:
  void apply(const Change& change) {
    const std::string name(change.object().name());
    const auto found = known_.find(name);
    const bool there = found != known_.end();
    switch (change.kind) {
      case Change::Kind::Added:
        EXPECT_FALSE(there) << name << " added twice";
        EXPECT_FALSE(change.before);
        break;
      case Change::Kind::Updated:
        ASSERT_TRUE(there) << name << " updated but never added";
        EXPECT_EQ(change.before.text(), found->second.text());
        EXPECT_EQ(change.before.uid(), change.after.uid());
        EXPECT_NE(change.before.version(), change.after.version());
        break;
      case Change::Kind::Deleted:
        ASSERT_TRUE(there) << name << " deleted but never added";
        EXPECT_EQ(change.before.uid(), found->second.uid());
        EXPECT_TRUE(!change.final_state_unknown || change.before.text() == found->second.text());
        known_.erase(found);
        return;
    }
    known_[name] = change.after;
  }
  const std::map<std::string, Cached>& known() const { return known_; }

 private:
  std::map<std::string, Cached> known_;
};

struct World {
  explicit World(uint64_t seed) : random(seed) {
    informer.on_change([this](const Change& change) { follower.apply(change); });
    streams = random.below(2) == 0;
  }

  static uint64_t number_behind(const std::string& target, std::string_view what) {
    const size_t at = target.find(what);
    return at == std::string::npos ? 0 : std::stoull(target.substr(at + what.size()));
  }
  static std::string status(int code) {
    return fmt::format(R"({{"kind":"Status","code":{},"message":"trouble"}})", code);
  }
  bool unlucky() { return faults && random.below(4) == 0; }
  void live() {
    for (uint64_t i = faults ? random.below(4) : 0; i > 0; --i) history.change(random);
    if (faults && random.below(10) == 0) history.compact();
  }

  void list(const std::string& target) {
    if (unlucky())
      return reflector.listed(Error(Fault::Unavailable, "no connection"), clock.mono());
    const size_t at = target.find("continue=");
    std::string from;
    if (at != std::string::npos) {
      // A page belongs to one version; ours are of the newest only, so a change expires the token.
      const std::string token = net::percent_decode(target.substr(at + 9), false);
      from = token.substr(0, token.find('@'));
      if (token != fmt::format("{}@{}", from, history.version()))
        return reflector.listed(net::Response{.status = 410, .body = status(410)}, clock.mono());
    }
    std::string body = target.find("limit=0") != std::string::npos ? whole() : history.page(from);
    if (unlucky()) body.resize(random.below(body.size() + 1));
    reflector.listed(net::Response{.body = std::move(body)}, clock.mono());
  }
  std::string whole() const {
    std::string items;
    for (const auto& [name, entry] : history.state())
      items += (items.empty() ? "" : ",") + entry.text();
    return fmt::format(R"({{"metadata":{{"resourceVersion":"{}"}},"items":[{}]}})",
                       history.version(), items);
  }

  /// Hands the bytes over in random pieces. False: the reflector wants no more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const size_t size = 1 + random.below(bytes.size());
      if (!reflector.received(bytes.substr(0, size), clock.mono())) return false;
      bytes.remove_prefix(size);
    }
    return true;
  }

  void watch(const std::string& target) {
    const bool initial = target.find("sendInitialEvents") != std::string::npos;
    uint64_t version = number_behind(target, "resourceVersion=");
    const int refused = initial && !streams                            ? 422
                        : !initial && !history.can_watch_from(version) ? 410
                        : unlucky() && random.below(2) == 0            ? 429
                                                                       : 0;
    if (refused != 0)
      return reflector.ended(net::Response{.status = refused, .body = status(refused)},
                             clock.mono());
    std::string first = initial ? history.streamed() : "";
    if (initial) version = history.version();
    if (unlucky()) {
      send(std::string_view(first).substr(0, random.below(first.size() + 1)));
      return reflector.ended(Error(Fault::Unavailable, "cut"), clock.mono());
    }
    bool open = send(first);
    for (int i = 0; open && i < 5; ++i) {
      live();
      if (!history.can_watch_from(version)) break;
      // Now and then the server says again what it has said before.
      const std::string lines = history.since(unlucky() ? 0 : version);
      version = history.version();
      if (unlucky()) {
        send(std::string_view(lines).substr(0, random.below(lines.size() + 1)));
        break;
      }
      open = send(lines);
      if (random.below(3) == 0) open = open && send(history.bookmark(false));
      clock.advance(2s);
      if (unlucky()) break;
    }
    reflector.ended(net::Response{}, clock.mono());
  }

  void step() {
    live();
    const Reflector::Next next = reflector.next(clock.mono());
    if (next.what == Reflector::Next::Do::Wait) {
      clock.advance(next.until - clock.mono());
    } else if (next.what == Reflector::Next::Do::List) {
      list(next.call.target);
    } else {
      watch(next.call.target);
    }
  }

  SeededRandom random;
  ManualClock clock{WallTime{}};
  History history;
  Informer informer{{.resource = kPods}};
  Reflector reflector{informer, random};
  Follower follower;
  bool streams = true, faults = true;
};

TEST(Convergence, InformerAndFollowersEqualTheServerOnceTroubleEnds) {
  int relists = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    World world(seed);
    for (int i = 0; i < 60; ++i) world.step();
    world.faults = false;
    for (int i = 0; i < 10; ++i) world.step();
    relists += world.reflector.lists() - 1;

    ASSERT_TRUE(world.informer.synced());
    ASSERT_EQ(world.informer.progress(), world.history.version());
    ASSERT_EQ(world.informer.size(), world.history.state().size());
    ASSERT_EQ(world.follower.known().size(), world.history.state().size());
    for (const auto& [name, entry] : world.history.state()) {
      const Cached seen = world.informer.get("n", name);
      ASSERT_TRUE(seen) << name;
      EXPECT_EQ(seen.uid(), entry.uid);
      EXPECT_EQ(seen.version(), entry.version);
      EXPECT_EQ(model::int_at(seen.value(), {"value"}, -1), int64_t(entry.value));
      EXPECT_EQ(world.follower.known().at(name).text(), seen.text());
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(relists, 200) << "the trouble was trouble";
}

}  // namespace
}  // namespace holdfast::kube

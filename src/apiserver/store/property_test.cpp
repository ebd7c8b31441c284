/// Long random lives of a store beside a model too plain to be wrong: a list of all changes, and
/// the state at any revision by replaying them.
#include <holdfast/base/random.h>

#include "store/store_fixture.h"

#include <map>

namespace holdfast::apiserver::storage {
namespace {

struct Event {
  Revision revision;
  ChangeType type;
  Key key;
  std::string text, before;
};

struct Life {
  Life(Subject subject, uint64_t seed) : bed(subject), random(seed) {}

  Key any_key() {
    static const char* const kNamespaces[] = {"a", "a-b", "b"};
    return {random.below(4) == 0 ? "secrets" : "pods", kNamespaces[random.below(3)],
            "n" + std::to_string(random.below(12))};
  }
  std::map<Key, std::string> at(Revision revision) const {
    std::map<Key, std::string> state;
    for (const Event& event : events) {
      if (event.revision > revision) break;
      if (event.type == ChangeType::Deleted) {
        state.erase(event.key);
      } else {
        state[event.key] = event.text;
      }
    }
    return state;
  }
  void forget_undurable() {
    while (!events.empty() && events.back().revision > durable) events.pop_back();
  }

  void write();
  void commit();
  void fail();
  void check_list();
  void check_changes();
  void compact();
  void restart();

  StoreBed bed;
  SeededRandom random;
  std::vector<Event> events;
  Revision durable = 1, last_used = 1;
};

void Life::write() {
  const Key key = any_key();
  const StoredPtr there = bed.store->get(key);
  const auto state = at(last_used);
  const auto expected = state.find(key);
  ASSERT_EQ(there != nullptr, expected != state.end());
  Event event{++last_used, ChangeType::Added, key, "", there ? there->text : ""};
  if (there) {
    EXPECT_EQ(there->text, expected->second);
  }
  const std::string body(random.below(3) == 0 ? random.below(6000) : 5, 'x');
  if (there && random.below(3) == 0) {
    event.type = ChangeType::Deleted;
    event.text = (*bed.store->remove(key, there->revision))->text;
  } else {
    event.type = there ? ChangeType::Modified : ChangeType::Added;
    event.text = (*bed.store->put(key, there ? there->revision : 0, draft(body)))->text;
    EXPECT_EQ(event.text, text_of(last_used, body));
  }
  events.push_back(event);
  if (!bed.on_disk()) durable = last_used;
  bed.clock.advance(std::chrono::milliseconds(random.below(2000)));
}

void Life::commit() {
  bed.settle();
  if (!events.empty()) durable = std::max(durable, events.back().revision);
  EXPECT_EQ(bed.store->durable(), durable);
}

void Life::fail() {
  if (!bed.on_disk() || durable == last_used) return;
  bed.engine().journal()->limit_pages(1);
  auto big = bed.store->put({"pods", "z", "big"}, 0, draft(std::string(4u << 20, 'x')));
  ASSERT_TRUE(big);
  last_used = (*big)->revision;
  Result<void> told;
  bed.store->when_durable(last_used, [&](Result<void> done) { told = std::move(done); });
  EXPECT_TRUE(bed.store->commit_pending());
  EXPECT_FALSE(told);
  bed.engine().journal()->limit_pages(0);
  forget_undurable();
  EXPECT_EQ(bed.store->current(), durable);
}

void Life::check_list() {
  const Revision oldest = bed.store->oldest(), current = bed.store->current();
  const Revision when =
      oldest + static_cast<Revision>(random.below(static_cast<uint64_t>(current - oldest + 1)));
  std::vector<std::string> want, got;
  std::vector<std::pair<std::string, std::string>> order;
  for (const auto& [key, text] : at(when))
    if (key.resource == "pods") order.emplace_back(key.ns + "/" + key.name, text);
  std::sort(order.begin(), order.end());
  for (const auto& [key, text] : order) want.push_back(text);
  Range range{.resource = "pods", .limit = 1 + random.below(9), .at = when};
  for (bool more = true; more;) {
    const auto page = bed.store->list(range);
    ASSERT_TRUE(page) << page.error().what();
    for (const auto& item : page->items) got.push_back(item->text);
    ASSERT_EQ(page->remaining, static_cast<int64_t>(want.size() - got.size()));
    more = page->more;
    range.from_ns = page->next_ns;
    range.from_name = page->next_name;
  }
  EXPECT_EQ(got, want) << "at " << when;
}

void Life::check_changes() {
  const Revision oldest = bed.store->oldest();
  Revision after =
      oldest + static_cast<Revision>(random.below(static_cast<uint64_t>(durable - oldest + 1)));
  std::vector<Event> want;
  for (const Event& event : events)
    if (event.revision > after && event.revision <= durable && event.key.resource == "pods")
      want.push_back(event);
  size_t next = 0;
  while (after < durable) {
    Revision seen = 0;
    const auto some = bed.store->changes("pods", after, 1 + random.below(5), seen);
    ASSERT_TRUE(some) << some.error().what();
    for (const Change& change : *some) {
      ASSERT_LT(next, want.size());
      EXPECT_EQ(change.revision, want[next].revision);
      EXPECT_EQ(change.type, want[next].type);
      EXPECT_EQ(change.key, want[next].key);
      EXPECT_EQ(change.object->text, want[next].text);
      EXPECT_EQ(change.before ? change.before->text : "", want[next].before);
      ++next;
    }
    ASSERT_GT(seen, after);
    after = seen;
  }
  EXPECT_EQ(next, want.size());
}

void Life::compact() {
  while (bed.store->compact_step(std::chrono::seconds(60))) {
  }
  const int64_t cutoff = (bed.clock.now() - std::chrono::seconds(60)).time_since_epoch().count();
  for (const Event& event : events) {
    if (event.revision <= bed.store->oldest() || event.revision > durable) continue;
    Revision seen = 0;
    const auto next = bed.store->changes(event.key.resource, event.revision - 1, 1, seen);
    ASSERT_TRUE(next && !next->empty());
    EXPECT_GT(next->front().object->wall_us, cutoff);
    break;
  }
}

void Life::restart() {
  if (!bed.on_disk()) return;
  bed.crash();
  forget_undurable();
  last_used = durable;
  EXPECT_EQ(bed.store->current(), durable);
}

struct Lives : testing::TestWithParam<std::tuple<Subject, int>> {};

INSTANTIATE_TEST_SUITE_P(Seeds, Lives,
                         testing::Combine(testing::Values(Subject::Memory, Subject::Disk,
                                                          Subject::DiskTinyRing),
                                          testing::Range(1, 5)),
                         [](const auto& seed) {
                           return name_of(std::get<0>(seed.param)) +
                                  std::to_string(std::get<1>(seed.param));
                         });

TEST_P(Lives, SayAtEveryTurnWhatThePlainModelSays) {
  Life life(std::get<0>(GetParam()), static_cast<uint64_t>(std::get<1>(GetParam())));
  for (int turn = 0; turn < 600 && !testing::Test::HasFatalFailure(); ++turn) {
    const uint64_t dice = life.random.below(100);
    if (dice < 65) {
      life.write();
    } else if (dice < 80) {
      life.commit();
    } else if (dice < 88) {
      life.check_list();
    } else if (dice < 96) {
      life.check_changes();
    } else if (dice < 97) {
      life.fail();
    } else if (dice < 98) {
      life.restart();
    } else {
      life.compact();
    }
  }
}

}  // namespace
}  // namespace holdfast::apiserver::storage

/// The subjects that every store test runs on, and short words for what tests do with them.
#pragma once

#include <holdfast/base/clock.h>

#include "store/engine.h"
#include "store/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::apiserver::storage {

enum class Subject { Memory, Disk, DiskTinyRing };

inline std::string name_of(Subject subject) {
  if (subject == Subject::Memory) return "Memory";
  return subject == Subject::Disk ? "Disk" : "DiskTinyRing";
}

inline Draft draft(const std::string& body) {
  return {.before_version = R"({"metadata":{"resourceVersion":")",
          .after_version = R"("},"body":")" + body + R"("})",
          .meta = {}};
}

inline std::string text_of(Revision revision, const std::string& body) {
  const Draft d = draft(body);
  return d.before_version + std::to_string(revision) + d.after_version;
}

inline Key pod(const std::string& name, const std::string& ns = "default") {
  return {"pods", ns, name};
}

/// A store in a folder of its own.
struct StoreBed {
  explicit StoreBed(Subject what) : subject(what) {
    std::filesystem::create_directories(folder);
    open();
  }
  ~StoreBed() {
    store.reset();
    std::filesystem::remove_all(folder);
  }
  StoreBed(const StoreBed&) = delete;
  StoreBed& operator=(const StoreBed&) = delete;

  void open() {
    store.reset();
    if (subject == Subject::Memory) {
      store = make_memory_store(clock);
      return;
    }
    const RingLimits tiny{.count = 3, .bytes = 1000};
    auto opened = open_engine(path(), clock, subject == Subject::Disk ? RingLimits{} : tiny);
    ASSERT_TRUE(opened) << opened.error().what();
    store = opened.take();
  }
  /// What a kill -9 at this moment would leave, opened again. Memory stores have nothing to say
  /// here.
  void crash() {
    const auto left = folder / "left";
    std::filesystem::create_directories(left);
    for (const char* part : {"state.db", "state.db-wal"}) {
      if (std::filesystem::exists(folder / part)) std::filesystem::copy(folder / part, left / part);
    }
    store.reset();
    for (const char* part : {"state.db", "state.db-wal", "state.db-shm"})
      std::filesystem::remove(folder / part);
    for (const auto& part : std::filesystem::directory_iterator(left))
      std::filesystem::rename(part.path(), folder / part.path().filename());
    open();
  }
  std::string path() const { return (folder / "state.db").string(); }
  bool on_disk() const { return subject != Subject::Memory; }
  Engine& engine() { return static_cast<Engine&>(*store); }
  void settle() {
    while (store->commit_pending()) {
    }
  }
  StoredPtr put(const Key& key, const std::string& body) {
    const StoredPtr there = store->get(key);
    auto written = store->put(key, there ? there->revision : 0, draft(body));
    EXPECT_TRUE(written);
    return written ? *written : nullptr;
  }
  StoredPtr remove(const Key& key) {
    auto gone = store->remove(key, store->get(key)->revision);
    EXPECT_TRUE(gone);
    return gone ? *gone : nullptr;
  }
  std::vector<std::string> names(const Range& range) {
    auto page = store->list(range);
    if (!page) return {std::string("error: ") + page.error().what()};
    std::vector<std::string> out;
    for (const auto& item : page->items) out.push_back(item->meta.ns + "/" + item->meta.name);
    return out;
  }

  static inline int counter = 0;
  Subject subject;
  std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      ("store_test." + std::to_string(getpid()) + "." + std::to_string(++counter));
  ManualClock clock{WallTime(std::chrono::hours(500000))};
  std::unique_ptr<Store> store;
};

}  // namespace holdfast::apiserver::storage

/// For tests: a repository in memory, with snapshots of one file each, an hour apart.
#pragma once

#include <holdfast/blob/stores.h>
#include <holdfast/repo/backup.h>

#include <gtest/gtest.h>

namespace holdfast::protect {

class RepositoryTest : public testing::Test {
 protected:
  RepositoryTest() {
    Result<std::unique_ptr<repo::Opened>> made = repo::init(store_, "secret", {}, surroundings());
    EXPECT_TRUE(made);
    Result<std::unique_ptr<repo::Indexed>> index = repo::load_index(made.take(), {});
    EXPECT_TRUE(index);
    index_ = index.take();
  }

  repo::Surroundings surroundings() { return {clock_, random_, "here", "me", 0, 0, 1}; }

  repo::Snapshot store(const std::string& name, const std::string& text,
                       std::vector<std::string> tags = {}) {
    clock_.advance(std::chrono::hours(1));
    repo::BackupOptions options;
    options.host = "here";
    options.tags = std::move(tags);
    options.stream_name = "/" + name;
    options.stream = [&text, at = size_t{0}](char* into, size_t most) mutable -> Result<size_t> {
      const size_t size = text.copy(into, most, at);
      at += size;
      return size;
    };
    Result<repo::BackupResult> made =
        repo::back_up(*index_, options, [](const repo::BackupProgress&) {}, {});
    EXPECT_TRUE(made);
    return *made->snapshot;
  }

  ManualClock clock_{WallTime(std::chrono::hours(490'000))};
  SeededRandom random_{1};
  const std::shared_ptr<blob::Store> store_ = blob::memory_store();
  std::unique_ptr<repo::Indexed> index_;
};

}  // namespace holdfast::protect

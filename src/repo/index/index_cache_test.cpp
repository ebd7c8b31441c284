// The index in a file that is mapped answers as the index in memory does, whatever happened to the
// file or to the repository since it was written.
#include <holdfast/base/files.h>

#include "upkeep/sample.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

namespace holdfast::repo {
namespace {

class IndexCache : public testing::Test {
 protected:
  IndexCache() {
    std::string name = testing::TempDir() + "index-cache-XXXXXX";
    HF_CHECK(::mkdtemp(name.data()) != nullptr);
    folder_ = name;
  }
  ~IndexCache() override { std::filesystem::remove_all(folder_); }

  Id draw() { return Id::from_raw(sample_.random.bytes(32)); }

  IndexedPack draw_pack(size_t blobs) {
    IndexedPack pack{.id = draw()};
    const BlobType type = sample_.random.below(3) == 0 ? BlobType::Tree : BlobType::Data;
    for (size_t i = 0; i < blobs; ++i) {
      const bool again = !known_.empty() && sample_.random.below(10) == 0;
      const Id id = again ? known_[sample_.random.below(known_.size())] : draw();
      pack.blobs.push_back({type, id, uint32_t(sample_.random.next()),
                            uint32_t(sample_.random.next()), uint32_t(sample_.random.below(3))});
      known_.push_back(id);
    }
    if (sample_.random.below(5) == 0) pack.marked_at = "2026-11-15T12:00:00Z";
    return pack;
  }

  Id add_index(size_t packs, size_t blobs) {
    std::vector<IndexedPack> all;
    for (size_t i = 0; i < packs; ++i) all.push_back(draw_pack(blobs));
    return sample_.open()->save(FileType::Index, index_to_json(all)).take();
  }
  void remove_index(const Id& id) { HF_CHECK(bool(sample_.open()->remove(FileType::Index, id))); }

  IndexOptions options() {
    IndexOptions options;
    options.cache = folder_;
    options.most_in_memory = 100;
    options.said = [this](const std::string& what) { said_.push_back(what); };
    return options;
  }
  std::unique_ptr<Indexed> load() {
    auto loaded = load_index(sample_.open(), options());
    HF_CHECK(bool(loaded));
    return loaded.take();
  }
  std::string path() const { return (folder_ / "index").string(); }
  bool cached() const { return std::filesystem::exists(path()); }

  using Places = std::set<std::tuple<BlobType, Id, Id, uint32_t, uint32_t, uint32_t>>;
  static std::tuple<BlobType, Id, Id, uint32_t, uint32_t, uint32_t> place(BlobType type,
                                                                          const Id& id,
                                                                          const Location& at) {
    return {type, id, at.pack, at.offset, at.length, at.plain_length};
  }
  static Places places(const Indexed& index) {
    Places out;
    index.each([&out](BlobType type, const Id& id, const Location& where) {
      out.insert(place(type, id, where));
    });
    return out;
  }

  /// Every blob that ever was, and some that never were.
  void expect_same(const Indexed& index) {
    const std::unique_ptr<Indexed> plain = sample_.index();
    const Places all = places(*plain);
    EXPECT_EQ(places(index), all);
    for (const BlobType type : {BlobType::Data, BlobType::Tree}) {
      EXPECT_EQ(index.blobs(type), plain->blobs(type));
      for (const Id& id : known_) {
        const auto found = index.find(type, id), wanted = plain->find(type, id);
        ASSERT_EQ(bool(found), bool(wanted));
        // Marked packs are in no list of places.
        if (!found || !all.contains(place(type, id, *wanted))) continue;
        EXPECT_TRUE(all.contains(place(type, id, *found)));
      }
      for (int i = 0; i < 100; ++i) EXPECT_FALSE(index.find(type, draw()));
    }
  }

  Sample sample_;
  std::filesystem::path folder_;
  std::vector<Id> known_;
  std::vector<std::string> said_;
};

TEST_F(IndexCache, OfFewBlobsIsNotWritten) {
  add_index(3, 10);

  expect_same(*load());

  EXPECT_FALSE(cached());
}

TEST_F(IndexCache, OfManyIsWrittenForItsOwnerAloneAndUsedAgain) {
  for (int i = 0; i < 8; ++i) add_index(4, 40);
  expect_same(*load());
  ASSERT_TRUE(cached());
  struct stat info {};
  ASSERT_EQ(::stat(path().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);

  expect_same(*load());

  struct stat after {};
  ASSERT_EQ(::stat(path().c_str(), &after), 0);
  EXPECT_EQ(after.st_ino, info.st_ino);
  EXPECT_FALSE(std::filesystem::exists(path() + ".new"));
  EXPECT_TRUE(said_.empty());
}

TEST_F(IndexCache, IsWrittenBeforeMemoryIsShortAndNotForEveryFewBlobs) {
  add_index(10, 5001);
  IndexOptions usual;
  usual.cache = folder_;
  EXPECT_TRUE(bool(load_index(sample_.open(), usual)));
  struct stat before {
  }, after{};
  ASSERT_EQ(::stat(path().c_str(), &before), 0);
  add_index(2, 50);

  const auto index = load_index(sample_.open(), usual).take();

  EXPECT_EQ(places(*index), places(*sample_.index()));
  ASSERT_EQ(::stat(path().c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
}

TEST_F(IndexCache, AnswersAsMemoryDoesWhileIndexFilesComeAndGo) {
  std::vector<Id> files;
  for (int round = 0; round < 60; ++round) {
    if (sample_.random.below(3) == 0 && !files.empty()) {
      const size_t at = sample_.random.below(files.size());
      remove_index(files[at]);
      files.erase(files.begin() + int64_t(at));
    }
    for (uint64_t i = sample_.random.below(3); i > 0; --i)
      files.push_back(add_index(sample_.random.below(4), sample_.random.below(60)));

    expect_same(*load());
    if (HasFailure()) FAIL() << "round " << round;
  }
  for (const Id& file : files) remove_index(file);
  expect_same(*load());
  EXPECT_TRUE(said_.empty());
}

TEST_F(IndexCache, ReadsNoIndexFileTwice) {
  for (int i = 0; i < 8; ++i) add_index(4, 40);
  load();
  // What is broken now has been read before.
  for (const std::string& name : sample_.names("index/")) {
    HF_CHECK(bool(sample_.store->remove(name)));
    HF_CHECK(bool(sample_.store->put(name, "broken")));
  }
  const Id fresh = add_index(1, 5);
  const std::unique_ptr<Indexed> index = load();

  for (const Id& id : known_)
    EXPECT_TRUE(index->find(BlobType::Data, id) || index->find(BlobType::Tree, id));
  remove_index(fresh);
  const auto names = sample_.names("index/");
  HF_CHECK(bool(sample_.store->remove(names.front())));
  const std::unique_ptr<Indexed> fewer = load();
  EXPECT_LT(fewer->blobs(BlobType::Data) + fewer->blobs(BlobType::Tree),
            index->blobs(BlobType::Data) + index->blobs(BlobType::Tree));
}

TEST_F(IndexCache, ThatIsDamagedIsMadeAnew) {
  for (int i = 0; i < 8; ++i) add_index(4, 40);
  load();
  const std::string whole = read_file(path()).take();
  for (int round = 0; round < 150; ++round) {
    std::string bytes = whole;
    if (round % 3 == 0) {
      bytes.resize(sample_.random.below(bytes.size()));
    } else {
      for (uint64_t i = 0; i <= sample_.random.below(3); ++i)
        bytes[sample_.random.below(round % 3 == 1 ? 400 : bytes.size())] ^=
            char(1U << sample_.random.below(8));
    }
    HF_CHECK(bool(write_file(path(), bytes, 0600)));

    const std::unique_ptr<Indexed> index = load();

    ASSERT_EQ(places(*index), places(*sample_.index())) << round;
  }
  expect_same(*load());
}

TEST_F(IndexCache, OfAnotherRepositoryOrKeyIsNotBelieved) {
  for (int i = 0; i < 8; ++i) add_index(4, 40);
  load();
  const std::string foreign = read_file(path()).take();
  Sample other(2);
  other.config.id = std::string(64, 'b');
  EXPECT_EQ(load_index(other.open(), options()).take()->blobs(BlobType::Data), 0U);
  HF_CHECK(bool(write_file(path(), foreign, 0600)));
  // The names of its index files are those of the cache; what is in them only our key opens.
  Sample other_key(3);
  for (const std::string& name : sample_.names("index/"))
    HF_CHECK(bool(other_key.store->put(name, sample_.store->get(name).take())));
  EXPECT_FALSE(bool(load_index(other_key.open(), options())));
  HF_CHECK(bool(write_file(path(), foreign, 0600)));

  expect_same(*load());
}

TEST_F(IndexCache, KeepsNothingOfIndexFilesThatAreDamaged) {
  for (int i = 0; i < 8; ++i) add_index(4, 40);
  const auto names = sample_.names("index/");
  HF_CHECK(bool(sample_.store->remove(names.front())));
  HF_CHECK(bool(sample_.store->put(names.front(), "broken")));
  IndexOptions lenient = options();
  int heard = 0;
  lenient.damaged = [&heard](const Id&, const Error&) { ++heard; };

  for (int i = 0; i < 2; ++i) EXPECT_TRUE(bool(load_index(sample_.open(), lenient)));

  EXPECT_EQ(heard, 2);
  EXPECT_FALSE(bool(load_index(sample_.open(), options())));
}

TEST_F(IndexCache, ThatCannotBeWrittenIsDoneWithout) {
  for (int i = 0; i < 8; ++i) add_index(4, 40);
  std::ofstream(folder_ / "file") << "no folder";
  IndexOptions nowhere = options();
  nowhere.cache = folder_ / "file" / "below";

  const auto index = load_index(sample_.open(), nowhere).take();

  expect_same(*index);
  EXPECT_EQ(said_.size(), 1U);
}

TEST_F(IndexCache, IsMadeByManyAtOnce) {
  for (int i = 0; i < 20; ++i) add_index(4, 40);
  const Places all = places(*sample_.index());
  for (int round = 0; round < 10; ++round) {
    std::filesystem::remove(path());
    std::vector<std::jthread> others;
    std::atomic<int> same{0};
    for (int i = 0; i < 4; ++i)
      others.emplace_back([&] {
        const auto index = load();
        same += places(*index) == all ? 1 : 0;
      });
    others.clear();
    EXPECT_EQ(same, 4);
    EXPECT_TRUE(cached());
  }
  size_t left = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    left += entry.path() != path() ? 1 : 0;
  EXPECT_EQ(left, 0U);
}

TEST_F(IndexCache, IsMadeByManyProcessesAtOnceAndOutlivesThoseThatDie) {
  for (int i = 0; i < 20; ++i) add_index(4, 40);
  const Places all = places(*sample_.index());
  for (int round = 0; round < 5; ++round) {
    std::filesystem::remove(path());
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i) {
      const pid_t child = ::fork();
      ASSERT_GE(child, 0);
      if (child == 0) ::_exit(places(*load()) == all ? 0 : 1);
      children.push_back(child);
    }
    ASSERT_EQ(::kill(children.back(), SIGKILL), 0);
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(status == 0 || child == children.back());
    }
    EXPECT_EQ(places(*load()), all);
  }
  std::ofstream(path() + ".new") << "what somebody left who died";
  std::filesystem::remove(path());
  EXPECT_EQ(places(*load()), all);
  EXPECT_FALSE(std::filesystem::exists(path() + ".new"));
}

/// Processes that begin together, and tell each time they have done something.
class Crowd {
 public:
  Crowd() { HF_CHECK(::pipe(gate_) == 0 && ::pipe(steps_) == 0); }
  ~Crowd() {
    for (const int fd : {gate_[0], gate_[1], steps_[0], steps_[1]}) ::close(fd);
  }
  pid_t add(const std::function<bool()>& once) {
    const pid_t child = ::fork();
    HF_CHECK(child >= 0);
    if (child != 0) return child;
    ::close(gate_[1]);
    char byte = 0;
    [[maybe_unused]] const ssize_t opened = ::read(gate_[0], &byte, 1);
    bool good = true;
    for (int i = 0; i < 12; ++i) good = once() && ::write(steps_[1], "", 1) == 1 && good;
    ::_exit(good ? 0 : 1);
  }
  void begin() {
    ::close(gate_[1]);
    gate_[1] = -1;
  }
  void await_steps(int count) const {
    char byte = 0;
    while (count-- > 0) HF_CHECK(::read(steps_[0], &byte, 1) == 1);
  }

 private:
  int gate_[2], steps_[2];
};

TEST_F(IndexCache, IsWrittenByProcessesThatSeeOtherIndexFiles) {
  std::vector<Id> files;
  for (int i = 0; i < 12; ++i) files.push_back(add_index(4, 40));
  for (int round = 0; round < 3; ++round) {
    std::filesystem::remove(path());
    Crowd crowd;
    std::vector<pid_t> children;
    // Whose list of index files is older or newer than the cache writes all of it anew: each of
    // them, after each of the others.
    for (int number = 0; number < 5; ++number) {
      std::unique_ptr<Indexed> held;
      Places all;
      children.push_back(crowd.add([&, number] {
        if (!held) {
          for (int i = 0; i < number; ++i) draw();  // chance is another for each
          for (int i = 0; i < 2; ++i) remove_index(files[size_t(2 * number + i)]);
          for (int i = 0; i < number; ++i) add_index(4, 40);
          all = places(*sample_.index());
          held = load();
        }
        // What is mapped stays as it was while others put theirs in its place.
        return places(*load()) == all && places(*held) == all;
      }));
    }
    crowd.begin();
    crowd.await_steps(10);
    ASSERT_EQ(::kill(children.back(), SIGKILL), 0);
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      EXPECT_TRUE(status == 0 || child == children.back()) << status;
    }
    expect_same(*load());
    EXPECT_TRUE(cached());
    for (const auto& entry : std::filesystem::directory_iterator(folder_))
      EXPECT_EQ(entry.path(), path());
  }
  EXPECT_TRUE(said_.empty());
}

}  // namespace
}  // namespace holdfast::repo

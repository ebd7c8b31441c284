// Backups of folders made for the purpose, into a repository in memory.
#include <holdfast/blob/forwarding.h>
#include <holdfast/blob/stores.h>
#include <holdfast/repo/backup.h>
#include <holdfast/repo/tree.h>

#include "backup/journal.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace holdfast::repo {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Backups : testing::Test {
  Backups() {
    std::string name = fs::temp_directory_path() / "holdfast-backup.XXXXXX";
    folder_ = mkdtemp(name.data());
    index_ = load_index(init(store_, "secret", {}, around_).take(), {}).take();
  }
  ~Backups() override { fs::remove_all(folder_); }
  Backups(const Backups&) = delete;
  Backups& operator=(const Backups&) = delete;

  BackupResult back_up_all(BackupOptions options = {}) {
    // Relative, so that no folder above it, which others write to, is part of the snapshot.
    fs::current_path(folder_.parent_path());
    options.paths = {folder_.filename()};
    Result<BackupResult> done = back_up(*index_, options, [](const BackupProgress&) {}, {});
    EXPECT_TRUE(done) << done.error().what();
    return done.take();
  }
  /// The nodes of the backed-up folder itself.
  std::vector<Node> nodes(const Snapshot& snapshot) {
    const std::vector<Node> above = *parse_tree(*index_->read(BlobType::Tree, snapshot.tree));
    EXPECT_EQ(above.size(), 1U);
    EXPECT_EQ(above.front().name, folder_.filename().string());
    return below(*above.front().subtree);
  }
  std::vector<Node> below(const Id& tree) {
    return *parse_tree(*index_->read(BlobType::Tree, tree));
  }
  std::string content(const Node& node) {
    std::string out;
    for (const Id& id : *node.content) out += *index_->read(BlobType::Data, id);
    return out;
  }

  SystemClock clock_{};
  SystemRandom random_{};
  Surroundings around_{clock_, random_, "host", "user"};
  std::shared_ptr<blob::Store> store_ = blob::memory_store();
  fs::path folder_;
  std::unique_ptr<Indexed> index_;
};

TEST_F(Backups, FilesOfAllSizesComeBack) {
  SeededRandom random(1);
  const std::string big = random.bytes(size_t{21} << 20), middle = random.bytes(700000);
  write(folder_ / "big", big);
  write(folder_ / "empty", "");
  write(folder_ / "inner" / "middle", middle);
  write(folder_ / "small", "small");
  fs::create_symlink("small", folder_ / "to");

  const BackupResult done = back_up_all();

  ASSERT_TRUE(done.snapshot);
  EXPECT_TRUE(done.errors.empty());
  const std::vector<Node> all = nodes(*done.snapshot);
  ASSERT_EQ(all.size(), 5U);
  EXPECT_TRUE(content(all[0]) == big);
  EXPECT_GT(all[0].content->size(), 3U);
  EXPECT_TRUE(all[1].content->empty());
  EXPECT_EQ(all[2].type, NodeType::Dir);
  EXPECT_EQ(content(all[3]), "small");
  EXPECT_EQ(all[4].link_target, "small");
  const auto inner = *parse_tree(*index_->read(BlobType::Tree, *all[2].subtree));
  EXPECT_TRUE(content(inner.at(0)) == middle);
  EXPECT_EQ(done.summary.files_new, 4U);
  EXPECT_EQ(done.summary.total_bytes_processed, big.size() + middle.size() + 5);
}

TEST_F(Backups, WhatIsUnchangedIsNotReadAgain) {
  for (int i = 0; i < 300; ++i) write(folder_ / std::to_string(i), "file " + std::to_string(i));
  const BackupResult first = back_up_all();
  write(folder_ / "7", "changed");
  fs::remove(folder_ / "8");

  const BackupResult second = back_up_all();

  EXPECT_EQ(second.parent, first.snapshot->id);
  EXPECT_EQ(second.summary.files_unmodified, 298U);
  EXPECT_EQ(second.summary.files_changed, 1U);
  EXPECT_EQ(second.summary.data_blobs, 1U);
  EXPECT_EQ(nodes(*second.snapshot).size(), 299U);
  EXPECT_EQ(back_up_all({.skip_if_unchanged = true}).snapshot, std::nullopt);
  EXPECT_EQ(back_up_all({.force = true}).summary.data_blobs, 0U);
}

TEST_F(Backups, WhatIsKeptOfTheParentIsWhatAFreshLookFinds) {
  const auto all_changes = [this] {
    fs::permissions(folder_ / "10", fs::perms::owner_read);
    fs::create_hard_link(folder_ / "11", folder_ / "110");
    fs::remove(folder_ / "12");
    write(folder_ / "130", "another");
    fs::rename(folder_ / "14", folder_ / "140");
    write(folder_ / "inner" / "deep" / "15", "longer than before");
    return setxattr((folder_ / "16").c_str(), "user.mark", "seen", 4, 0) == 0;
  };
  for (int i = 10; i < 30; ++i) {
    write(folder_ / std::to_string(i), "file " + std::to_string(i));
    write(folder_ / "inner" / "deep" / std::to_string(i), "file " + std::to_string(i));
  }
  back_up_all();
  const bool has_attributes = all_changes();

  const BackupResult kept = back_up_all();
  const BackupResult fresh = back_up_all({.force = true});

  EXPECT_EQ(kept.snapshot->tree, fresh.snapshot->tree);
  const std::vector<Node> all = nodes(*kept.snapshot);
  const auto marked =
      std::find_if(all.begin(), all.end(), [](const Node& node) { return node.name == "16"; });
  ASSERT_NE(marked, all.end());
  EXPECT_EQ(marked->extended_attributes.size(), has_attributes ? 1U : 0U);
  EXPECT_EQ(back_up_all().snapshot->tree, fresh.snapshot->tree);
}

TEST_F(Backups, WhatIsExcludedIsLeftOut) {
  write(folder_ / "keep.txt", "kept");
  write(folder_ / "drop.o", "object");
  write(folder_ / "cache" / "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55 and more");
  write(folder_ / "cache" / "inner" / "copy", "gone");
  write(folder_ / "private" / ".nobackup", "");
  write(folder_ / "private" / "letter", "gone");
  write(folder_ / "large", std::string(5000, 'x'));
  BackupOptions options;
  options.excludes = {"*.o"};
  options.exclude_caches = true;
  options.exclude_if_present = {".nobackup"};
  options.exclude_larger_than = 4096;

  const std::vector<Node> all = nodes(*back_up_all(options).snapshot);

  // Marked folders stay with their mark, so that one sees why the rest is missing.
  std::vector<std::string> names;
  for (const Node& node : all) {
    names.push_back(node.name);
    for (const Node& inner : node.subtree ? below(*node.subtree) : std::vector<Node>())
      names.push_back(node.name + "/" + inner.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"cache", "cache/CACHEDIR.TAG", "keep.txt", "private",
                                             "private/.nobackup"}));
}

TEST_F(Backups, ChunksOfTheGreatestLengthComeBack) {
  // Bytes without a cut in them, so that each chunk is as long as it may be, between others.
  SeededRandom random(2);
  const std::string data = random.bytes(size_t{2} << 20) + std::string(size_t{20} << 20, '\1') +
                           random.bytes(size_t{5} << 20);
  write(folder_ / "long", data);

  const std::vector<Node> all = nodes(*back_up_all().snapshot);

  EXPECT_TRUE(content(all.at(0)) == data);
}

TEST_F(Backups, CutsOfAChangedFileAreThoseOfANewOne) {
  SeededRandom random(4);
  std::string data = random.bytes(size_t{30} << 20);
  write(folder_ / "file", data);
  back_up_all();
  // In the middle, twice, and at the end; the last also moves what follows.
  data[size_t{9} << 20] = char(data[size_t{9} << 20] ^ 1);
  data.insert(size_t{20} << 20, "inserted");
  data += random.bytes(size_t{3} << 20);
  write(folder_ / "file", data);

  const std::vector<Node> guessed = nodes(*back_up_all().snapshot);
  fs::rename(folder_ / "file", folder_ / "renamed");
  const std::vector<Node> searched = nodes(*back_up_all().snapshot);

  EXPECT_TRUE(content(guessed.at(0)) == data);
  EXPECT_TRUE(guessed.at(0).content == searched.at(0).content);
  EXPECT_EQ(guessed.at(0).size, data.size());
}

TEST_F(Backups, AnUnchangedFileReadAgainIsTheSame) {
  SeededRandom random(5);
  write(folder_ / "file", random.bytes(size_t{17} << 20));
  const std::vector<Node> first = nodes(*back_up_all().snapshot);

  const BackupResult again = back_up_all({.force = true});

  EXPECT_EQ(again.summary.data_blobs, 0U);
  EXPECT_TRUE(nodes(*again.snapshot).at(0).content == first.at(0).content);
}

TEST_F(Backups, HolesAreCutAsTheZerosTheyAre) {
  SeededRandom random(6);
  const std::string begin = random.bytes(1234567), end = random.bytes(2345678);
  {
    std::ofstream file(folder_ / "sparse", std::ios::binary);
    file << begin;
    file.seekp(int64_t{77} << 20);
    file << end;
  }
  fs::resize_file(folder_ / "sparse", uint64_t{100} << 20);
  std::string whole = begin;
  whole.resize(size_t{77} << 20);
  whole += end;
  whole.resize(size_t{100} << 20);
  const std::vector<Node> skipped = nodes(*back_up_all().snapshot);
  fs::remove(folder_ / "sparse");
  write(folder_ / "sparse", whole);

  const BackupResult again = back_up_all({.force = true});

  EXPECT_EQ(again.summary.data_blobs, 0U);
  EXPECT_TRUE(nodes(*again.snapshot).at(0).content == skipped.at(0).content);
  EXPECT_TRUE(content(skipped.at(0)) == whole);
}

/// By this process, so far, with every read().
uint64_t bytes_read() {
  std::ifstream counters("/proc/self/io");
  std::string name;
  uint64_t value = 0;
  while (counters >> name >> value)
    if (name == "rchar:") return value;
  ADD_FAILURE() << "/proc/self/io does not say";
  return 0;
}

/// A store that fails once it has taken so many packs.
class Failing final : public blob::Forwarding {
 public:
  explicit Failing(std::shared_ptr<blob::Store> inner) : Forwarding(std::move(inner)) {}
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    if (name.starts_with("data/") && packs_left_-- <= 0)
      return Error(Fault::Denied, "no more packs");
    return Forwarding::put(name, bytes, options);
  }

  std::atomic<int> packs_left_{1000};
};

TEST_F(Backups, EveryFileAndFolderIsToldWithWhatBecameOfIt) {
  write(folder_ / "a", "a");
  write(folder_ / "inner" / "b", "b");
  const std::string at = "/" + folder_.filename().string();
  std::map<std::string, Change> told;
  BackupOptions options;
  options.item = [&told](Change change, const std::string& path, uint64_t) {
    EXPECT_TRUE(told.emplace(path, change).second) << path;
  };

  back_up_all(options);
  EXPECT_EQ(told, (std::map<std::string, Change>{{at + "/", Change::New},
                                                 {at + "/a", Change::New},
                                                 {at + "/inner/", Change::New},
                                                 {at + "/inner/b", Change::New}}));
  told.clear();
  write(folder_ / "a", "another");
  back_up_all(options);
  EXPECT_EQ(told, (std::map<std::string, Change>{{at + "/", Change::Modified},
                                                 {at + "/a", Change::Modified},
                                                 {at + "/inner/", Change::Unchanged},
                                                 {at + "/inner/b", Change::Unchanged}}));
}

TEST_F(Backups, AScanCountsWhatTheBackupWillFind) {
  for (int i = 0; i < 20; ++i) write(folder_ / "in" / std::to_string(i), std::string(1000, 'x'));
  write(folder_ / "large", std::string(5000, 'x'));
  write(folder_ / "out", "left out");
  write(folder_ / "cache" / "CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55");
  write(folder_ / "cache" / "x", "left out");
  fs::create_symlink("out", folder_ / "link");
  BackupOptions options;
  options.paths = {folder_};
  options.excludes = {"out"};
  options.exclude_larger_than = 4000;
  options.exclude_caches = options.scan = true;
  options.read_concurrency = 1;
  BackupProgress last;

  const auto done =
      back_up(*index_, options, [&last](const BackupProgress& now) { last = now; }, {});

  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(done->summary.total_files_processed, 21U);
  // Whether the scan was done before the backup was is chance; it never counts more than there is.
  EXPECT_EQ(last.files_total, 21U);
  EXPECT_EQ(last.bytes_total, done->summary.total_bytes_processed);
}

TEST_F(Backups, DatabasesAreCutAtPagesIfToldToLook) {
  SeededRandom random(6);
  const std::string bytes = random.bytes(size_t{2} << 20);
  write(folder_ / "base.db", std::string("SQLite format 3\0", 16) + bytes);
  write(folder_ / "other", bytes);
  const std::vector<Node> plain = nodes(*back_up_all().snapshot);
  BackupOptions options;
  options.chunks.kind = ChunkPolicy::Kind::Auto;
  options.force = true;

  const BackupResult first = back_up_all(options);
  options.force = false;
  std::fstream(folder_ / "base.db", std::ios::in | std::ios::out | std::ios::binary)
      .seekp(100 * 4096)
      .write("changed", 7);
  const BackupResult second = back_up_all(options);

  const std::vector<Node> cut = nodes(*first.snapshot);
  EXPECT_EQ(cut[0].content->size(), 33U);
  EXPECT_EQ(cut[1].content, plain[1].content) << "as restic cuts it";
  EXPECT_EQ(second.summary.data_blobs, 1U);
  EXPECT_LE(second.summary.data_added, 70'000U);
}

TEST_F(Backups, OneThatWasCutOffGoesOnWhereItWas) {
  SeededRandom random(8);
  for (int i = 0; i < 6; ++i) write(folder_ / std::to_string(i), random.bytes(size_t{5} << 20));
  const auto failing = std::make_shared<Failing>(store_);
  index_ = load_index(open(failing, "secret", around_).take(), {}).take();
  BackupOptions options;
  options.paths = {folder_};
  options.pack_size = size_t{4} << 20;
  options.resume_folder = folder_.string() + "-resume";
  failing->packs_left_ = 5;
  ASSERT_FALSE(back_up(*index_, options, [](const BackupProgress&) {}, {}));
  index_ = load_index(open(store_, "secret", around_).take(), {}).take();

  const uint64_t read_before = bytes_read();

  const Result<BackupResult> done = back_up(*index_, options, [](const BackupProgress&) {}, {});

  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(done->summary.total_files_processed, 6U);
  EXPECT_LT(bytes_read() - read_before, size_t{25} << 20) << "a finished file was read again";
  EXPECT_TRUE(fs::is_empty(options.resume_folder));
  fs::remove_all(options.resume_folder);
}

TEST_F(Backups, AJournalKnowsWhatIsStoredAndUnchanged) {
  write(folder_ / "file", "bytes");
  const std::vector<Node> all = nodes(*back_up_all().snapshot);
  auto& index = static_cast<IndexedRepository&>(*index_);
  const std::string path = folder_.string() + "-journal/notes", odd = "/with blank\nand\xff";
  Node lost = all.at(0);
  lost.content->front().bytes[0] ^= 1;
  {
    Journal journal(path);
    journal.file_done(odd, all.at(0));
    journal.file_done("/lost", lost);
    journal.flush();
  }
  { std::ofstream(path, std::ios::app) << "F 5 1.1 1.1 7 /cut"; }
  Journal journal(path);

  EXPECT_EQ(journal.find_file(odd, all.at(0), index), all.at(0).content);
  EXPECT_FALSE(journal.find_file("/lost", lost, index)) << "its blob is not in the repository";
  EXPECT_FALSE(journal.find_file("/cut", all.at(0), index));
  Node touched = all.at(0);
  touched.ctime.nanoseconds ^= 1;
  EXPECT_FALSE(journal.find_file(odd, touched, index));
  fs::remove_all(fs::path(path).parent_path());
}

TEST_F(Backups, ADryRunStoresNothing) {
  write(folder_ / "file", "bytes");
  size_t files = 0;
  const auto count = [&files](const blob::Info&) { ++files; };
  ASSERT_TRUE(store_->list("", count));
  const size_t before = std::exchange(files, 0);

  const BackupResult done = back_up_all({.dry_run = true});

  ASSERT_TRUE(store_->list("", count));
  EXPECT_EQ(files, before);
  EXPECT_EQ(done.summary.files_new, 1U);
  EXPECT_FALSE(done.snapshot);
}

TEST_F(Backups, StreamsBecomeOneFile) {
  SeededRandom random(3);
  const std::string data = random.bytes(size_t{9} << 20);
  size_t at = 0;
  BackupOptions options;
  options.stream = [&](char* into, size_t most) -> Result<size_t> {
    // As a pipe: less than was asked for.
    const size_t part = data.copy(into, std::min(most, size_t{65536}), at);
    at += part;
    return part;
  };
  options.stream_name = "/dump.sql";

  const Result<BackupResult> done = back_up(*index_, options, [](const BackupProgress&) {}, {});

  ASSERT_TRUE(done) << done.error().what();
  const auto all = *parse_tree(*index_->read(BlobType::Tree, done->snapshot->tree));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].name, "dump.sql");
  EXPECT_TRUE(content(all[0]) == data);
}

TEST_F(Backups, TheNameOfAStreamMayHaveFolders) {
  BackupOptions options;
  bool given = false;
  options.stream = [&](char* into, size_t) -> Result<size_t> {
    *into = 'x';
    return std::exchange(given, true) ? 0 : 1;
  };
  options.stream_name = "/shop//db/dump.sql";

  const Result<BackupResult> done = back_up(*index_, options, [](const BackupProgress&) {}, {});

  ASSERT_TRUE(done) << done.error().what();
  EXPECT_EQ(done->summary.files_new, 1U);
  auto all = *parse_tree(*index_->read(BlobType::Tree, done->snapshot->tree));
  for (const std::string name : {"shop", "db"}) {
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all[0].name, name);
    ASSERT_TRUE(all[0].type == NodeType::Dir && all[0].subtree);
    all = *parse_tree(*index_->read(BlobType::Tree, *all[0].subtree));
  }
  EXPECT_EQ(all.at(0).name, "dump.sql");
  EXPECT_EQ(content(all[0]), "x");
  for (const std::string bad : {"/", "", "/a/../b"}) {
    options.stream_name = bad;
    EXPECT_EQ(back_up(*index_, options, [](const BackupProgress&) {}, {}).error().fault(),
              Fault::Invalid)
        << bad;
  }
}

TEST_F(Backups, TooLittleMemoryIsRefusedBeforeAnythingIsRead) {
  BackupOptions options;
  options.paths = {folder_};
  options.memory_limit = uint64_t{50} << 20;

  const Result<BackupResult> done = back_up(*index_, options, [](const BackupProgress&) {}, {});

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Invalid);
  EXPECT_NE(done.error().hint().find("--memory-limit"), std::string::npos);
  options.pack_size = uint64_t{4} << 20;
  options.read_concurrency = 1;
  options.memory_limit = uint64_t{96} << 20;
  EXPECT_TRUE(back_up(*index_, options, [](const BackupProgress&) {}, {}));
}

TEST_F(Backups, NothingToBackUpIsSaid) {
  BackupOptions options;
  options.paths = {folder_ / "nowhere"};

  const Result<BackupResult> done = back_up(*index_, options, [](const BackupProgress&) {}, {});

  ASSERT_FALSE(done);
  EXPECT_NE(done.error().what().find("nowhere"), std::string::npos);
}

TEST_F(Backups, TakesUpPacksThatNoIndexTellsOf) {
  write(folder_ / "a", std::string(300000, 'a') + "b");
  const BackupResult first = back_up_all();
  Opened& repository = index_->repository();
  // As after a crash before the first index was written.
  for (const FileType type : {FileType::Index, FileType::Snapshot}) {
    const std::vector<Id> ids = repository.list(type).take();
    for (const Id& id : ids) ASSERT_TRUE(repository.remove(type, id));
  }
  const Result<uint64_t> taken = take_up_packs(repository, {});
  ASSERT_TRUE(taken) << taken.error().what();
  EXPECT_EQ(*taken, repository.list(FileType::Pack)->size());
  EXPECT_EQ(*take_up_packs(repository, {}), 0U);
  index_ = load_index(open(store_, "secret", around_).take(), {}).take();
  const BackupResult second = back_up_all();
  EXPECT_EQ(second.summary.data_blobs, 0U);
  EXPECT_EQ(second.snapshot->tree, first.snapshot->tree);
}

/// Asks for a stop when it is given data.
struct StoppingStore final : blob::Forwarding {
  using Forwarding::Forwarding;
  std::stop_source source{};
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    if (name.starts_with("data/")) source.request_stop();
    return Forwarding::put(name, bytes, options);
  }
};

TEST_F(Backups, AfterAStopThereIsNoSnapshotThoughAllWasRead) {
  write(folder_ / "small", "read and stored before anything is sent");
  const auto store = std::make_shared<StoppingStore>(store_);
  index_ = load_index(open(store, "secret", around_).take(), {}).take();
  BackupOptions options;
  options.paths = {folder_};

  const auto done = back_up(
      *index_, options, [](const BackupProgress&) {}, store->source.get_token());

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().fault(), Fault::Unavailable);
  uint64_t snapshots = 0, indexes = 0;
  ASSERT_TRUE(store_->list("snapshots/", [&](const blob::Info&) { ++snapshots; }));
  ASSERT_TRUE(store_->list("index/", [&](const blob::Info&) { ++indexes; }));
  EXPECT_EQ(snapshots, 0U);
  EXPECT_EQ(indexes, 1U) << "what was sent is found again";
}

TEST_F(Backups, FoldersAreFollowedAsDeeplyAsPathsReach) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_EQ(::mkdir("d", 0700), 0);
    ASSERT_EQ(::chdir("d"), 0);
    if (i == 1000) std::ofstream("halfway") << "far down";
  }
  fs::current_path(before);

  const BackupResult done = back_up_all({.scan = true});

  EXPECT_EQ(done.summary.files_new, 1U);
  EXPECT_GT(done.summary.dirs_new, 2000U);
  ASSERT_EQ(done.errors.size(), 1U);
  EXPECT_NE(done.errors[0].find("File name too long"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::repo

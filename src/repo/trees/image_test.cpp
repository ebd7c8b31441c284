// Disk images: into a repository as segments, and back as one file.
#include <holdfast/repo/backup.h>
#include <holdfast/repo/dump.h>
#include <holdfast/repo/image.h>
#include <holdfast/repo/restore.h>

#include "backup/journal.h"
#include "dump/tar.h"
#include "files/mapped_file.h"
#include "upkeep/sample.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace holdfast::repo {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMebibyte = uint64_t{1} << 20, kGibibyte = uint64_t{1} << 30;
/// Two segments, the second of them short and not a whole number of chunks.
constexpr uint64_t kSize = 300 * kMebibyte + 12345;

void put(const fs::path& path, uint64_t offset, std::string_view bytes) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(std::streamoff(offset));
  file << bytes;
  ASSERT_TRUE(file.flush().good());
}

std::string get(const fs::path& path, uint64_t offset, size_t size) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(std::streamoff(offset));
  std::string out(size, '\0');
  file.read(out.data(), std::streamsize(size));
  out.resize(size_t(file.gcount()));
  return out;
}

bool same_bytes(const fs::path& a, const fs::path& b) {
  return MappedFile::open(a)->bytes() == MappedFile::open(b)->bytes();
}

uint64_t bytes_on_disk(const fs::path& path) {
  struct stat info {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return uint64_t(info.st_blocks) * 512;
}

struct Images : testing::Test {
  Images() {
    std::string name = fs::temp_directory_path() / "holdfast-image.XXXXXX";
    folder_ = mkdtemp(name.data());
    disk_ = folder_ / "from" / "disk.img";
    to_ = folder_ / "to";
    fs::create_directories(folder_ / "from");
    std::ofstream{disk_};
    fs::resize_file(disk_, kSize);
    SeededRandom random(3);
    put(disk_, 5 * kMebibyte, random.bytes(2 * kMebibyte));
    put(disk_, 260 * kMebibyte, random.bytes(kMebibyte));
    put(disk_, kSize - 100, random.bytes(100));
    fs::permissions(disk_, fs::perms(0640));
    index_ = sample_.index();
  }
  ~Images() override {
    fs::current_path("/");
    fs::remove_all(folder_);
  }
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  BackupResult back_up_disk(BackupOptions options = {}) {
    // Relative, so that no folder above it, which others write to, is part of the snapshot.
    fs::current_path(folder_);
    options.paths = {"from"};
    options.segment_larger_than = 10 * kMebibyte;
    Result<BackupResult> done = back_up(*index_, options, [](const BackupProgress&) {}, {});
    EXPECT_TRUE(done) << done.error().what();
    return done.take();
  }
  Node node_of_disk(const Snapshot& snapshot) {
    const Id tree = *find_tree(*index_, snapshot.tree, "/from");
    return parse_tree(*index_->read(BlobType::Tree, tree))->at(0);
  }
  std::vector<Id> segments(const Snapshot& snapshot) {
    const Node node = node_of_disk(snapshot);
    return *segment_trees(*index_, node, *image_layout(node));
  }
  RestoreResult restore_disk(const Snapshot& snapshot, RestoreOptions options = {}) {
    if (options.to_device.empty()) options.target = to_;
    options.subfolder = options.to_device.empty() ? "/from" : "/from/disk.img";
    Result<RestoreResult> done =
        restore(*index_, snapshot, options, [](const RestoreProgress&) {}, {});
    EXPECT_TRUE(done) << done.error().what();
    return done.take();
  }

  Sample sample_{};
  fs::path folder_, disk_, to_;
  std::unique_ptr<Indexed> index_;
};

TEST(ImageLayouts, AreSaidInAWordThatIsReadBack) {
  const ImageLayout layout{kSize, 256 * kMebibyte, 65536, 0640, true};
  EXPECT_EQ(to_text(layout), "1 314585145 268435456 65536 0640 device");
  EXPECT_EQ(parse_image_layout(to_text(layout)), layout);
  EXPECT_EQ(layout.segments(), 2U);
  EXPECT_EQ(layout.length(1), kSize - 256 * kMebibyte);
  for (const char* wrong :
       {"", "1", "2 10 8 4 0640 file", "1 10 8 4 0640 folder", "1 10 8 3 0640 file",
        "1 10 0 4 0640 file", "1 10 8 0 0640 file", "1 x 8 4 0640 file", "1 10 8 4 0640 file ",
        "1 9223372036854775808 8 4 0640 file", "1 8000008 8 4 0640 file", "1 10 8 4 99 file"})
    EXPECT_FALSE(parse_image_layout(wrong)) << wrong;
}

TEST(ImageLayouts, GrowWithTheImage) {
  const auto chosen = [](uint64_t size, uint64_t chunk = 0) {
    const ImageLayout layout = choose_layout(size, chunk);
    return std::pair(layout.chunk >> 10, layout.segment >> 20);
  };
  EXPECT_EQ(chosen(0), std::pair(uint64_t{64}, uint64_t{256}));
  EXPECT_EQ(chosen(256 * kGibibyte), std::pair(uint64_t{64}, uint64_t{256}));
  EXPECT_EQ(chosen(256 * kGibibyte + 1), std::pair(uint64_t{128}, uint64_t{512}));
  EXPECT_EQ(chosen(2048 * kGibibyte), std::pair(uint64_t{256}, uint64_t{1024}));
  EXPECT_EQ(chosen(kGibibyte, 16 << 10), std::pair(uint64_t{16}, uint64_t{256}));
  EXPECT_EQ(chosen(kGibibyte, kMebibyte), std::pair(uint64_t{1024}, uint64_t{1024}));
  const ImageLayout odd = choose_layout(kGibibyte, 100 << 10);
  EXPECT_EQ(odd.segment % odd.chunk, 0U);
}

TEST_F(Images, BecomeFoldersOfSegmentsAndOneSparseFileAgain) {
  const BackupResult done = back_up_disk();

  EXPECT_TRUE(done.errors.empty());
  EXPECT_EQ(done.summary.files_new, 1U);
  EXPECT_EQ(done.summary.total_bytes_processed, kSize);
  const Node folder = node_of_disk(*done.snapshot);
  EXPECT_EQ(folder.type, NodeType::Dir);
  const std::vector<Id> trees = segments(*done.snapshot);
  ASSERT_EQ(trees.size(), 2U);
  const ImageLayout layout = *image_layout(folder);
  EXPECT_EQ(read_segment(*index_, trees[0], layout, 0)->content->size(), 4096U);
  EXPECT_EQ(read_segment(*index_, trees[1], layout, 1)->content->size(), 45U * 16 - 15);
  // 3 MiB of chunks that are not zero, two that the ends of an image have, and zeros.
  EXPECT_LE(done.summary.data_blobs, 51U);

  const RestoreResult back = restore_disk(*done.snapshot);

  EXPECT_TRUE(back.errors.empty());
  EXPECT_EQ(back.files_restored, 1U);
  EXPECT_TRUE(same_bytes(disk_, to_ / "disk.img"));
  EXPECT_LT(bytes_on_disk(to_ / "disk.img"), 8 * kMebibyte);
  EXPECT_EQ(fs::status(to_ / "disk.img").permissions(), fs::perms(0640));
  EXPECT_EQ(fs::last_write_time(to_ / "disk.img"), fs::last_write_time(disk_));
}

TEST_F(Images, AChangedPageIsOneChunkOfOneSegment) {
  const BackupResult first = back_up_disk();
  put(disk_, 6 * kMebibyte + 70000, "changed");

  const BackupResult second = back_up_disk();

  EXPECT_EQ(second.summary.files_changed, 1U);
  EXPECT_EQ(second.summary.data_blobs, 1U);
  EXPECT_NE(segments(*second.snapshot)[0], segments(*first.snapshot)[0]);
  EXPECT_EQ(segments(*second.snapshot)[1], segments(*first.snapshot)[1]);
  EXPECT_TRUE(restore_disk(*second.snapshot).errors.empty());
  EXPECT_TRUE(same_bytes(disk_, to_ / "disk.img"));
}

TEST_F(Images, AnUnchangedOneIsNotReadAndATouchedOneAddsNothingButItsTimes) {
  const BackupResult first = back_up_disk();
  EXPECT_EQ(back_up_disk().summary.files_unmodified, 1U);
  EXPECT_EQ(back_up_disk({.skip_if_unchanged = true}).snapshot, std::nullopt);
  fs::last_write_time(disk_, fs::last_write_time(disk_) + std::chrono::seconds(5));

  const BackupResult touched = back_up_disk();

  EXPECT_EQ(touched.summary.files_changed, 1U);
  EXPECT_EQ(touched.summary.data_blobs, 0U);
  EXPECT_EQ(segments(*touched.snapshot), segments(*first.snapshot));
}

TEST_F(Images, KeepTheCutsOfTheirParent) {
  const ChunkPolicy large{.kind = ChunkPolicy::Kind::Fixed, .fixed_size = 256 << 10};
  const BackupResult first = back_up_disk({.chunks = large});
  put(disk_, 0, "changed");

  const BackupResult second = back_up_disk();

  EXPECT_EQ(image_layout(node_of_disk(*second.snapshot))->chunk, 256U << 10);
  EXPECT_EQ(segments(*second.snapshot).size(), 1U) << "segments of a gigabyte";
  EXPECT_EQ(second.summary.data_blobs, 1U);
}

TEST_F(Images, OnlyWhatDiffersIsWrittenOverWhatIsThere) {
  const BackupResult done = back_up_disk();
  fs::create_directories(to_);
  fs::copy_file(disk_, to_ / "disk.img");
  put(to_ / "disk.img", 100 * kMebibyte, "these were zeros");
  put(to_ / "disk.img", kSize, "too much");

  const RestoreResult back = restore_disk(*done.snapshot);

  EXPECT_EQ(back.bytes_restored, 65536U);
  EXPECT_TRUE(same_bytes(disk_, to_ / "disk.img"));
  const RestoreResult again =
      restore_disk(*done.snapshot, {.overwrite = RestoreOptions::Overwrite::IfChanged});
  EXPECT_EQ(again.files_unchanged, 1U);
}

TEST_F(Images, GoOntoADeviceThatIsLargeEnough) {
  const BackupResult done = back_up_disk();
  const fs::path device = folder_ / "device";
  std::ofstream{device} << "what was there before";
  RestoreOptions options{.to_device = device};
  options.subfolder = "/from/disk.img";
  const auto refused = restore(*index_, *done.snapshot, options, [](const RestoreProgress&) {}, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what().find("has 21 bytes"), std::string::npos);
  fs::resize_file(device, kSize + 10);
  put(device, kSize, "stays");

  const RestoreResult back = restore_disk(*done.snapshot, {.to_device = device, .verify = true});

  EXPECT_TRUE(back.errors.empty());
  EXPECT_EQ(back.files_verified, 1U);
  EXPECT_EQ(get(device, kSize, 5), "stays");
  fs::resize_file(device, kSize);
  EXPECT_TRUE(same_bytes(disk_, device));
}

/// Compares what it gets with the bytes of a file, from some place of the stream on.
struct Comparison {
  Comparison(const fs::path& path, size_t from)
      : file(MappedFile::open(path).take()), before(from) {}

  Sink sink() {
    return [this](std::string_view bytes) -> Result<void> {
      const size_t header = std::min(bytes.size(), before);
      before -= header;
      bytes.remove_prefix(header);
      const std::string_view wanted = file.bytes().substr(at).substr(0, bytes.size());
      same = same && bytes.starts_with(wanted);
      at += wanted.size();
      behind += bytes.size() - wanted.size();
      return ok();
    };
  }

  MappedFile file;
  size_t before = 0, at = 0, behind = 0;
  bool same = true;
};

TEST_F(Images, AreDumpedWholeAndAsFilesOfArchives) {
  const BackupResult done = back_up_disk();
  const Node node = node_of_disk(*done.snapshot);

  Comparison plain(disk_, 0);
  ASSERT_TRUE(dump_image(*index_, node, plain.sink(), {}));
  EXPECT_TRUE(plain.same);
  EXPECT_EQ(plain.at, kSize);
  EXPECT_EQ(plain.behind, 0U);

  const Node file = image_file(node, *image_layout(node));
  Comparison archive(disk_, tar_header(file, "disk.img", "").size());
  const Id tree = *find_tree(*index_, done.snapshot->tree, "/from");
  ASSERT_TRUE(dump_tar(*index_, tree, "", archive.sink(), {}));
  EXPECT_TRUE(archive.same);
  EXPECT_EQ(archive.at, kSize);
  EXPECT_EQ(archive.behind, tar_padding(kSize).size() + tar_end().size());
}

/// The folder of an image with one of its segments replaced.
Id without_segment(Indexed& index, const Node& image, std::optional<Id> instead) {
  std::vector<Node> nodes = *parse_tree(*index.read(BlobType::Tree, *image.subtree));
  if (instead)
    nodes[0].subtree = *instead;
  else
    nodes.erase(nodes.begin());
  Node damaged = image;
  const BackupOptions options;
  Saver saver(static_cast<IndexedRepository&>(index), options);
  damaged.subtree = *saver.save_tree(nodes);
  const Id tree = *saver.save_tree({damaged});
  EXPECT_TRUE(saver.finish());
  return tree;
}

TEST_F(Images, WithoutASegmentAreRestoredAsTheFolderThatIsLeft) {
  Snapshot snapshot = *back_up_disk().snapshot;
  snapshot.tree = without_segment(*index_, node_of_disk(snapshot), {});
  RestoreOptions options{.target = to_};

  const auto back = restore(*index_, snapshot, options, [](const RestoreProgress&) {}, {});

  ASSERT_TRUE(back);
  ASSERT_EQ(back->errors.size(), 1U);
  EXPECT_NE(back->errors[0].find("2 segments has 1"), std::string::npos) << back->errors[0];
  EXPECT_EQ(fs::file_size(to_ / "disk.img" / "seg000001" / "data"), kSize - 256 * kMebibyte);
}

TEST_F(Images, ASegmentThatIsLostIsNamedAndTheOthersComeBack) {
  Snapshot snapshot = *back_up_disk().snapshot;
  snapshot.tree = without_segment(*index_, node_of_disk(snapshot), Id());
  RestoreOptions options{.target = to_};

  const auto back = restore(*index_, snapshot, options, [](const RestoreProgress&) {}, {});

  ASSERT_TRUE(back);
  EXPECT_EQ(back->errors.size(), 1U);
  EXPECT_EQ(back->files_restored, 0U);
  EXPECT_EQ(fs::file_size(to_ / "disk.img"), kSize);
  EXPECT_EQ(get(to_ / "disk.img", 260 * kMebibyte, kMebibyte),
            get(disk_, 260 * kMebibyte, kMebibyte));
}

TEST_F(Images, OneThatBecameSmallIsAFile) {
  back_up_disk();
  fs::resize_file(disk_, 0);

  const BackupResult small = back_up_disk();

  EXPECT_EQ(node_of_disk(*small.snapshot).type, NodeType::File);
  back_up_disk();
  EXPECT_EQ(restore_disk(*small.snapshot).files_restored, 1U);
  EXPECT_EQ(fs::file_size(to_ / "disk.img"), 0U);
}

TEST_F(Images, FinishedSegmentsAreFoundByTheNextBackup) {
  const BackupResult done = back_up_disk();
  const auto& index = static_cast<const IndexedRepository&>(*index_);
  const std::string path = folder_ / "journal";
  Node image;
  image.size = kSize;
  image.inode = 7;
  const Id tree = segments(*done.snapshot)[1];
  {
    Journal journal(path);
    journal.segment_done("/a b/seg000001:1:1", image, tree);
    journal.segment_done("/a b/seg000002:1:1", image, Id());
    journal.flush();
  }

  const Journal again(path);

  EXPECT_EQ(again.find_segment("/a b/seg000001:1:1", image, index), tree);
  EXPECT_FALSE(again.find_segment("/a b/seg000002:1:1", image, index)) << "in no index";
  EXPECT_FALSE(again.find_segment("/a b/seg000001:1:2", image, index));
  image.mtime.seconds = 1;
  EXPECT_FALSE(again.find_segment("/a b/seg000001:1:1", image, index));
}

}  // namespace
}  // namespace holdfast::repo

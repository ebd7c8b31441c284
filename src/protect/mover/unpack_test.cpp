// Archives that pods send: what is in them comes out, and nothing comes out beside the folder.
#include "mover/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>

namespace holdfast::protect {
namespace {

namespace fs = std::filesystem;

class Tar {
 public:
  Tar() {
    archive_write_set_format_pax(archive_);
    archive_write_open(archive_, this, nullptr, keep, nullptr);
  }
  Tar(const Tar&) = delete;
  Tar& operator=(const Tar&) = delete;
  ~Tar() { archive_write_free(archive_); }
  Tar& add(const std::string& name, mode_t type, const std::string& content,
           const std::string& link = "", const std::string& hard = "") {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, type == AE_IFDIR ? 0750 : 0640);
    archive_entry_set_mtime(entry, 1234567890, 123456789);
    archive_entry_set_size(entry, la_int64_t(content.size()));
    if (!link.empty()) archive_entry_set_symlink(entry, link.c_str());
    if (!hard.empty()) archive_entry_set_hardlink(entry, hard.c_str());
    EXPECT_EQ(archive_write_header(archive_, entry), ARCHIVE_OK);
    if (!content.empty()) archive_write_data(archive_, content.data(), content.size());
    archive_entry_free(entry);
    return *this;
  }
  std::string bytes() {
    archive_write_close(archive_);
    return bytes_;
  }

 private:
  static la_ssize_t keep(archive*, void* self, const void* bytes, size_t size) {
    static_cast<Tar*>(self)->bytes_.append(static_cast<const char*>(bytes), size);
    return la_ssize_t(size);
  }
  archive* archive_ = archive_write_new();
  std::string bytes_;
};

class Unpack : public testing::Test {
 protected:
  Unpack() {
    std::string name = (fs::temp_directory_path() / "holdfast-unpack.XXXXXX").string();
    home_ = mkdtemp(name.data());
    fs::create_directory(home_ / "in");
    fs::create_directory(home_ / "out");
  }
  ~Unpack() override { fs::remove_all(home_); }
  Unpack(const Unpack&) = delete;
  Unpack& operator=(const Unpack&) = delete;

  Result<void> unpack(const std::string& bytes) {
    size_t at = 0;
    return unpack_tar(
        [&bytes, &at](char* into, size_t most) -> Result<size_t> {
          const size_t size = std::min({most, bytes.size() - at, size_t(700)});
          std::memcpy(into, bytes.data() + at, size);
          at += size;
          return size;
        },
        home_ / "in");
  }
  std::string read(const std::string& name) const {
    std::ifstream file(home_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path home_;
};

TEST_F(Unpack, FilesFoldersAndLinksComeOut) {
  const std::string large(100000, 'x');
  ASSERT_TRUE(unpack(Tar()
                         .add("./", AE_IFDIR, "")
                         .add("./deep/", AE_IFDIR, "")
                         .add("./deep/file", AE_IFREG, large)
                         .add("./same", AE_IFREG, "", "", "./deep/file")
                         .add("./link", AE_IFLNK, "", "/etc/hostname")
                         .add("./.hidden", AE_IFREG, "h")
                         .bytes()));
  EXPECT_EQ(read("in/deep/file"), large);
  EXPECT_EQ(read("in/.hidden"), "h");
  EXPECT_EQ(fs::read_symlink(home_ / "in/link"), "/etc/hostname");
  EXPECT_EQ(fs::hard_link_count(home_ / "in/same"), 2U);
  struct stat seen {};
  ASSERT_EQ(stat((home_ / "in/deep/file").c_str(), &seen), 0);
  EXPECT_EQ(seen.st_mode & 07777U, 0640U);
  EXPECT_EQ(seen.st_mtim.tv_sec, 1234567890);
  EXPECT_EQ(seen.st_mtim.tv_nsec, 123456789);
}

TEST_F(Unpack, NothingLeavesTheFolder) {
  for (const std::string& name : {std::string("../out/evil"), std::string("a/../../out/evil"),
                                  (home_ / "out/evil").string()}) {
    const Result<void> done = unpack(Tar().add(name, AE_IFREG, "evil").bytes());
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().what().find("evil"), std::string::npos) << done.error().what();
  }
  EXPECT_FALSE(unpack(Tar()
                          .add("way", AE_IFLNK, "", (home_ / "out").string())
                          .add("way/evil", AE_IFREG, "evil")
                          .bytes()));
  EXPECT_FALSE(unpack(Tar().add("pass", AE_IFREG, "", "", "../../../etc/passwd").bytes()));
  EXPECT_TRUE(fs::is_empty(home_ / "out"));
}

TEST_F(Unpack, HalfAnArchiveIsAnError) {
  const std::string whole = Tar().add("file", AE_IFREG, std::string(100000, 'x')).bytes();
  const Result<void> cut = unpack(whole.substr(0, 50000));
  ASSERT_FALSE(cut);
  EXPECT_TRUE(cut.error().transient()) << "the next attempt may get all of it";
  EXPECT_FALSE(unpack("this is no archive, however long one reads it" + std::string(2000, '!')));
}

TEST_F(Unpack, WhatTheSourceSaysIsTheError) {
  const Result<void> done = unpack_tar(
      [](char*, size_t) -> Result<size_t> { return Error(Fault::Unavailable, "the pod is gone"); },
      home_ / "in");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().what(), "the pod is gone");
  EXPECT_TRUE(done.error().transient());
}

}  // namespace
}  // namespace holdfast::protect

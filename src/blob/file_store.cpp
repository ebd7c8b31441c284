// File store: a folder of files, one per blob.
//
//   put:         FOLDER/NAME-tmp-RANDOM written → fsync → rename to NAME → fsync of the folder
//   remove_all:  unlink each → fsync of their folders
// Both sync first what this process has seen of the store, or they might outlive what they rest on
// (folder_sync.h). A crash leaves at most a file with "-tmp-" in its name; list() does not show it.
#include "file_store.h"

#include <holdfast/base/descriptor.h>
#include <holdfast/base/random.h>
#include <holdfast/blob/stores.h>

#include "folder_sync.h"
#include "names.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <system_error>

namespace holdfast::blob {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTemporary = "-tmp-";
/// Blobs from here on are written past the page cache, in pieces, which must be whole blocks.
constexpr size_t kLarge = size_t{1} << 20, kPiece = size_t{2} << 20, kBlock = 4096;

Error failure(std::string_view verb, const std::string& name, int code) {
  Fault fault = Fault::Unavailable;
  if (code == ENOENT || code == ENOTDIR) fault = Fault::NotFound;
  if (code == EACCES || code == EPERM || code == EROFS) fault = Fault::Denied;
  // Waiting does not make room: whoever runs the backup must.
  if (code == ENOSPC || code == EDQUOT || code == EFBIG || code == ENAMETOOLONG)
    fault = Fault::Invalid;
  Error error(fault, fmt::format("{} {}: {}", verb, name, std::generic_category().message(code)));
  if (code != ENOSPC && code != EDQUOT) return error;
  return std::move(error).with_hint("make room there, or raise the quota");
}

bool write_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(size_t(written));
  }
  return true;
}

/// Past the page cache, which a pack would only fill: nobody reads it soon, and the copy there
/// costs as much as sealing it. In aligned pieces through a small buffer, which stays in the
/// processor's cache; the rest that fills no block goes the usual way. False where the file system
/// does not offer this: begin again.
bool write_directly(int fd, std::string_view& bytes) {
  struct Free {
    void operator()(char* buffer) const { std::free(buffer); }
  };
  thread_local const std::unique_ptr<char, Free> buffer(
      static_cast<char*>(std::aligned_alloc(kBlock, kPiece)));
  const int flags = ::fcntl(fd, F_GETFL);
  if (!buffer || flags < 0 || ::fcntl(fd, F_SETFL, flags | O_DIRECT) != 0) return false;
  bool good = true;
  while (good && bytes.size() >= kBlock) {
    const size_t size = std::min(bytes.size() / kBlock * kBlock, kPiece);
    bytes.copy(buffer.get(), size);
    const ssize_t written = ::write(fd, buffer.get(), size);
    if (written < 0 && errno == EINTR) continue;
    good = written == ssize_t(size);
    if (good) bytes.remove_prefix(size);
  }
  return ::fcntl(fd, F_SETFL, flags) == 0 && good;
}

class FileStore final : public Store {
 public:
  FileStore(const fs::path& root, bool synced)
      : root_(root.has_filename() ? root : root.parent_path()), synced_(synced), folders_(root_) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override;
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override;
  Result<Info> stat(const std::string& name) override;
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override;
  Result<void> remove(const std::string& name) override;
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override;
  Abilities abilities() const override {
    return {.exclusive_put = true, .read_only = ::access(root_.c_str(), W_OK) != 0};
  }
  bool lists_at_once() const override;
  std::string text() const override { return root_.string(); }

 private:
  Result<void> make_folders(const std::string& name);
  Result<void> write_temporary(const fs::path& path, const std::string& name,
                               std::string_view bytes);
  Result<void> place(const fs::path& temporary, const std::string& name, std::string_view bytes,
                     bool exclusive);
  Result<void> list_folder(const fs::path& folder, const std::string& above,
                           const std::string& prefix, const std::function<void(const Info&)>& each);

  const fs::path root_;
  const bool synced_;
  FolderSync folders_;
  SystemRandom random_;
};

/// Of file systems on a network a client may be shown what it remembers.
bool FileStore::lists_at_once() const {
  struct statfs info {};
  if (::statfs(root_.c_str(), &info) != 0) return false;
  constexpr unsigned long kLocal[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                      F2FS_SUPER_MAGIC, TMPFS_MAGIC,     OVERLAYFS_SUPER_MAGIC};
  return std::find(std::begin(kLocal), std::end(kLocal), static_cast<unsigned long>(info.f_type)) !=
         std::end(kLocal);
}

Result<void> FileStore::make_folders(const std::string& name) {
  for (size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    const fs::path folder = root_ / name.substr(0, slash);
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failure("PUT", name, errno);
  }
  return ok();
}

Result<void> FileStore::write_temporary(const fs::path& path, const std::string& name,
                                        std::string_view bytes) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
  if (!file) return failure("PUT", name, errno);
  std::string_view left = bytes;
  bool good = true;
  if (synced_ && bytes.size() >= kLarge && !write_directly(file.get(), left)) {
    left = bytes;
    good = ::ftruncate(file.get(), 0) == 0 && ::lseek(file.get(), 0, SEEK_SET) == 0;
  }
  if (good && write_whole(file.get(), left) && (!synced_ || ::fsync(file.get()) == 0)) return ok();
  const int code = errno;
  ::unlink(path.c_str());
  return failure("PUT", name, code);
}

Result<void> FileStore::place(const fs::path& temporary, const std::string& name,
                              std::string_view bytes, bool exclusive) {
  const fs::path path = root_ / name;
  // link() refuses a name that is taken, rename() does not.
  const int placed = exclusive ? ::link(temporary.c_str(), path.c_str())
                               : ::rename(temporary.c_str(), path.c_str());
  const int code = errno;
  if (exclusive || placed != 0) ::unlink(temporary.c_str());
  if (placed == 0) return ok();
  if (code != EEXIST) return failure("PUT", name, code);
  const Result<std::string> there = get(name, {});
  if (there && *there == bytes) return ok();
  return Error(Fault::Conflict, fmt::format("PUT {}: the name is taken", name));
}

Result<void> FileStore::put(const std::string& name, std::string_view bytes,
                            const PutOptions& options) {
  HF_TRY(check_name(name));
  if (synced_) HF_TRY(folders_.keep_seen());
  const fs::path path = root_ / name;
  const fs::path temporary =
      path.string() + std::string(kTemporary) + std::to_string(random_.next() % 1'000'000'000);
  Result<void> written = write_temporary(temporary, name, bytes);
  if (!written && written.error().fault() == Fault::NotFound) {
    HF_TRY(make_folders(name));
    written = write_temporary(temporary, name, bytes);
  }
  if (!written) return written;
  HF_TRY(place(temporary, name, bytes, options.exclusive));
  if (!synced_) return ok();
  HF_TRY(folders_.sync(path.parent_path()));
  return folders_.keep(path.parent_path());
}

Result<void> FileStore::read(const std::string& name, std::optional<Range> range,
                             std::string& into) {
  HF_TRY(check_name(name));
  const Descriptor file(::open((root_ / name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return failure("GET", name, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return failure("GET", name, errno);
  const auto size = uint64_t(info.st_size);
  const Range wanted = range.value_or(Range{0, size});
  if (wanted.offset + wanted.length > size) return too_short(name, wanted, size);
  into.resize(wanted.length);
  for (size_t done = 0; done < into.size();) {
    const ssize_t got =
        ::pread(file.get(), into.data() + done, into.size() - done, off_t(wanted.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("GET", name, errno);
    if (got == 0) return too_short(name, wanted, wanted.offset + done);
    done += size_t(got);
  }
  return ok();
}

Result<Info> FileStore::stat(const std::string& name) {
  HF_TRY(check_name(name));
  struct stat info {};
  if (::stat((root_ / name).c_str(), &info) != 0) return failure("HEAD", name, errno);
  if (!S_ISREG(info.st_mode)) return missing("HEAD", name);
  return Info{name, uint64_t(info.st_size)};
}

Result<void> FileStore::list_folder(const fs::path& folder, const std::string& above,
                                    const std::string& prefix,
                                    const std::function<void(const Info&)>& each) {
  std::error_code code;
  fs::directory_iterator entries(folder, code);
  // A folder that nobody has made holds nothing.
  if (code == std::errc::no_such_file_or_directory) return ok();
  if (code) return failure("LIST", above, code.value());
  for (const fs::directory_entry& entry : entries) {
    const std::string name = above + entry.path().filename().string();
    struct stat info {};
    if (::stat(entry.path().c_str(), &info) != 0) continue;  // removed meanwhile
    if (S_ISDIR(info.st_mode)) {
      const std::string inner = name + "/";
      if (inner.starts_with(prefix) || prefix.starts_with(inner))
        HF_TRY(list_folder(entry.path(), inner, prefix, each));
    } else if (S_ISREG(info.st_mode) && name.starts_with(prefix) &&
               name.find(kTemporary) == std::string::npos) {
      each({name, uint64_t(info.st_size)});
    }
  }
  if (synced_) folders_.looked_at(folder);
  return ok();
}

Result<void> FileStore::list(const std::string& prefix,
                             const std::function<void(const Info&)>& each) {
  // Straight to the deepest folder that the prefix names.
  const size_t slash = prefix.rfind('/');
  const std::string above = slash == std::string::npos ? "" : prefix.substr(0, slash + 1);
  return list_folder(root_ / above, above, prefix, each);
}

Result<void> FileStore::remove(const std::string& name) {
  HF_TRY(check_name(name));
  if (::unlink((root_ / name).c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return ok();
  return failure("DELETE", name, errno);
}

Result<std::vector<std::string>> FileStore::remove_all(const std::vector<std::string>& names) {
  if (synced_) HF_TRY(folders_.keep_seen());
  std::vector<std::string> stayed = HF_TRY(Store::remove_all(names));
  std::set<fs::path> changed;
  for (const std::string& name : names) changed.insert((root_ / name).parent_path());
  std::error_code code;
  for (const fs::path& folder : changed)
    if (synced_ && fs::exists(folder, code)) HF_TRY(folders_.sync(folder));
  return stayed;
}

/// With those above it, each synced into the one that holds it. Also those that are there: whoever
/// made them may have died before the sync. What cannot be synced there is not ours to keep.
Result<void> make_root(const fs::path& folder) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  fs::path at;
  for (const fs::path& part : whole) {
    const fs::path above = at;
    at /= part;
    const bool made = ::mkdir(at.c_str(), 0777) == 0;
    if (!made && errno != EEXIST) return failure("make folder", folder.string(), errno);
    if (above.empty()) continue;
    Result<void> synced = FolderSync::sync(above);
    if (!synced && made) return synced;
  }
  return ok();
}

}  // namespace

Result<std::unique_ptr<Store>> file_store(const fs::path& folder, bool create) {
  if (create) HF_TRY(make_root(folder));
  std::error_code code;
  if (!fs::is_directory(folder, code)) {
    if (code && code != std::errc::no_such_file_or_directory)
      return failure("open folder", folder.string(), code.value());
    return Error(Fault::NotFound, fmt::format("{} is no folder", folder.string()));
  }
  return std::unique_ptr<Store>(std::make_unique<FileStore>(folder, true));
}

std::unique_ptr<Store> unsynced_file_store(const fs::path& folder) {
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  return std::make_unique<FileStore>(folder, false);
}

}  // namespace holdfast::blob

#include "mover/unpack.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

namespace holdfast::protect {
namespace {

struct Free {
  void operator()(archive* it) const { archive_free(it); }
};
using Archive = std::unique_ptr<archive, Free>;

/// What libarchive's callback needs between two calls.
struct Feed {
  const ByteSource& source;
  std::vector<char> buffer = std::vector<char>(size_t(64) << 10);
  std::optional<Error> failure{};
};

la_ssize_t feed(archive*, void* data, const void** bytes) {
  Feed& from = *static_cast<Feed*>(data);
  Result<size_t> got = from.source(from.buffer.data(), from.buffer.size());
  if (!got) {
    from.failure = got.take_error();
    return ARCHIVE_FATAL;
  }
  *bytes = from.buffer.data();
  return la_ssize_t(*got);
}

Error failed(archive* it, const Feed& from, Fault fault, std::string_view doing) {
  if (from.failure) return from.failure->copy();
  const char* said = archive_error_string(it);
  return {fault, fmt::format("{}: {}", doing, said != nullptr ? said : "it is damaged")};
}
/// What was printed once as half an archive may be printed whole the next time.
Error unread(archive* it, const Feed& from) {
  return failed(it, from, Fault::Unavailable, "read the pod's folder");
}
Error unwritten(archive* it, const Feed& from) {
  return failed(it, from, Fault::Invalid, "unpack the pod's folder");
}

/// Names are below the folder; who wrote the archive must not say otherwise.
Result<std::string> within(const std::filesystem::path& folder, const char* name) {
  if (name == nullptr) return Error(Fault::Invalid, "unpack the pod's folder: a name is missing");
  const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
  const bool leaves = path.is_absolute() || (!path.empty() && *path.begin() == "..");
  if (leaves)
    return Error(Fault::Invalid,
                 fmt::format("unpack the pod's folder: {} is not a name within it", name));
  return (folder / path).string();
}

Result<void> place(archive_entry* entry, const std::filesystem::path& folder) {
  const std::string path = HF_TRY(within(folder, archive_entry_pathname(entry)));
  archive_entry_copy_pathname(entry, path.c_str());
  if (archive_entry_hardlink(entry) == nullptr) return {};
  const std::string target = HF_TRY(within(folder, archive_entry_hardlink(entry)));
  archive_entry_copy_hardlink(entry, target.c_str());
  return {};
}

Result<void> copy_content(archive* from, archive* to, const Feed& source) {
  for (;;) {
    const void* bytes = nullptr;
    size_t size = 0;
    la_int64_t at = 0;
    const int got = archive_read_data_block(from, &bytes, &size, &at);
    if (got == ARCHIVE_EOF) return {};
    if (got < ARCHIVE_WARN) return unread(from, source);
    if (archive_write_data_block(to, bytes, size, at) < ARCHIVE_WARN) return unwritten(to, source);
  }
}

}  // namespace

Result<void> unpack_tar(const ByteSource& archive, const std::filesystem::path& folder) {
  std::error_code ignored;
  // Links are not followed: the way to the folder itself must have none.
  const std::filesystem::path root = std::filesystem::canonical(folder, ignored);
  Feed source{archive};
  const Archive from(archive_read_new()), to(archive_write_disk_new());
  archive_read_support_format_tar(from.get());
  archive_write_disk_set_options(
      to.get(), ARCHIVE_EXTRACT_OWNER | ARCHIVE_EXTRACT_PERM | ARCHIVE_EXTRACT_TIME |
                    ARCHIVE_EXTRACT_XATTR | ARCHIVE_EXTRACT_ACL | ARCHIVE_EXTRACT_SECURE_NODOTDOT |
                    ARCHIVE_EXTRACT_SECURE_SYMLINKS);
  if (archive_read_open(from.get(), &source, nullptr, feed, nullptr) != ARCHIVE_OK)
    return unread(from.get(), source);
  for (;;) {
    archive_entry* entry = nullptr;
    const int got = archive_read_next_header(from.get(), &entry);
    if (got == ARCHIVE_EOF) break;
    if (got < ARCHIVE_WARN) return unread(from.get(), source);
    HF_TRY(place(entry, root));
    if (archive_write_header(to.get(), entry) < ARCHIVE_WARN) return unwritten(to.get(), source);
    HF_TRY(copy_content(from.get(), to.get(), source));
    if (archive_write_finish_entry(to.get()) < ARCHIVE_WARN) return unwritten(to.get(), source);
  }
  if (archive_write_close(to.get()) != ARCHIVE_OK) return unwritten(to.get(), source);
  return {};
}

}  // namespace holdfast::protect

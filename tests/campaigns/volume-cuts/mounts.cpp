#include "mounts.h"

#include <holdfast/base/files.h>
#include <holdfast/base/process.h>

#include <unistd.h>

#include <cstdlib>

namespace holdfast::suite {

namespace fs = std::filesystem;

namespace {

/// The smallest that mkfs.xfs makes is 300 MiB; the file is sparse.
constexpr uintmax_t kSize = uintmax_t{1} << 30U;

bool on_path(const std::string& program) {
  for (const char* folder : {"/usr/sbin", "/sbin", "/usr/bin", "/bin"})
    if (fs::exists(fs::path(folder) / program)) return true;
  return false;
}

}  // namespace

Mounted::Mounted(const std::string& kind) {
  std::string name = fs::temp_directory_path() / "holdfast-mount.XXXXXX";
  HF_CHECK(mkdtemp(name.data()) != nullptr);
  folder_ = path_ = name;
  if (kind.empty()) return;
  if (geteuid() != 0) missing_ = "only root can mount a " + kind;
  if (!on_path("mkfs." + kind)) missing_ = "mkfs." + kind + " is not installed";
  if (!missing_.empty()) return;
  const fs::path file = folder_ / "file";
  path_ = folder_ / "mount";
  fs::create_directory(path_);
  HF_CHECK(bool(write_file(file, "", 0600)));
  fs::resize_file(file, kSize);
  auto made = output_of({"mkfs." + kind, "-q", file.string()});
  if (made) made = output_of({"mount", "-o", "loop", file.string(), path_.string()});
  mounted_ = bool(made);
  if (!made) missing_ = made.error().what();
}

Mounted::~Mounted() {
  if (mounted_ && !output_of({"umount", path_.string()})) return;
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

}  // namespace holdfast::suite

#include "folder_sync.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

namespace holdfast::blob {

namespace fs = std::filesystem;

Result<void> FolderSync::sync(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool good = fd >= 0 && ::fsync(fd) == 0;
  const int code = errno;
  if (fd >= 0) ::close(fd);
  if (good) return ok();
  return Error(
      code == EACCES || code == EPERM || code == EROFS ? Fault::Denied : Fault::Unavailable,
      fmt::format("sync {}: {}", folder.string(), std::generic_category().message(code)));
}

Result<void> FolderSync::keep(const fs::path& folder) {
  for (fs::path inner = folder; inner != root_; inner = inner.parent_path()) {
    {
      const Lock lock(mutex_);
      if (kept_.contains(inner)) return ok();
    }
    const fs::path above = inner.parent_path();
    // Its neighbours are kept by the same sync: a store of 256 folders needs one.
    std::vector<fs::path> neighbours{inner};
    std::error_code code;
    for (const fs::directory_entry& entry : fs::directory_iterator(above, code)) {
      std::error_code unknown;
      if (entry.is_directory(unknown)) neighbours.push_back(entry.path());
    }
    HF_TRY(sync(above));
    const Lock lock(mutex_);
    kept_.insert(neighbours.begin(), neighbours.end());
  }
  return ok();
}

void FolderSync::looked_at(const fs::path& folder) {
  const Lock lock(mutex_);
  seen_.insert(folder);
}

Result<void> FolderSync::keep_seen() {
  const Lock one_at_a_time(syncing_);
  std::set<fs::path> seen;
  {
    const Lock lock(mutex_);
    seen = std::exchange(seen_, {});
  }
  for (const fs::path& folder : seen) {
    const Result<void> synced = sync(folder);
    if (synced) continue;
    std::error_code code;
    if (!fs::exists(folder, code) && !code) continue;
    const Lock lock(mutex_);
    seen_.insert(seen.begin(), seen.end());
    return synced.error().copy();
  }
  return ok();
}

}  // namespace holdfast::blob

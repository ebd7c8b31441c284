#include "provider/choose.h"

#include <holdfast/base/files.h>

#include "provider/failure.h"
#include "provider/tree.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>

namespace holdfast::volumes {

namespace {

bool is_btrfs(const fs::path& folder) {
  struct statfs what {};
  return statfs(folder.c_str(), &what) == 0 && what.f_type == BTRFS_SUPER_MAGIC;
}

/// By trying: whatever left a probe behind, the next one takes it away.
Result<void> try_btrfs(const fs::path& folder) {
  if (!is_btrfs(folder)) return Error(Fault::Invalid, folder.string() + " is not on btrfs");
  const std::unique_ptr<Provider> btrfs = make_btrfs_provider();
  const fs::path source = folder / ".probe-source", cut = folder / ".probe-cut";
  for (const fs::path& left : {cut, source}) HF_TRY(btrfs->remove(left));
  HF_TRY(btrfs->make_namespace(source));
  HF_TRY(btrfs->cut(source, {}, cut, {}));
  HF_TRY(btrfs->remove(cut));
  return btrfs->remove(source);
}

Result<void> try_reflink(const fs::path& folder) {
  const fs::path from = folder / ".probe-from", to = folder / ".probe-to";
  HF_TRY(write_file(from, std::string(4096, 'x'), 0600));
  Result<void> shared = ok();
  {
    const Descriptor in(open(from.c_str(), O_RDONLY | O_CLOEXEC));
    const Descriptor out(open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (in && out)
      shared = share_blocks(in.get(), out.get(), {});
    else
      shared = failed("probe", folder);
  }
  HF_TRY(remove_file(from));
  HF_TRY(remove_file(to));
  return shared;
}

Error cannot(std::string_view wish, const fs::path& folder, const Error& why) {
  Error error(Fault::Invalid, fmt::format("provider {} does not work in {}: {}", wish,
                                          folder.string(), why.what()));
  return std::move(error).with_hint(
      "--pool-size SIZE makes a btrfs pool there, as root; --provider auto takes what works");
}

}  // namespace

Result<std::unique_ptr<Provider>> choose_provider(std::string_view wish, const fs::path& folder) {
  HF_TRY(make_folder(folder, 0700));
  const bool any = wish == "auto";
  if (any || wish == "btrfs") {
    const Result<void> works = try_btrfs(folder);
    if (works) return make_btrfs_provider();
    if (!any) return cannot(wish, folder, works.error());
  }
  if (any || wish == "reflink") {
    const Result<void> works = try_reflink(folder);
    if (works) return make_reflink_provider();
    if (!any) return cannot(wish, folder, works.error());
  }
  if (any || wish == "copy") return make_copy_provider();
  return Error(Fault::Invalid, fmt::format("there is no provider \"{}\"", wish))
      .with_hint("auto, btrfs, reflink or copy");
}

bool shares_blocks(const fs::path& folder) {
  return make_folder(folder, 0700) && try_reflink(folder);
}

}  // namespace holdfast::volumes

/// The provider for any file system: every file is read and written.
#include "provider/provider.h"
#include "provider/tree.h"

namespace holdfast::volumes {

namespace {

class CopyProvider final : public Provider {
 public:
  std::string_view name() const override { return "copy"; }
  std::string_view promise() const override {
    return "a snapshot is a full copy, file after file: it takes as long and as much room as its "
           "data, and is consistent only of a volume that nobody writes to meanwhile; groups "
           "cannot be cut; the size of a volume is not enforced";
  }
  bool cuts_groups() const override { return false; }

  Result<void> make_namespace(const fs::path& folder) override {
    return make_open_folder(folder, 0700);
  }

  Result<void> cut(const fs::path& of, const std::vector<std::string>& volumes,
                   const fs::path& into, const std::stop_token& stop) override {
    HF_CHECK(volumes.size() == 1);
    HF_TRY(make_open_folder(into, 0700));
    return copy_tree(of / volumes[0], into / volumes[0], copy_bytes, stop);
  }

  Result<void> clone(const fs::path& from, const fs::path& to,
                     const std::stop_token& stop) override {
    return copy_tree(from, to, copy_bytes, stop);
  }

  Result<void> remove(const fs::path& folder) override { return remove_tree(folder); }
};

}  // namespace

std::unique_ptr<Provider> make_copy_provider() { return std::make_unique<CopyProvider>(); }

}  // namespace holdfast::volumes

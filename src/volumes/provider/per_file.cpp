/// The providers that cut a volume file after file: by sharing blocks where the file system can, by
/// copying them where it cannot.
#include "provider/provider.h"
#include "provider/tree.h"

namespace holdfast::volumes {

namespace {

class PerFile final : public Provider {
 public:
  PerFile(std::string_view name, std::string_view promise, bool takes_room, CopyBytes copy)
      : name_(name), promise_(promise), takes_room_(takes_room), copy_(std::move(copy)) {}

  std::string_view name() const override { return name_; }
  std::string_view promise() const override { return promise_; }
  bool cuts_groups() const override { return false; }

  Result<void> make_namespace(const fs::path& folder) override {
    return make_open_folder(folder, 0700);
  }

  Result<void> cut(const fs::path& of, const std::vector<std::string>& volumes,
                   const fs::path& into, const std::stop_token& stop) override {
    HF_CHECK(volumes.size() == 1);
    HF_TRY(make_open_folder(into, 0700));
    if (takes_room_) HF_TRY(expect_room(of / volumes[0], into));
    return copy_tree(of / volumes[0], into / volumes[0], copy_, stop);
  }

  Result<void> clone(const fs::path& from, const fs::path& to,
                     const std::stop_token& stop) override {
    if (takes_room_) HF_TRY(expect_room(from, to.parent_path()));
    return copy_tree(from, to, copy_, stop);
  }

  Result<void> remove(const fs::path& folder) override { return remove_tree(folder); }

 private:
  const std::string_view name_, promise_;
  const bool takes_room_;
  const CopyBytes copy_;
};

}  // namespace

std::unique_ptr<Provider> make_copy_provider() {
  return std::make_unique<PerFile>(
      "copy",
      "a snapshot is a full copy, file after file: it takes as long and as much room as its data, "
      "and is consistent only of a volume that is not written to meanwhile; groups cannot be cut; "
      "the size of a volume is not enforced",
      true, copy_bytes);
}

std::unique_ptr<Provider> make_reflink_provider() {
  return std::make_unique<PerFile>(
      "reflink",
      "a snapshot shares the blocks of each file at one instant, but one file after the other: "
      "across files it is consistent only of a volume that is not written to meanwhile; groups "
      "cannot be cut; the size of a volume is not enforced",
      false, share_blocks);
}

}  // namespace holdfast::volumes

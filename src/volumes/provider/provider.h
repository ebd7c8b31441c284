/// Provider: cuts and clones volumes on one kind of file system. Where they lie is the Store's
/// business; a provider is handed folders. All may be called from several threads at once, never
/// twice at once for one folder.
#pragma once

#include <holdfast/base/result.h>

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::volumes {

namespace fs = std::filesystem;

class Provider {
 public:
  virtual ~Provider() = default;
  /// "btrfs", "reflink", "copy"
  virtual std::string_view name() const = 0;
  /// What a person can and cannot count on, in one sentence.
  virtual std::string_view promise() const = 0;
  /// Whether one cut can hold several volumes at one instant.
  virtual bool cuts_groups() const = 0;

  /// The folder that will hold a namespace's volumes; there already: success.
  virtual Result<void> make_namespace(const fs::path& folder) = 0;
  /// What the volumes, folders in `of`, hold now, as folders of the same names in `into`, which
  /// does not exist yet. More than one volume only where groups can be cut.
  virtual Result<void> cut(const fs::path& of, const std::vector<std::string>& volumes,
                           const fs::path& into, const std::stop_token& stop) = 0;
  /// `to`, which does not exist yet, becomes a writable copy of `from`, a volume or one of a cut.
  virtual Result<void> clone(const fs::path& from, const fs::path& to,
                             const std::stop_token& stop) = 0;
  /// Removes a folder with all that it holds, also cuts and namespaces. Gone already: success.
  virtual Result<void> remove(const fs::path& folder) = 0;
};

std::unique_ptr<Provider> make_btrfs_provider();
/// Files share their blocks: xfs, and btrfs where subvolumes are not ours to make.
std::unique_ptr<Provider> make_reflink_provider();
/// Every file is read and written. Works everywhere.
std::unique_ptr<Provider> make_copy_provider();

}  // namespace holdfast::volumes

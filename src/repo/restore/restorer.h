/// Restorer: walks a snapshot and restores it window by window.
///
///   walk      makes folders and links, collects files until a window is full
///   compare   (only where a file is there already) leaves out the pieces that are right
///   packs     several at once: read in coalesced ranges, unsealed, checked, written
///   second walk   describes the folders, last ones first: writing into them changed their times
/// Both keep the folders that they are in on a stack of their own.
#pragma once

#include <holdfast/repo/image.h>
#include <holdfast/repo/patterns.h>
#include <holdfast/repo/restore.h>

#include "crew/crew.h"
#include "files/output.h"
#include "index/indexed.h"
#include "restore/window.h"

#include <map>
#include <set>

namespace holdfast::repo {

struct RestoreFilters {
  Patterns includes{}, insensitive_includes{}, excludes{}, insensitive_excludes{};
  bool has_includes() const { return !includes.empty() || !insensitive_includes.empty(); }
  bool wants(const std::string& path) const;
  bool wants_below(const std::string& folder) const;
};

/// A folder that the walk is in.
struct RestoreLevel {
  std::vector<Node> nodes{};
  size_t next = 0;
  size_t inside_size = 0, target_size = 0;  ///< of its path in the snapshot, and on the disk
  bool fresh = false;                       ///< it was not there
};

struct RestoreFigures {
  std::atomic<uint64_t> chosen{0};
  std::atomic<uint64_t> files_total{0}, bytes_total{0}, files_done{0}, bytes_done{0};
  std::atomic<uint64_t> files_restored{0}, bytes_restored{0}, files_unchanged{0};
  std::atomic<uint64_t> bytes_skipped{0}, files_deleted{0}, files_verified{0};
};

class Restorer {
 public:
  Restorer(IndexedRepository& index, const RestoreOptions& options, RestoreFilters filters,
           std::stop_token stop);

  Result<void> restore(const Id& tree);
  Result<void> restore_to_device(const Node& node);

  const RestoreFigures& figures() const { return figures_; }
  uint64_t errors() const;
  /// What else the result says: errors, and what was left out.
  void tell_troubles(RestoreResult& result);

 private:
  // The walk. What is visited is at inside_ in the snapshot, and at target_ on the disk.
  std::string top() const { return options_.target == "/" ? "" : options_.target; }
  Result<void> walk(const Id& root);
  Result<void> enter(const Id& tree, bool fresh, bool made);
  void leave();
  Result<void> visit_node(Node& node, bool fresh);
  void visit_special(Node& node);
  Result<void> visit_folder(Node& node, bool fresh);
  /// Folders are made when something goes into them: all that the walk is in.
  Result<void> make_folders();
  /// True if it was not there.
  Result<bool> make_folder(const std::string& path);
  /// Of something that is made in one step.
  void count_whole(const std::string& target);
  void tell(Restoring what, const std::string& target, uint64_t size);
  void add_file(Node& node, std::string path, bool fresh);
  /// How many bytes they are; nothing if one is in no index.
  std::optional<uint64_t> add_pieces(const Node& node, RestoredFile& file, uint32_t number);
  Result<void> delete_extra(const std::vector<Node>& nodes);

  // The second walk.
  Result<void> describe_folders(const Id& root);
  bool is_described(const Node& node, const std::string& inside, const std::string& target) const;
  void make_links();

  // Images.
  Result<bool> visit_image(const Node& node, const std::string& target, bool fresh);
  Result<bool> prepare_image(RestoredImage& image, bool fresh);
  Result<void> restore_image(const std::shared_ptr<RestoredImage>& image, const ImageLayout& layout,
                             const std::vector<Id>& trees);
  void add_segment(const std::shared_ptr<RestoredImage>& image, const Node& segment, uint64_t base);
  void prepare_segment(RestoredFile& file, Hands& hands);
  void image_done(RestoredImage& image);

  // A window.
  Result<void> run_window();
  void prepare(RestoredFile& file, Hands& hands);
  /// The options say that what is there stays.
  bool leaves(const Node& node, const struct stat& there) const;
  bool keep_existing(RestoredFile& file, const struct stat& there);
  /// Of something that is as it should be, or not to be touched.
  void count_left(const std::string& path, uint64_t size);
  void compare(RestoredFile& file, Hands& hands);
  void run_packs();
  size_t end_of_run(size_t first, size_t last, bool alone, uint64_t& end) const;
  void read_pack(size_t first, size_t last, Hands& hands);
  struct OpenedBlob {
    size_t begin = 0, size = 0;  ///< in the buffer
    std::optional<Error> broken{};
    Id id{};
    bool zero = false;  ///< and holes are wanted
  };
  std::vector<OpenedBlob> open_run(size_t first, size_t last, Hands& hands);
  Result<void> write_run(size_t first, size_t last, Hands& hands);
  void write_piece(const Piece& piece, std::string_view plain, bool zero);
  Result<void> write_bytes(RestoredFile& file, uint64_t at, std::string_view plain);
  void finish_file(RestoredFile& file);
  void verify(const RestoredFile& file, const std::vector<Piece>& pieces, Hands& hands);
  /// Spreads numbers below `count` over the crew, `each` at a time, and waits.
  void for_all(size_t count, size_t each, const std::function<void(size_t, Hands&)>& work);

  void report(const std::string& path, const Error& error);
  /// What is special about it, taken away from it unless it is wanted.
  std::string take_special(Node& node) const;
  void leave_out(const std::string& target, const std::string& what);
  bool over() const { return stop_.stop_requested() || disk_.full(); }
  /// An error if it is over.
  Result<void> go_on() const;

  IndexedRepository& index_;
  const RestoreOptions& options_;
  const RestoreFilters filters_;
  const Ownership ownership_;
  const std::stop_token stop_;
  const bool special_;
  Disk disk_;
  RestoreFigures figures_;
  Window window_;
  std::vector<RestoreLevel> way_;
  size_t made_ = 0;  ///< of the way: those after them are made when something goes into them
  std::string inside_, target_;
  std::optional<WalkBound> bound_;
  std::map<std::pair<uint64_t, uint64_t>, std::string> linked_;  ///< by device and inode
  std::vector<std::pair<std::string, std::string>> links_;       ///< to make at the end
  std::set<std::string> joined_;                                 ///< images that have become files
  std::set<std::string> led_to_;  ///< folders that only hold what was chosen
  Mutex telling_;
  mutable Mutex mutex_;
  CondVar changed_;
  size_t running_ HF_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> errors_ HF_GUARDED_BY(mutex_);
  uint64_t left_out_ HF_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> left_out_first_ HF_GUARDED_BY(mutex_);
  Crew crew_;
};

}  // namespace holdfast::repo

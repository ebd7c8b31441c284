/// Archiver: walks folders, reads what has changed and stores trees from the leaves to the root.
///
///   walker (one thread)   lists folders depth first, hands out batches of their entries
///   crew                  stats, compares with the parent snapshot, reads small files whole;
///                         large files are read by one and hashed, compressed and sealed by all
///   last one out          stores the folder's tree and counts down the one above
#pragma once

#include <holdfast/repo/backup.h>
#include <holdfast/repo/image.h>
#include <holdfast/repo/patterns.h>

#include "backup/folder.h"
#include "backup/journal.h"
#include "backup/saver.h"
#include "backup/targets.h"
#include "crew/crew.h"
#include "files/input.h"

#include <set>
#include <stop_token>

namespace holdfast::repo {

struct BigFile;
struct Part;

/// Large files are read in parts of this size, a few chunks.
inline constexpr size_t kPart = size_t{4} << 20;

struct ArchiverFigures {
  std::atomic<uint64_t> files_new{0}, files_changed{0}, files_unmodified{0};
  std::atomic<uint64_t> dirs_new{0}, dirs_changed{0}, dirs_unmodified{0};
  std::atomic<uint64_t> files{0}, bytes{0};
};

struct ScanFigures {
  std::atomic<uint64_t> files{0}, bytes{0};
  std::atomic<bool> complete{false};
};

class Archiver {
 public:
  Archiver(IndexedRepository& index, Saver& saver, const BackupOptions& options, Patterns excludes,
           Patterns insensitive_excludes, Journal& journal, size_t buffers);

  /// The tree of all that the targets name. `before`: the tree of the parent snapshot. What cannot
  /// be read is left out and told by take_errors(); what cannot be stored ends it all.
  Result<Id> archive(const Target& root, std::optional<Id> before, std::stop_token stop);

  /// The tree of one file that holds what the options' stream gives.
  Result<Id> archive_stream();

  /// How much there is to do, beside archive(): the same choice of files, only looked at.
  void scan(const Target& root, const std::stop_token& stop, ScanFigures& found) const;

  const ArchiverFigures& figures() const { return figures_; }
  std::vector<std::string> take_errors();
  uint64_t errors() const;
  std::string current() const;

 private:
  // The walker.
  Folder* make_folder(Folder* above, size_t place, std::string path, Node self);
  void visit_targets(const Target& target, Folder* folder);
  void visit_leaf(const Target& target, Folder& folder, size_t place);
  void visit(Folder* folder);
  void visit_inner(Folder& folder, size_t place);
  void hand_out(Folder& folder, const std::vector<Entry>& entries);
  void load_before(Folder& folder);
  std::optional<Node> folder_node(const std::string& path, std::string name);
  bool excluded(const std::string& path) const;
  /// The files by which a folder asks to be left out. It stays, with the mark alone.
  std::vector<std::string> marks_in(const std::string& folder) const;

  std::vector<Entry> choose(const std::string& folder, std::vector<Entry> entries) const;
  void scan_path(const std::string& path, const std::set<uint64_t>& devices,
                 const std::stop_token& stop, ScanFigures& found) const;
  void scan_file(const std::string& path, ScanFigures& found) const;

  // Batches of files.
  void save_batch(Folder& folder, const std::vector<size_t>& places, Hands& hands);
  /// True: its bytes are wanted.
  bool save_entry(Folder& folder, size_t place, Hands& hands);
  bool keep(Folder& folder, size_t place, const struct stat& info, Hands& hands);
  bool unchanged(const Node& node, const Node& before) const;
  bool has_all(const Node& before) const;
  void save_small(Folder& folder, const std::vector<size_t>& places, Hands& hands);
  struct SmallFile {
    size_t place = 0, begin = 0, end = 0;
  };
  bool read_small(Folder& folder, size_t place, Hands& hands, size_t at, SmallFile& small);
  void store_small(Folder& folder, const std::vector<SmallFile>& files, const std::string& buffer);
  void leave_out(Folder& folder, size_t place, const Error& error);
  void count_unmodified(const Folder& folder, size_t place, uint64_t size);
  void count_file(Folder& folder, size_t place);
  void tell(Change change, const std::string& path, uint64_t size);

  // Streams.
  Node stream_node(std::string name, uint32_t mode);
  Node& add_stream_node(Folder& folder, std::string_view name, uint32_t mode);

  // Large files.
  void begin_big(Folder& folder, size_t place);
  ChunkPolicy chunks_for(const InputFile& input, uint64_t size) const;
  void read_big(const std::shared_ptr<BigFile>& file, Hands& hands);
  struct Source {
    std::function<Result<size_t>(char* into, size_t most)> read{};
    std::function<void(uint64_t offset)> seek{};         ///< none: cannot go back
    std::function<uint64_t(uint64_t offset)> hole_at{};  ///< how long the hole there is
  };
  /// Where a reader is: `end` bytes in the buffer, `seen` of them searched for a cut in vain.
  struct PartReader {
    std::string buffer{};
    size_t end = 0, seen = 0;
    bool more = true, guessed = false;
    int mistakes = 0;
    uint64_t certain_until = 0;  ///< before this, nothing is expected
  };
  Result<void> read_parts(const std::shared_ptr<BigFile>& file, const Source& source, Hands& hands);
  Result<void> read_part(const std::shared_ptr<BigFile>& file, const Source& source,
                         PartReader& reader, Hands& hands);
  void find_chunks(const BigFile& file, PartReader& reader, Part& part) const;
  void skip_hole(BigFile& file, const Source& source, PartReader& reader);
  void hand_part(const std::shared_ptr<BigFile>& file, std::string buffer, Part found,
                 Hands& hands);
  void store_part(BigFile& file, Part& part, const std::string& bytes);
  std::string take_buffer(Hands& hands);
  void part_done(const std::shared_ptr<BigFile>& file);

  // Disk images.
  std::optional<struct stat> image_behind(const Folder& folder, const std::string& path,
                                          const struct stat& info) const;
  bool save_image(Folder& folder, size_t place, const std::string& path, const struct stat& info,
                  Hands& hands);
  Result<void> begin_image(Folder& folder, size_t place, const std::string& path,
                           const struct stat& info, Hands& hands);
  ImageLayout layout_of(const Node& source, const Node* before) const;
  bool unchanged_image(const Node& self, const ImageLayout& layout, const Node& before) const;
  void read_image(const std::shared_ptr<Image>& image);
  void read_segments(const std::shared_ptr<Image>& image, Hands& hands);
  static std::string segment_path(const Image& image, uint64_t number);
  bool find_finished(const Image& image, uint64_t number, Folder& segment);
  void read_segment_file(Image& image, uint64_t number, Folder& folder, Hands& hands);

  // Who finishes last.
  Result<Id> wait_for_root();
  void done_with(Folder* folder);
  void finish(Folder& folder);
  Result<Id> store_folder(Folder& folder);
  void count_folder(const Folder& folder, const Id& id);
  void report(const Error& error);
  void fail(Error error);
  bool stopped() const { return failed_flag_ || stop_.stop_requested(); }

  IndexedRepository& index_;
  Saver& saver_;
  const BackupOptions& options_;
  Journal& journal_;
  const Patterns excludes_, insensitive_excludes_;
  const std::string here_;  ///< what relative paths are relative to
  Buffers buffers_;
  ArchiverFigures figures_;
  std::stop_token stop_;
  Names names_;                 ///< the walker's
  std::set<uint64_t> devices_;  ///< of the targets, if only their file systems are wanted
  std::atomic<bool> failed_flag_{false};
  Mutex telling_;
  mutable Mutex mutex_;
  CondVar root_done_;
  bool done_ HF_GUARDED_BY(mutex_) = false;
  std::optional<Id> root_ HF_GUARDED_BY(mutex_);
  std::optional<Error> failed_ HF_GUARDED_BY(mutex_);
  std::vector<std::string> errors_ HF_GUARDED_BY(mutex_);
  std::string current_ HF_GUARDED_BY(mutex_);
  Crew crew_;  ///< last: its threads use all of the above
};

}  // namespace holdfast::repo

/// A file of more than one chunk on its way into the repository, in parts that any thread works on.
#pragma once

#include <holdfast/repo/backup.h>

#include "backup/folder.h"
#include "index/indexed.h"

#include <atomic>
#include <deque>
#include <limits>
#include <string>
#include <vector>

namespace holdfast::repo {

/// What the parent snapshot has of a file. A chunk that is still the same ends where it ended: the
/// cut is a function of its bytes alone. So it is hashed first, and searched for a cut only if it
/// turns out to be another. The last chunk may have ended because the file did; it says nothing.
class Expected {
 public:
  Expected() = default;
  Expected(const IndexedRepository& index, const std::vector<Id>& content);
  /// Appends the ends and ids of the chunks from `offset` on that lie within `most` bytes; ends are
  /// counted from `offset`.
  void chunks_at(uint64_t offset, size_t most, std::vector<size_t>& ends,
                 std::vector<Id>& ids) const;

 private:
  std::vector<uint64_t> begins_;  ///< of each chunk, and of what follows the last
  std::vector<Id> ids_;
};

/// Some chunks of a file.
struct Part {
  uint64_t offset = 0;
  std::vector<size_t> ends{};  ///< of chunks, counted from the offset
  std::vector<Id> ids{};       ///< of chunks, once they are hashed
  std::vector<Id> expected{};  ///< what they should turn out to be; empty: the cuts are certain
};

struct BigFile {
  static constexpr uint64_t kNowhere = std::numeric_limits<uint64_t>::max();

  Folder* folder = nullptr;
  size_t place = 0;
  std::string path{};
  bool sparse = false;
  ChunkPolicy chunks{};
  Expected expected{};
  /// A deque: those who work on a part keep it at hand while the reader adds more.
  std::deque<Part> parts{};
  uint64_t size = 0;
  bool good = true;
  std::atomic<size_t> pending{1};  ///< parts, and one for the reader
  /// Where the first chunk begins that is not what was expected.
  std::atomic<uint64_t> wrong_at{kNowhere};

  void found_wrong(uint64_t offset);
  /// Forgets all from that place on.
  void cut_back(uint64_t offset);
};

}  // namespace holdfast::repo

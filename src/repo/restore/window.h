/// A stretch of a snapshot that is restored together: files in the order of paths, their blobs in
/// the order of packs.
#pragma once

#include <holdfast/repo/tree.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::repo {

struct RestoredImage;

/// One file on its way back.
struct RestoredFile {
  std::string path{};
  Node node{};                         ///< without its content, which the pieces hold
  size_t first_piece = 0, pieces = 0;  ///< among the window's, before they are sorted
  bool may_exist = false, described = false;
  bool left = false;                       ///< as it is there
  bool same = false;                       ///< as it was found by looking
  std::string left_out{};                  ///< what it lacks of the node, in words
  std::shared_ptr<RestoredImage> image{};  ///< of which this is a segment
  uint64_t base = 0;                       ///< where it begins in the image
  std::atomic<uint32_t> pending{0};        ///< pieces not yet written
  std::atomic<bool> failed{false};
};

/// A blob at its place in a file.
struct Piece {
  Id id{};
  uint32_t pack = 0;  ///< among the window's packs
  uint32_t offset = 0, length = 0, plain_length = 0;
  uint32_t file = 0;
  uint64_t at = 0;  ///< in the file, or in the image
};

struct Window {
  std::vector<std::unique_ptr<RestoredFile>> files{};
  std::vector<Piece> pieces{};
  std::vector<Id> packs{};
  uint64_t bytes = 0;
  bool images = false;  ///< there are segments of them
  /// Enough to read packs in long stretches; a bound on memory.
  bool full() const {
    return files.size() >= 20000 || pieces.size() >= 200000 || bytes >= uint64_t{4} << 30;
  }
};

}  // namespace holdfast::repo

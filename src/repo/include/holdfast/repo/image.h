/// A disk image in a snapshot: a folder of segments, so that unchanged segments are not stored
/// again. Any restic restores the folder, and `cat disk.img/seg*/data > disk.img` is the image.
///
///   disk.img/             extended attribute user.holdfast.image:
///                         "1 SIZE SEGMENT CHUNK MODE KIND", numbers decimal, MODE octal, KIND
///                         file or device
///     seg000000/data      the first SEGMENT bytes, cut every CHUNK
///     seg000001/data …    the last one may be shorter
/// Folders and files of segments have the image's owner and no times of their own: a segment of the
/// same bytes is the same tree, whenever it was stored.
#pragma once

#include <holdfast/repo/tree.h>

#include <string_view>

namespace holdfast::repo {

inline constexpr std::string_view kImageAttribute = "user.holdfast.image";
inline constexpr std::string_view kSegmentFile = "data";
inline constexpr uint64_t kMostSegments = 1'000'000;

struct ImageLayout {
  uint64_t size = 0, segment = 0, chunk = 0;
  uint32_t mode = 0;  ///< of the image: permissions as Unix writes them
  bool device = false;

  bool operator==(const ImageLayout&) const = default;
  uint64_t segments() const { return size / segment + (size % segment != 0 ? 1 : 0); }
  uint64_t begin(uint64_t number) const { return number * segment; }
  uint64_t length(uint64_t number) const;
};

std::string to_text(const ImageLayout& layout);
std::optional<ImageLayout> parse_image_layout(std::string_view text);

/// Chunks of 64 KiB up to 256 GiB, 128 KiB up to 1 TiB, 256 KiB above; segments of 4096 chunks.
/// `chunk` not 0: chunks of that size, and segments of 256 MiB to 1 GiB.
ImageLayout choose_layout(uint64_t size, uint64_t chunk = 0);

/// What a folder says of itself; nothing if it is no image.
std::optional<ImageLayout> image_layout(const Node& node);

/// "seg000041"
std::string segment_name(uint64_t number);
/// The node of a file or device as that of a folder that holds it.
Node image_folder(Node source, const ImageLayout& layout);
/// And back, as a file; without content.
Node image_file(Node folder, const ImageLayout& layout);
/// What is in the folder of an image and in those of its segments.
Node segment_folder(const Node& image, uint64_t number);
Node segment_file(const Node& image, const ImageLayout& layout);

/// The trees of the segments in their order. Corrupt if the folder does not hold just those that
/// its layout speaks of.
Result<std::vector<Id>> segment_trees(Indexed& index, const Node& folder,
                                      const ImageLayout& layout);
/// The file of a segment. Corrupt if there is none, or its size is another.
Result<Node> read_segment(Indexed& index, const Id& tree, const ImageLayout& layout,
                          uint64_t number);

}  // namespace holdfast::repo

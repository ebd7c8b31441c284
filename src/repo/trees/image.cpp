#include <holdfast/base/text.h>
#include <holdfast/repo/image.h>

#include "files/file_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace holdfast::repo {
namespace {

constexpr std::string_view kVersion = "1", kFile = "file", kDevice = "device";
constexpr uint64_t kMebibyte = uint64_t{1} << 20, kGibibyte = uint64_t{1} << 30;
constexpr uint64_t kLeastSegment = 256 * kMebibyte, kMostSegment = kGibibyte;
constexpr uint64_t kChunksInSegment = 4096;
constexpr uint32_t kPermissions = 07777;

std::optional<uint64_t> number_of(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (code != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

/// Who may read may enter; the owner may do both, or a restore could not fill it.
uint32_t folder_mode(uint32_t mode) { return (mode & 0777) | (mode & 0444) >> 2 | 0700; }

}  // namespace

uint64_t ImageLayout::length(uint64_t number) const {
  return std::min(segment, size - begin(number));
}

std::string to_text(const ImageLayout& layout) {
  return fmt::format("{} {} {} {} {:04o} {}", kVersion, layout.size, layout.segment, layout.chunk,
                     layout.mode, layout.device ? kDevice : kFile);
}

std::optional<ImageLayout> parse_image_layout(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ' ');
  if (words.size() != 6 || words[0] != kVersion || (words[5] != kFile && words[5] != kDevice))
    return {};
  const auto size = number_of(words[1]), segment = number_of(words[2]), chunk = number_of(words[3]);
  const auto mode = number_of(words[4], 8);
  if (!size || !segment || !chunk || !mode || *mode > kPermissions) return {};
  if (*size > uint64_t(std::numeric_limits<int64_t>::max())) return {};
  if (*segment == 0 || *chunk == 0 || *segment % *chunk != 0) return {};
  const ImageLayout layout{*size, *segment, *chunk, uint32_t(*mode), words[5] == kDevice};
  if (layout.segments() > kMostSegments) return {};
  return layout;
}

ImageLayout choose_layout(uint64_t size, uint64_t chunk) {
  constexpr uint64_t kSmallImage = 256 * kGibibyte, kLargeImage = 1024 * kGibibyte;
  constexpr uint64_t kLeastChunk = uint64_t{64} << 10;
  ImageLayout layout{.size = size};
  layout.chunk = chunk != 0            ? chunk
                 : size <= kSmallImage ? kLeastChunk
                 : size <= kLargeImage ? 2 * kLeastChunk
                                       : 4 * kLeastChunk;
  const uint64_t about = std::clamp(layout.chunk * kChunksInSegment, kLeastSegment, kMostSegment);
  layout.segment = (about + layout.chunk - 1) / layout.chunk * layout.chunk;
  return layout;
}

std::optional<ImageLayout> image_layout(const Node& node) {
  if (node.type != NodeType::Dir) return {};
  for (const auto& [name, value] : node.extended_attributes)
    if (name == kImageAttribute) return parse_image_layout(value);
  return {};
}

std::string segment_name(uint64_t number) { return fmt::format("seg{:06}", number); }

Node image_folder(Node source, const ImageLayout& layout) {
  Node out = std::move(source);
  out.type = NodeType::Dir;
  out.mode = go_mode(S_IFDIR | folder_mode(layout.mode));
  out.size = out.links = out.device = 0;
  out.content.reset();
  std::erase_if(out.extended_attributes,
                [](const auto& attribute) { return attribute.first == kImageAttribute; });
  out.extended_attributes.emplace_back(kImageAttribute, to_text(layout));
  return out;
}

Node image_file(Node folder, const ImageLayout& layout) {
  Node out = std::move(folder);
  out.type = NodeType::File;
  out.mode = go_mode(S_IFREG | layout.mode);
  out.size = layout.size;
  out.links = 1;
  out.subtree.reset();
  std::erase_if(out.extended_attributes,
                [](const auto& attribute) { return attribute.first == kImageAttribute; });
  return out;
}

Node segment_folder(const Node& image, uint64_t number) {
  Node out;
  out.name = segment_name(number);
  out.type = NodeType::Dir;
  out.mode = image.mode;
  out.uid = image.uid;
  out.gid = image.gid;
  out.user = image.user;
  out.group = image.group;
  return out;
}

Node segment_file(const Node& image, const ImageLayout& layout) {
  Node out = segment_folder(image, 0);
  out.name = kSegmentFile;
  out.type = NodeType::File;
  out.mode = go_mode(S_IFREG | (layout.mode & 0777) | 0600);
  out.links = 1;
  out.content.emplace();
  return out;
}

Result<std::vector<Id>> segment_trees(Indexed& index, const Node& folder,
                                      const ImageLayout& layout) {
  if (!folder.subtree) return Error(Fault::Corrupt, "an image without a tree");
  const std::vector<Node> nodes = HF_TRY(load_tree(index, *folder.subtree));
  if (nodes.size() != layout.segments())
    return Error(Fault::Corrupt, fmt::format("an image of {} segments has {} of them",
                                             layout.segments(), nodes.size()));
  std::vector<Id> trees;
  trees.reserve(nodes.size());
  for (const Node& node : nodes) {
    if (node.name != segment_name(trees.size()) || node.type != NodeType::Dir || !node.subtree)
      return Error(Fault::Corrupt, fmt::format("an image without segment {}", trees.size()));
    trees.push_back(*node.subtree);
  }
  return trees;
}

Result<Node> read_segment(Indexed& index, const Id& tree, const ImageLayout& layout,
                          uint64_t number) {
  std::vector<Node> nodes = HF_TRY(load_tree(index, tree));
  const bool there = nodes.size() == 1 && nodes[0].name == kSegmentFile && nodes[0].content;
  if (!there || nodes[0].size != layout.length(number))
    return Error(Fault::Corrupt, fmt::format("segment {} of the image does not hold its {} bytes",
                                             number, layout.length(number)));
  return std::move(nodes.front());
}

}  // namespace holdfast::repo

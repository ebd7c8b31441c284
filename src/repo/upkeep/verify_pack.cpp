#include "upkeep/verify_pack.h"

#include "hash/sha256.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

/// So much is unpacked before it is hashed: enough for both lanes, and still in a near cache.
constexpr size_t kGroup = size_t{2} << 20;

bool equal(const PackedBlob& a, const PackedBlob& b) {
  return a.type == b.type && a.id == b.id && a.offset == b.offset && a.length == b.length &&
         a.plain_length == b.plain_length;
}

uint32_t read_u32(std::string_view at) {
  uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8 | static_cast<unsigned char>(at[size_t(i)]);
  return value;
}

}  // namespace

struct PackVerifier::Group {
  const Id& pack;
  std::string_view bytes;
  PackVerdict verdict{};
  RunningHash whole{};
  size_t fed = 0;  ///< bytes of the pack that are hashed
  struct Part {
    const PackedBlob* blob;
    size_t at, size;  ///< within the room
  };
  std::vector<Part> parts{};
  size_t size = 0;  ///< unpacked bytes of the parts
  std::vector<std::string_view> plains{};
  std::vector<Id> ids{};

  void damage(const PackedBlob& blob, std::string_view what) {
    verdict.damages.push_back(
        {fmt::format("blob {} of pack {}", blob.id.hex(), pack.hex()), std::string(what)});
    verdict.bad.emplace_back(blob.type, blob.id);
  }
  void damage(std::string what) {
    verdict.damages.push_back({fmt::format("pack {}", pack.hex()), std::move(what)});
  }
};

void PackVerifier::unpack(Group& group, const PackedBlob& blob) {
  if (uint64_t{blob.offset} + blob.length > group.bytes.size())
    return group.damage(blob, fmt::format("it would end at {}, the pack ends at {}",
                                          uint64_t{blob.offset} + blob.length, group.bytes.size()));
  Result<size_t> size = unpack_blob(
      *bench_, blob.plain_length, group.bytes.substr(blob.offset, blob.length), room_, group.size);
  if (!size) return group.damage(blob, size.error().what());
  group.parts.push_back({&blob, group.size, *size});
  group.size += *size;
}

void PackVerifier::hash_group(Group& group, size_t until) {
  group.plains.clear();
  for (const Group::Part& part : group.parts)
    group.plains.push_back(std::string_view(room_).substr(part.at, part.size));
  group.ids.resize(group.plains.size());
  until = std::max(until, group.fed);
  group.whole.feed(group.bytes.substr(group.fed, until - group.fed), group.plains, group.ids);
  group.fed = until;
  for (size_t i = 0; i < group.parts.size(); ++i)
    if (group.ids[i] != group.parts[i].blob->id)
      group.damage(*group.parts[i].blob, "its bytes are not those of its id");
  group.parts.clear();
  group.size = 0;
}

std::optional<std::string> PackVerifier::header_trouble(const std::vector<PackedBlob>& blobs,
                                                        std::string_view bytes) {
  if (bytes.size() < 4) return fmt::format("it has {} bytes, which is no pack", bytes.size());
  const size_t length = read_u32(bytes.substr(bytes.size() - 4));
  if (length > kMostHeader || length + 4 > bytes.size())
    return fmt::format("its header is said to have {} bytes", length);
  const size_t begin = bytes.size() - 4 - length;
  const Result<std::string> plain = bench_->sealer.open(bytes.substr(begin, length));
  if (!plain) return fmt::format("its header: {}", plain.error().what());
  const Result<std::vector<PackedBlob>> said = decode_header(*plain, begin);
  if (!said) return said.error().what();
  if (said->size() != blobs.size())
    return fmt::format("its header has {} blobs, the index {}", said->size(), blobs.size());
  for (size_t i = 0; i < blobs.size(); ++i)
    if (!equal((*said)[i], blobs[i]))
      return fmt::format("its header has blob {} at {}, the index blob {} at {}",
                         (*said)[i].id.hex(), (*said)[i].offset, blobs[i].id.hex(),
                         blobs[i].offset);
  return {};
}

PackVerdict PackVerifier::verify(const Id& pack, const std::vector<PackedBlob>& blobs,
                                 std::string_view bytes) {
  Group group{.pack = pack, .bytes = bytes};
  for (const PackedBlob& blob : blobs) {
    unpack(group, blob);
    const size_t end = std::min<size_t>(bytes.size(), size_t{blob.offset} + blob.length);
    if (group.size >= kGroup) hash_group(group, end);
  }
  hash_group(group, bytes.size());
  if (group.whole.finish() != pack) group.damage("its bytes are not those of its name");
  if (auto trouble = header_trouble(blobs, bytes)) group.damage(std::move(*trouble));
  return std::move(group.verdict);
}

}  // namespace holdfast::repo

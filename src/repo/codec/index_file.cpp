#include "codec/index_file.h"

#include "codec/go_json.h"
#include "codec/json_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

Result<Id> read_id(JsonValue value) {
  const std::string text = HF_TRY(value.text());
  const std::optional<Id> id = Id::from_hex(text);
  if (!id) return Error(Fault::Corrupt, fmt::format("\"{}\" is no id", text));
  return *id;
}

Result<uint32_t> read_u32(JsonValue value) {
  const uint64_t number = HF_TRY(value.number());
  if (number > UINT32_MAX)
    return Error(Fault::Corrupt, fmt::format("{} is too large for a place in a pack", number));
  return uint32_t(number);
}

Result<PackedBlob> read_blob(JsonValue value) {
  PackedBlob blob;
  Result<void> whole =
      value.members([&blob](std::string_view key, JsonValue member) -> Result<void> {
        if (key == "id") blob.id = HF_TRY(read_id(member));
        if (key == "offset") blob.offset = HF_TRY(read_u32(member));
        if (key == "length") blob.length = HF_TRY(read_u32(member));
        if (key == "uncompressed_length") blob.plain_length = HF_TRY(read_u32(member));
        if (key != "type") return ok();
        const std::string type = HF_TRY(member.text());
        if (type != "data" && type != "tree")
          return Error(Fault::Corrupt, fmt::format("a blob of type \"{}\"", type));
        blob.type = type == "tree" ? BlobType::Tree : BlobType::Data;
        return ok();
      });
  if (!whole) return whole.take_error();
  return blob;
}

Result<IndexedPack> read_pack(JsonValue value, bool marked) {
  IndexedPack pack;
  Result<void> whole =
      value.members([&pack](std::string_view key, JsonValue member) -> Result<void> {
        if (key == "id") pack.id = HF_TRY(read_id(member));
        if (key == "time") pack.marked_at = HF_TRY(member.text());
        if (key == "size") pack.size = HF_TRY(member.number());
        if (key != "blobs") return ok();
        return member.each([&pack](JsonValue item) -> Result<void> {
          const PackedBlob blob = HF_TRY(read_blob(item));
          pack.blobs.push_back(blob);
          return ok();
        });
      });
  if (!whole) return whole.take_error();
  if (!marked) pack.marked_at.clear();
  if (!marked || !pack.blobs.empty()) pack.size = 0;
  if (marked && pack.marked_at.empty())
    return Error(Fault::Corrupt,
                 fmt::format("pack {} is to be deleted without a time", pack.id.hex()));
  return pack;
}

/// {"id":"…","type":"data","offset":…,"length":…,"uncompressed_length":…}, numbers of ten digits
constexpr size_t kLongestBlob = 161;

void append_pack(std::string& out, const IndexedPack& pack) {
  fmt::format_to(std::back_inserter(out), "{{\"id\":\"{}\",\"blobs\":[", pack.id.hex());
  for (const PackedBlob& blob : pack.blobs) {
    if (out.back() != '[') out += ',';
    fmt::format_to(std::back_inserter(out),
                   "{{\"id\":\"{}\",\"type\":\"{}\",\"offset\":{},\"length\":{}", blob.id.hex(),
                   blob.type == BlobType::Tree ? "tree" : "data", blob.offset, blob.length);
    if (blob.plain_length != 0)
      fmt::format_to(std::back_inserter(out), ",\"uncompressed_length\":{}", blob.plain_length);
    out += '}';
  }
  out += ']';
  if (!pack.marked_at.empty()) {
    out += ",\"time\":";
    append_string(out, pack.marked_at);
  }
  if (pack.size != 0) fmt::format_to(std::back_inserter(out), ",\"size\":{}", pack.size);
  out += '}';
}

}  // namespace

Result<void> parse_index(std::string_view json,
                         const std::function<Result<void>(const IndexedPack&)>& each) {
  return read_json(json, [&each](JsonValue index) {
    return index.members([&each](std::string_view key, JsonValue value) -> Result<void> {
      const bool marked = key == "packs_to_delete";
      if (key != "packs" && !marked) return ok();
      return value.each([&each, marked](JsonValue item) -> Result<void> {
        const IndexedPack pack = HF_TRY(read_pack(item, marked));
        return each(pack);
      });
    });
  });
}

/// In one piece from the beginning: a string that grows takes twice the memory.
std::string index_to_json(const std::vector<IndexedPack>& packs) {
  std::string used, marked;
  size_t blobs = 0;
  for (const IndexedPack& pack : packs) blobs += pack.blobs.size();
  used.reserve(256 + 160 * packs.size() + kLongestBlob * blobs);
  used = "{\"packs\":[";
  for (const IndexedPack& pack : packs) {
    std::string& out = pack.marked_at.empty() ? used : marked;
    if (!out.empty() && out.back() != '[') out += ',';
    append_pack(out, pack);
  }
  used += ']';
  if (!marked.empty()) used += ",\"packs_to_delete\":[" + marked + "]";
  used += '}';
  return used;
}

}  // namespace holdfast::repo

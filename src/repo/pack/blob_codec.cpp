#include "pack/blob_codec.h"

#include "hash/sha256.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

constexpr size_t kSample = 4096;
constexpr size_t kSamples = 4;
constexpr int kSampleLevel = 1;
/// As much as the largest blobs that anybody writes.
constexpr size_t kMostUnannounced = size_t{16} << 20;

}  // namespace

bool looks_incompressible(Bench& bench, std::string_view plain) {
  if (plain.size() < 2 * kSamples * kSample) return false;
  std::string& scratch = bench.scratch;
  scratch.resize(std::max(scratch.size(), Compressor::bound(kSample)));
  size_t compressed = 0;
  for (size_t i = 0; i < kSamples; ++i) {
    const size_t at = (plain.size() - kSample) / (kSamples - 1) * i;
    compressed +=
        bench.compressor.compress(plain.substr(at, kSample), kSampleLevel, scratch.data());
  }
  return compressed >= kSamples * kSample * 97 / 100;
}

SealedBlob seal_blob(Bench& bench, BlobType type, const Id& id, std::string_view plain, int level,
                     std::string_view iv) {
  SealedBlob out;
  out.entry.type = type;
  out.entry.id = id;
  std::string_view content = plain;
  if (level != 0 && !plain.empty() && !looks_incompressible(bench, plain)) {
    std::string& scratch = bench.scratch;
    scratch.resize(std::max(scratch.size(), Compressor::bound(plain.size())));
    const size_t size = bench.compressor.compress(plain, level, scratch.data());
    if (size < plain.size()) {
      content = std::string_view(scratch).substr(0, size);
      out.entry.plain_length = uint32_t(plain.size());
    }
  }
  const size_t size = content.size() + kSealOverhead;
  bench.sealed.resize(std::max(bench.sealed.size(), size));
  bench.sealer.seal(content, iv, bench.sealed.data());
  out.bytes = std::string_view(bench.sealed).substr(0, size);
  out.entry.length = uint32_t(size);
  return out;
}

Result<size_t> unpack_blob(Bench& bench, uint32_t plain_length, std::string_view sealed,
                           std::string& room, size_t at) {
  const auto grow = [&room, at](size_t size) { room.resize(std::max(room.size(), at + size)); };
  const size_t size = sealed.size() < kSealOverhead ? 0 : sealed.size() - kSealOverhead;
  if (plain_length == 0) {
    grow(size);
    HF_TRY(bench.sealer.open(sealed, room.data() + at));
    return size;
  }
  bench.scratch.resize(std::max(bench.scratch.size(), size));
  HF_TRY(bench.sealer.open(sealed, bench.scratch.data()));
  const std::string_view frame = std::string_view(bench.scratch).substr(0, size);
  const std::optional<uint64_t> announced = Compressor::announced(frame);
  if (announced && *announced != plain_length)
    return Error(Fault::Corrupt, fmt::format("decompress: the frame holds {} bytes, not {}",
                                             *announced, plain_length));
  // An index may lie about the size: memory is given for what a frame says or really holds.
  if (!announced && plain_length > kMostUnannounced) {
    const std::string plain = HF_TRY(bench.compressor.decompress(frame, plain_length));
    if (plain.size() != plain_length)
      return Error(Fault::Corrupt, fmt::format("decompress: {} bytes, {} were announced",
                                               plain.size(), plain_length));
    grow(plain.size());
    plain.copy(room.data() + at, plain.size());
    return plain.size();
  }
  grow(plain_length);
  HF_TRY(bench.compressor.decompress(frame, room.data() + at, plain_length));
  return size_t{plain_length};
}

Result<void> open_blob(Bench& bench, const Id& id, const Location& where, std::string_view sealed,
                       std::string& plain) {
  const auto context = [&](Error error) {
    return std::move(error).with_context(
        fmt::format("blob {} at {} of pack {}", id.hex(), where.offset, where.pack.hex()));
  };
  Result<size_t> size = unpack_blob(bench, where.plain_length, sealed, plain, 0);
  if (!size) return context(size.take_error());
  plain.resize(*size);
  if (hash(plain) != id) return context(Error(Fault::Corrupt, "its bytes are not those of its id"));
  return ok();
}

}  // namespace holdfast::repo

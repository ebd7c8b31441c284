#include "pack/blob_codec.h"

#include "hash/sha256.h"

#include <fmt/format.h>

namespace holdfast::repo {
namespace {

constexpr size_t kSample = 4096;
constexpr size_t kSamples = 4;
constexpr int kSampleLevel = 1;

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
  out.bytes.resize(content.size() + kSealOverhead);
  bench.sealer.seal(content, iv, out.bytes.data());
  out.entry.length = uint32_t(out.bytes.size());
  return out;
}

Result<void> open_blob(Bench& bench, const Id& id, const Location& where, std::string_view sealed,
                       std::string& plain) {
  const auto context = [&](Error error) {
    return std::move(error).with_context(
        fmt::format("blob {} at {} of pack {}", id.hex(), where.offset, where.pack.hex()));
  };
  if (where.plain_length == 0) {
    plain.resize(sealed.size() < kSealOverhead ? 0 : sealed.size() - kSealOverhead);
    Result<void> opened = bench.sealer.open(sealed, plain.data());
    if (!opened) return context(opened.take_error());
  } else {
    std::string& frame = bench.scratch;
    frame.resize(std::max(frame.size(), sealed.size()));
    Result<void> opened = bench.sealer.open(sealed, frame.data());
    if (!opened) return context(opened.take_error());
    plain.resize(where.plain_length);
    Result<void> inflated = bench.compressor.decompress(
        std::string_view(frame).substr(0, sealed.size() - kSealOverhead), plain.data(),
        plain.size());
    if (!inflated) return context(inflated.take_error());
  }
  if (hash(plain) != id) return context(Error(Fault::Corrupt, "its bytes are not those of its id"));
  return ok();
}

}  // namespace holdfast::repo

#include "codec/compress.h"

#include <fmt/format.h>
#include <zstd.h>

namespace holdfast::repo {

struct Compressor::Contexts {
  ZSTD_CCtx* in = ZSTD_createCCtx();
  ZSTD_DCtx* out = ZSTD_createDCtx();
  Contexts() = default;
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  ~Contexts() {
    ZSTD_freeCCtx(in);
    ZSTD_freeDCtx(out);
  }
};

Compressor::Compressor() : contexts_(std::make_unique<Contexts>()) {}
Compressor::~Compressor() = default;
Compressor::Compressor(Compressor&&) noexcept = default;

size_t Compressor::bound(size_t plain) { return ZSTD_compressBound(plain); }

size_t Compressor::compress(std::string_view plain, int level, char* out) {
  const size_t written =
      ZSTD_compressCCtx(contexts_->in, out, bound(plain.size()), plain.data(), plain.size(), level);
  HF_CHECK(!ZSTD_isError(written));
  return written;
}

std::string Compressor::compress(std::string_view plain, int level) {
  std::string out(bound(plain.size()), '\0');
  out.resize(compress(plain, level, out.data()));
  return out;
}

Result<void> Compressor::decompress(std::string_view frame, char* out, size_t size) {
  const size_t written = ZSTD_decompressDCtx(contexts_->out, out, size, frame.data(), frame.size());
  if (ZSTD_isError(written))
    return Error(Fault::Corrupt, fmt::format("decompress: {}", ZSTD_getErrorName(written)));
  if (written != size)
    return Error(Fault::Corrupt,
                 fmt::format("decompress: {} bytes, {} were announced", written, size));
  return ok();
}

std::optional<uint64_t> Compressor::announced(std::string_view frame) {
  const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR) return {};
  return size;
}

Result<std::string> Compressor::decompress(std::string_view frame, size_t most) {
  ZSTD_DCtx_reset(contexts_->out, ZSTD_reset_session_only);
  ZSTD_inBuffer in{frame.data(), frame.size(), 0};
  std::string plain;
  std::string part(ZSTD_DStreamOutSize(), '\0');
  for (size_t left = 1; left != 0;) {
    ZSTD_outBuffer out{part.data(), part.size(), 0};
    left = ZSTD_decompressStream(contexts_->out, &out, &in);
    if (ZSTD_isError(left))
      return Error(Fault::Corrupt, fmt::format("decompress: {}", ZSTD_getErrorName(left)));
    plain.append(part.data(), out.pos);
    if (plain.size() > most)
      return Error(Fault::Corrupt, fmt::format("decompress: more than {} bytes", most));
    if (left != 0 && out.pos < out.size && in.pos == in.size)
      return Error(Fault::Corrupt, "decompress: the frame is cut off");
  }
  return plain;
}

}  // namespace holdfast::repo

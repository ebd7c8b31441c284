/// zstd frames that restic reads: no checksum, the size of the plain bytes in front.
#pragma once

#include <holdfast/base/result.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::repo {

/// Contexts of zstd are dear to make: one of these per thread.
class Compressor {
 public:
  Compressor();
  ~Compressor();
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) = delete;

  /// Bytes that compress() may write at most.
  static size_t bound(size_t plain);
  /// Into `out`, which has room for bound(plain.size()); how many were written.
  size_t compress(std::string_view plain, int level, char* out);
  std::string compress(std::string_view plain, int level);
  /// Into `out` of exactly `size` bytes. Corrupt if the frame holds another number of bytes.
  Result<void> decompress(std::string_view frame, char* out, size_t size);
  /// What the frame says of its plain size before anything is allocated for it; nothing if it does
  /// not say, or is no frame.
  static std::optional<uint64_t> announced(std::string_view frame);
  /// Of unknown size, but at most `most`.
  Result<std::string> decompress(std::string_view frame, size_t most);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace holdfast::repo

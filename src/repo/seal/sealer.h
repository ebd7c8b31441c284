/// AES-256-CTR with Poly1305-AES, as restic seals everything:
///
///   iv (16, random) ‖ AES-256-CTR(encrypt, iv, plain) ‖ Poly1305(r ‖ AES-128(k, iv), ciphertext)
#pragma once

#include <holdfast/base/result.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::repo {

struct MasterKey {
  std::array<uint8_t, 32> encrypt{};
  std::array<uint8_t, 16> mac_k{}, mac_r{};
};

inline constexpr size_t kIvSize = 16;
inline constexpr size_t kTagSize = 16;
inline constexpr size_t kSealOverhead = kIvSize + kTagSize;

/// Contexts of OpenSSL are dear to make and must not be shared: one Sealer per thread.
class Sealer {
 public:
  explicit Sealer(const MasterKey& key);
  ~Sealer();
  Sealer(Sealer&&) noexcept;
  Sealer& operator=(Sealer&&) = delete;

  /// `out` has room for plain.size() + kSealOverhead. `iv` is 16 bytes of chance, never used twice.
  void seal(std::string_view plain, std::string_view iv, char* out);
  /// `out` has room for sealed.size() - kSealOverhead; may be where the ciphertext stands. Corrupt
  /// if the tag does not fit: nothing is decrypted then.
  Result<void> open(std::string_view sealed, char* out);
  Result<std::string> open(std::string_view sealed);

 private:
  struct Contexts;
  void tag(std::string_view ciphertext, const uint8_t* iv, uint8_t* out);
  std::unique_ptr<Contexts> contexts_;
};

/// The key that a password gives: scrypt over the salt.
struct ScryptCost {
  uint64_t n = 32768;
  uint32_t r = 8, p = 1;
};
Result<MasterKey> derive_key(std::string_view password, std::string_view salt,
                             const ScryptCost& cost);

}  // namespace holdfast::repo

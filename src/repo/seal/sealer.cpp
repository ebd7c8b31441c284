#include "seal/sealer.h"

#include <holdfast/base/bytes.h>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <sodium.h>

#include <cstring>

namespace holdfast::repo {
namespace {

/// More would let a key file of a stranger take all memory: restic's own are at most 2^16, 8, 4.
constexpr uint64_t kMostScryptMemory = uint64_t{1} << 30;

const uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}
uint8_t* bytes(char* text) { return reinterpret_cast<uint8_t*>(text); }

template <auto free>
struct Free {
  template <class T>
  void operator()(T* made) const {
    free(made);
  }
};
using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Free<EVP_CIPHER_CTX_free>>;
using Mac = std::unique_ptr<EVP_MAC_CTX, Free<EVP_MAC_CTX_free>>;

/// Fetching an algorithm takes a lock and a search; once per process is enough.
struct Algorithms {
  EVP_CIPHER* ctr = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  EVP_CIPHER* block = EVP_CIPHER_fetch(nullptr, "AES-128-ECB", nullptr);
  EVP_MAC* poly = EVP_MAC_fetch(nullptr, "POLY1305", nullptr);
};
const Algorithms& algorithms() {
  static const Algorithms fetched;
  return fetched;
}

}  // namespace

struct Sealer::Contexts {
  MasterKey key;
  Cipher ctr{EVP_CIPHER_CTX_new()}, block{EVP_CIPHER_CTX_new()};
  Mac poly{EVP_MAC_CTX_new(algorithms().poly)};
};

Sealer::Sealer(const MasterKey& key) : contexts_(std::make_unique<Contexts>()) {
  contexts_->key = key;
  Contexts& c = *contexts_;
  HF_CHECK(EVP_CipherInit_ex2(c.ctr.get(), algorithms().ctr, key.encrypt.data(), nullptr, 1,
                              nullptr) == 1);
  HF_CHECK(EVP_EncryptInit_ex2(c.block.get(), algorithms().block, key.mac_k.data(), nullptr,
                               nullptr) == 1);
  EVP_CIPHER_CTX_set_padding(c.block.get(), 0);
}

Sealer::~Sealer() = default;
Sealer::Sealer(Sealer&&) noexcept = default;

void Sealer::tag(std::string_view ciphertext, const uint8_t* iv, uint8_t* out) {
  Contexts& c = *contexts_;
  uint8_t once[32];
  std::memcpy(once, c.key.mac_r.data(), 16);
  int size = 0;
  HF_CHECK(EVP_EncryptUpdate(c.block.get(), once + 16, &size, iv, 16) == 1 && size == 16);
  size_t written = 0;
  HF_CHECK(EVP_MAC_init(c.poly.get(), once, sizeof once, nullptr) == 1 &&
           EVP_MAC_update(c.poly.get(), bytes(ciphertext), ciphertext.size()) == 1 &&
           EVP_MAC_final(c.poly.get(), out, &written, kTagSize) == 1 && written == kTagSize);
}

void Sealer::seal(std::string_view plain, std::string_view iv, char* out) {
  HF_CHECK(iv.size() == kIvSize && plain.size() < size_t{INT32_MAX});
  Contexts& c = *contexts_;
  std::memcpy(out, iv.data(), kIvSize);
  int size = 0;
  HF_CHECK(EVP_CipherInit_ex2(c.ctr.get(), nullptr, nullptr, bytes(iv), 1, nullptr) == 1 &&
           EVP_CipherUpdate(c.ctr.get(), bytes(out + kIvSize), &size, bytes(plain),
                            int(plain.size())) == 1);
  tag({out + kIvSize, plain.size()}, bytes(out), bytes(out + kIvSize + plain.size()));
}

Result<void> Sealer::open(std::string_view sealed, char* out) {
  if (sealed.size() < kSealOverhead)
    return Error(Fault::Corrupt, fmt::format("sealed bytes are cut off: {} of at least {}",
                                             sealed.size(), kSealOverhead));
  HF_CHECK(sealed.size() < size_t{INT32_MAX});
  const std::string_view iv = sealed.substr(0, kIvSize);
  const std::string_view ciphertext = sealed.substr(kIvSize, sealed.size() - kSealOverhead);
  const std::string_view said = sealed.substr(sealed.size() - kTagSize);
  char computed[kTagSize];
  tag(ciphertext, bytes(iv), bytes(computed));
  if (!equal_secret({computed, kTagSize}, said)) return Error(Fault::Corrupt, "the seal is broken");
  Contexts& c = *contexts_;
  int size = 0;
  HF_CHECK(EVP_CipherInit_ex2(c.ctr.get(), nullptr, nullptr, bytes(iv), 1, nullptr) == 1 &&
           EVP_CipherUpdate(c.ctr.get(), bytes(out), &size, bytes(ciphertext),
                            int(ciphertext.size())) == 1);
  return ok();
}

Result<std::string> Sealer::open(std::string_view sealed) {
  std::string plain(sealed.size() < kSealOverhead ? 0 : sealed.size() - kSealOverhead, '\0');
  HF_TRY(open(sealed, plain.data()));
  return plain;
}

Result<MasterKey> derive_key(std::string_view password, std::string_view salt,
                             const ScryptCost& cost) {
  if (cost.n < 2 || (cost.n & (cost.n - 1)) != 0 || cost.r == 0 || cost.p == 0 || cost.p > 64 ||
      cost.r > 1024 || cost.n > kMostScryptMemory / (uint64_t{128} * cost.r))
    return Error(Fault::Invalid,
                 fmt::format("derive a key with scrypt N={} r={} p={}: out of bounds", cost.n,
                             cost.r, cost.p));
  uint8_t derived[64];
  // libsodium's: half the time of OpenSSL's, and every command begins with it. Without the call
  // of its init it does not look which instructions the processor has.
  HF_CHECK(sodium_init() >= 0);
  if (crypto_pwhash_scryptsalsa208sha256_ll(bytes(password), password.size(), bytes(salt),
                                            salt.size(), cost.n, cost.r, cost.p, derived,
                                            sizeof derived) != 0)
    return Error(Fault::Internal, fmt::format("derive a key with scrypt N={} r={} p={}: refused",
                                              cost.n, cost.r, cost.p));
  MasterKey key;
  std::memcpy(key.encrypt.data(), derived, 32);
  std::memcpy(key.mac_k.data(), derived + 32, 16);
  std::memcpy(key.mac_r.data(), derived + 48, 16);
  return key;
}

}  // namespace holdfast::repo

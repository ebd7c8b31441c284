/// Keys and ES256. OpenSSL speaks ECDSA signatures as DER {INTEGER r, INTEGER s}; a JWS carries
/// r‖s, 32 bytes each.
#include <holdfast/net/pki.h>

#include "tls/openssl.h"

#include <openssl/pem.h>

namespace holdfast::net {
namespace {

constexpr int kHalf = 32;
constexpr size_t kWhole = 2 * size_t(kHalf);

Result<std::string> public_pem(EVP_PKEY* key) {
  const Bio out = memory();
  if (!out || PEM_write_bio_PUBKEY(out.get(), key) != 1)
    return openssl_error(Fault::Internal, "write public key");
  return contents(out);
}

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

bool is_p256(EVP_PKEY* key) {
  char group[32] = {};
  size_t size = 0;
  return EVP_PKEY_is_a(key, "EC") == 1 &&
         EVP_PKEY_get_group_name(key, group, sizeof group, &size) == 1 &&
         std::string_view(group, size) == "prime256v1";
}

Result<std::string> to_raw(const std::string& der) {
  const unsigned char* at = raw(der);
  const EcdsaSignature signature(d2i_ECDSA_SIG(nullptr, &at, long(der.size())));
  std::string out(kWhole, '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(out.data());
  if (!signature || BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), bytes, kHalf) != kHalf ||
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), bytes + kHalf, kHalf) != kHalf)
    return openssl_error(Fault::Internal, "split signature");
  return out;
}

std::string to_der(std::string_view signature) {
  const EcdsaSignature pair(ECDSA_SIG_new());
  BIGNUM* r = BN_bin2bn(raw(signature), kHalf, nullptr);
  BIGNUM* s = BN_bin2bn(raw(signature.substr(kHalf)), kHalf, nullptr);
  if (!pair || ECDSA_SIG_set0(pair.get(), r, s) != 1) {
    BN_free(r);
    BN_free(s);
    return {};
  }
  unsigned char* der = nullptr;
  const int size = i2d_ECDSA_SIG(pair.get(), &der);
  if (size <= 0) return {};
  std::string out(reinterpret_cast<char*>(der), size_t(size));
  OPENSSL_free(der);
  return out;
}

}  // namespace

Result<KeyPair> make_key() {
  const Key key(EVP_EC_gen("P-256"));
  const Bio out = memory();
  if (!key || !out ||
      PEM_write_bio_PrivateKey(out.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    return openssl_error(Fault::Internal, "make key");
  return KeyPair{contents(out), HF_TRY(public_pem(key.get()))};
}

Result<std::string> public_key_of(std::string_view private_pem) {
  const Key key = HF_TRY(parse_private_key(private_pem));
  return public_pem(key.get());
}

Result<std::string> sign_es256(std::string_view message, std::string_view private_pem) {
  const Key key = HF_TRY(parse_private_key(private_pem));
  if (!is_p256(key.get()))
    return Error(Fault::Invalid, "sign with ES256: the key is not ECDSA P-256");
  const DigestState state(EVP_MD_CTX_new());
  size_t size = 0;
  if (!state || EVP_DigestSignInit(state.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(state.get(), nullptr, &size, raw(message), message.size()) != 1)
    return openssl_error(Fault::Internal, "sign with ES256");
  std::string der(size, '\0');
  if (EVP_DigestSign(state.get(), reinterpret_cast<unsigned char*>(der.data()), &size, raw(message),
                     message.size()) != 1)
    return openssl_error(Fault::Internal, "sign with ES256");
  der.resize(size);
  return to_raw(der);
}

bool verify_es256(std::string_view message, std::string_view signature,
                  std::string_view public_pem) {
  if (signature.size() != kWhole) return false;
  const auto key = parse_public_key(public_pem);
  const std::string der = to_der(signature);
  const DigestState state(EVP_MD_CTX_new());
  const bool good =
      key && is_p256(key->get()) && !der.empty() && state &&
      EVP_DigestVerifyInit(state.get(), nullptr, EVP_sha256(), nullptr, key->get()) == 1 &&
      EVP_DigestVerify(state.get(), raw(der), der.size(), raw(message), message.size()) == 1;
  ERR_clear_error();
  return good;
}

}  // namespace holdfast::net

#include "tls/openssl.h"

#include <holdfast/base/bytes.h>

#include <fmt/format.h>
#include <openssl/pem.h>

#include <array>

namespace holdfast::net {
namespace {

// OpenSSL would ask for the passphrase of an encrypted key on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

}  // namespace

Error openssl_error(Fault fault, std::string_view doing) {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return {fault, std::string(doing)};
  std::array<char, 256> text{};
  ERR_error_string_n(code, text.data(), text.size());
  return {fault, fmt::format("{}: {}", doing, text.data())};
}

Bio view(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), int(text.size()))); }

Bio memory() { return Bio(BIO_new(BIO_s_mem())); }

std::string contents(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return size > 0 ? std::string(data, size_t(size)) : std::string();
}

Result<Key> parse_private_key(std::string_view pem) {
  Key key(PEM_read_bio_PrivateKey(view(pem).get(), nullptr, no_passphrase, nullptr));
  if (!key) return openssl_error(Fault::Invalid, "read private key");
  return key;
}

Result<Key> parse_public_key(std::string_view pem) {
  Key key(PEM_read_bio_PUBKEY(view(pem).get(), nullptr, no_passphrase, nullptr));
  if (!key) return openssl_error(Fault::Invalid, "read public key");
  return key;
}

Result<Certificate> parse_certificate(std::string_view pem) {
  Certificate certificate(PEM_read_bio_X509(view(pem).get(), nullptr, no_passphrase, nullptr));
  if (!certificate) return openssl_error(Fault::Invalid, "read certificate");
  return certificate;
}

std::optional<std::string> key_digest(std::string_view certificate_pem) {
  const auto certificate = parse_certificate(certificate_pem);
  if (!certificate) return std::nullopt;
  const Bio out = memory();
  if (i2d_X509_PUBKEY_bio(out.get(), X509_get_X509_PUBKEY(certificate->get())) != 1)
    return std::nullopt;
  return base64(sha256(contents(out)));
}

}  // namespace holdfast::net

/// Owners of OpenSSL's objects, and its error queue as our Error.
#pragma once

#include <holdfast/base/result.h>

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::net {

template <auto Free>
struct OpensslDeleter {
  template <class T>
  void operator()(T* object) const {
    Free(object);
  }
};
template <class T, auto Free>
using Openssl = std::unique_ptr<T, OpensslDeleter<Free>>;

using Bio = Openssl<BIO, BIO_free_all>;
using Key = Openssl<EVP_PKEY, EVP_PKEY_free>;
using Certificate = Openssl<X509, X509_free>;
using CertificateStore = Openssl<X509_STORE, X509_STORE_free>;
using DigestState = Openssl<EVP_MD_CTX, EVP_MD_CTX_free>;
using EcdsaSignature = Openssl<ECDSA_SIG, ECDSA_SIG_free>;
using TlsSettings = Openssl<SSL_CTX, SSL_CTX_free>;

/// `doing`, and the oldest reason in this thread's queue, which is emptied.
Error openssl_error(Fault fault, std::string_view doing);

Result<Key> parse_private_key(std::string_view pem);
Result<Key> parse_public_key(std::string_view pem);
Result<Certificate> parse_certificate(std::string_view pem);

/// base64 of the SHA-256 of a certificate's public key, as pins are written.
std::optional<std::string> key_digest(std::string_view certificate_pem);

/// A read-only view on `text`, which must outlive it.
Bio view(std::string_view text);
Bio memory();
std::string contents(const Bio& bio);

}  // namespace holdfast::net

/// X.509 v3 certificates: P-256 keys, SHA-256 signatures, 128-bit random serials, names in
/// subjectAltName.
#include <holdfast/net/pki.h>

#include "tls/openssl.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/pem.h>

#include <array>
#include <ctime>

namespace holdfast::net {
namespace {

constexpr std::chrono::minutes kClockDifference{5};

using GeneralNames = Openssl<GENERAL_NAMES, GENERAL_NAMES_free>;

const unsigned char* raw(const std::string& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

Result<void> set_subject(X509* certificate, const CertificateRequest& request) {
  X509_NAME* name = X509_get_subject_name(certificate);
  const auto add = [name](const char* field, const std::string& value) {
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, raw(value), int(value.size()), -1,
                                      0) == 1;
  };
  for (const std::string& organization : request.organizations)
    if (!add("O", organization))
      return openssl_error(Fault::Invalid, "organization " + organization);
  if (!add("CN", request.common_name))
    return openssl_error(Fault::Invalid, "common name " + request.common_name);
  return ok();
}

/// Above zero, as RFC 5280 asks, and of at most 20 bytes.
Result<void> set_serial(X509* certificate, Random& random) {
  std::string bytes = random.bytes(16);
  bytes[0] = char((bytes[0] & 0x7f) | 0x40);
  BIGNUM* number = BN_bin2bn(raw(bytes), int(bytes.size()), nullptr);
  const bool done = number != nullptr &&
                    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nullptr;
  BN_free(number);
  if (!done) return openssl_error(Fault::Internal, "serial number");
  return ok();
}

Result<void> set_lifetime(X509* certificate, std::chrono::hours lifetime, const Clock& clock) {
  const std::time_t now =
      std::chrono::duration_cast<std::chrono::seconds>(clock.now().time_since_epoch()).count();
  const auto seconds = [](auto span) {
    return std::chrono::duration_cast<std::chrono::seconds>(span).count();
  };
  if (ASN1_TIME_set(X509_getm_notBefore(certificate), now - seconds(kClockDifference)) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(certificate), now + seconds(lifetime)) == nullptr)
    return openssl_error(Fault::Invalid, "lifetime");
  return ok();
}

/// X509V3's text form, for the extensions whose text cannot carry anything from the caller.
Result<void> add_extension(X509* certificate, X509* issuer, int nid, const char* text) {
  X509V3_CTX parties;
  X509V3_set_ctx(&parties, issuer, certificate, nullptr, nullptr, 0);
  X509V3_set_ctx_nodb(&parties);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &parties, nid, text);
  const bool done = extension != nullptr && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  if (!done) return openssl_error(Fault::Internal, fmt::format("extension {}", text));
  return ok();
}

bool push_name(GENERAL_NAMES* names, int type, const std::string& bytes) {
  GENERAL_NAME* name = GENERAL_NAME_new();
  ASN1_STRING* value = type == GEN_DNS ? ASN1_IA5STRING_new() : ASN1_OCTET_STRING_new();
  if (name == nullptr || value == nullptr ||
      ASN1_STRING_set(value, bytes.data(), int(bytes.size())) != 1) {
    GENERAL_NAME_free(name);
    ASN1_STRING_free(value);
    return false;
  }
  GENERAL_NAME_set0_value(name, type, value);
  if (sk_GENERAL_NAME_push(names, name) > 0) return true;
  GENERAL_NAME_free(name);
  return false;
}

Result<std::string> address_bytes(const std::string& text) {
  std::array<char, 16> bytes{};
  if (inet_pton(AF_INET, text.c_str(), bytes.data()) == 1) return std::string(bytes.data(), 4);
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return std::string(bytes.data(), 16);
  return Error(Fault::Invalid, fmt::format("IP address {}: not an address", text));
}

Result<void> add_names(X509* certificate, const CertificateRequest& request) {
  if (request.dns_names.empty() && request.ip_addresses.empty()) return ok();
  const GeneralNames names(GENERAL_NAMES_new());
  bool good = names != nullptr;
  for (const std::string& dns : request.dns_names)
    good = good && push_name(names.get(), GEN_DNS, dns);
  for (const std::string& address : request.ip_addresses)
    good = good && push_name(names.get(), GEN_IPADD, HF_TRY(address_bytes(address)));
  if (!good || X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) != 1)
    return openssl_error(Fault::Internal, "subject alternative names");
  return ok();
}

Result<void> add_extensions(X509* certificate, X509* issuer, const CertificateRequest& request) {
  const auto add = [&](int nid, const char* text) {
    return add_extension(certificate, issuer, nid, text);
  };
  HF_TRY(add(NID_basic_constraints, request.ca ? "critical,CA:TRUE" : "critical,CA:FALSE"));
  HF_TRY(add(NID_key_usage, request.ca ? "critical,digitalSignature,keyCertSign,cRLSign"
                                       : "critical,digitalSignature"));
  if (request.server || request.client)
    HF_TRY(add(NID_ext_key_usage, !request.client   ? "serverAuth"
                                  : !request.server ? "clientAuth"
                                                    : "serverAuth,clientAuth"));
  HF_TRY(add(NID_subject_key_identifier, "hash"));
  HF_TRY(add(NID_authority_key_identifier, "keyid:always"));
  return add_names(certificate, request);
}

/// Everything but the signature. `issuer` null: the certificate is its own.
Result<Certificate> unsigned_certificate(const CertificateRequest& request, EVP_PKEY* key,
                                         X509* issuer, const Clock& clock, Random& random) {
  Certificate certificate(X509_new());
  X509* const made = certificate.get();
  if (made == nullptr || X509_set_version(made, X509_VERSION_3) != 1 ||
      X509_set_pubkey(made, key) != 1)
    return openssl_error(Fault::Internal, "new certificate");
  HF_TRY(set_serial(made, random));
  HF_TRY(set_lifetime(made, request.lifetime, clock));
  HF_TRY(set_subject(made, request));
  X509* const by = issuer != nullptr ? issuer : made;
  if (X509_set_issuer_name(made, X509_get_subject_name(by)) != 1)
    return openssl_error(Fault::Internal, "issuer name");
  HF_TRY(add_extensions(made, by, request));
  return certificate;
}

Result<std::string> signed_certificate(const CertificateRequest& request,
                                       std::string_view private_pem,
                                       std::string_view ca_certificate, std::string_view ca_key,
                                       const Clock& clock, Random& random) {
  const Key key = HF_TRY(parse_private_key(private_pem));
  Certificate issuer;
  Key signer;
  if (!ca_certificate.empty() || !ca_key.empty()) {
    issuer = HF_TRY(parse_certificate(ca_certificate));
    signer = HF_TRY(parse_private_key(ca_key));
    if (X509_check_private_key(issuer.get(), signer.get()) != 1)
      return openssl_error(Fault::Invalid, "the CA's key is not its certificate's");
  }
  const Certificate made =
      HF_TRY(unsigned_certificate(request, key.get(), issuer.get(), clock, random));
  const Bio out = memory();
  if (X509_sign(made.get(), signer ? signer.get() : key.get(), EVP_sha256()) == 0 || !out ||
      PEM_write_bio_X509(out.get(), made.get()) != 1)
    return openssl_error(Fault::Internal, "sign");
  return contents(out);
}

}  // namespace

Result<std::string> make_certificate(const CertificateRequest& request,
                                     std::string_view private_pem, std::string_view ca_certificate,
                                     std::string_view ca_key, const Clock& clock, Random& random) {
  auto made = signed_certificate(request, private_pem, ca_certificate, ca_key, clock, random);
  if (!made)
    return made.take_error().with_context(
        fmt::format("make certificate for {}", request.common_name));
  return made;
}

Result<WallTime> certificate_expiry(std::string_view certificate_pem) {
  const Certificate certificate = HF_TRY(parse_certificate(certificate_pem));
  std::tm at{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate.get()), &at) != 1)
    return openssl_error(Fault::Invalid, "read the certificate's expiry");
  return WallTime(std::chrono::seconds(timegm(&at)));
}

}  // namespace holdfast::net

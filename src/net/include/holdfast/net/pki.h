/// Keys, certificates and signed tokens: ECDSA P-256 and ES256 only, since an RSA key alone would
/// cost more than start-up may.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/base/result.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::net {

struct KeyPair {
  std::string private_pem;  ///< "EC PRIVATE KEY" or PKCS#8
  std::string public_pem;   ///< SubjectPublicKeyInfo
};
Result<KeyPair> make_key();
Result<std::string> public_key_of(std::string_view private_pem);

struct CertificateRequest {
  std::string common_name{};
  std::vector<std::string> organizations{};
  std::vector<std::string> dns_names{};
  std::vector<std::string> ip_addresses{};
  bool ca = false;
  bool server = false;  ///< extended key usage
  bool client = false;
  std::chrono::hours lifetime{24 * 365};
};
/// Signed by `ca_key`/`ca_certificate`, or by itself when those are empty. Valid from five minutes
/// ago, so that a small clock difference does not refuse it.
Result<std::string> make_certificate(const CertificateRequest& request,
                                     std::string_view private_pem, std::string_view ca_certificate,
                                     std::string_view ca_key, const Clock& clock, Random& random);
Result<WallTime> certificate_expiry(std::string_view certificate_pem);

/// ES256 over `message`: the 64 raw bytes r‖s that a JWS carries.
Result<std::string> sign_es256(std::string_view message, std::string_view private_pem);
bool verify_es256(std::string_view message, std::string_view signature,
                  std::string_view public_pem);

}  // namespace holdfast::net

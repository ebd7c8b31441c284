#include <holdfast/base/bytes.h>
#include <holdfast/net/pki.h>

#include "tls/openssl.h"

namespace holdfast::net {
namespace {

struct Pki : testing::Test {
  const WallTime now = WallTime(std::chrono::seconds(1'700'000'000));
  ManualClock clock{now};
  SeededRandom random{7};
  KeyPair ca_key = make_key().take();
  KeyPair key = make_key().take();
  std::string ca = make_certificate({.common_name = "test-ca", .ca = true}, ca_key.private_pem, "",
                                    "", clock, random)
                       .take();

  Result<std::string> issue(const CertificateRequest& request) {
    return make_certificate(request, key.private_pem, ca, ca_key.private_pem, clock, random);
  }

  /// OpenSSL's verdict on `leaf` under `ca`, at `when`, for a purpose.
  int verify(const std::string& leaf, int purpose, WallTime when) {
    const CertificateStore store(X509_STORE_new());
    X509_STORE_add_cert(store.get(), parse_certificate(ca)->get());
    const Openssl<X509_STORE_CTX, X509_STORE_CTX_free> check(X509_STORE_CTX_new());
    const auto certificate = parse_certificate(leaf);
    X509_STORE_CTX_init(check.get(), store.get(), certificate->get(), nullptr);
    X509_VERIFY_PARAM* param = X509_STORE_CTX_get0_param(check.get());
    X509_VERIFY_PARAM_set_time(
        param, std::chrono::duration_cast<std::chrono::seconds>(when.time_since_epoch()).count());
    X509_VERIFY_PARAM_set_purpose(param, purpose);
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
    X509_verify_cert(check.get());
    return X509_STORE_CTX_get_error(check.get());
  }
};

TEST_F(Pki, ServerCertificateVerifiesForItsPurposeNamesAndTimeOnly) {
  const auto leaf = issue({.common_name = "server",
                           .organizations = {"one", "two"},
                           .dns_names = {"kubernetes", "localhost"},
                           .ip_addresses = {"127.0.0.1", "::1"},
                           .server = true,
                           .lifetime = std::chrono::hours(1)});
  ASSERT_TRUE(leaf);

  using std::chrono::minutes;
  EXPECT_EQ(verify(*leaf, X509_PURPOSE_SSL_SERVER, now), X509_V_OK);
  EXPECT_EQ(verify(*leaf, X509_PURPOSE_SSL_SERVER, now - minutes(4)), X509_V_OK);
  EXPECT_EQ(verify(*leaf, X509_PURPOSE_SSL_SERVER, now - minutes(6)),
            X509_V_ERR_CERT_NOT_YET_VALID);
  EXPECT_EQ(verify(*leaf, X509_PURPOSE_SSL_SERVER, now + minutes(61)), X509_V_ERR_CERT_HAS_EXPIRED);
  EXPECT_EQ(verify(*leaf, X509_PURPOSE_SSL_CLIENT, now), X509_V_ERR_INVALID_PURPOSE);
  const auto certificate = parse_certificate(*leaf);
  EXPECT_EQ(X509_check_ip_asc(certificate->get(), "127.0.0.1", 0), 1);
  EXPECT_EQ(X509_check_ip_asc(certificate->get(), "::1", 0), 1);
  EXPECT_EQ(X509_check_host(certificate->get(), "kubernetes", 0, 0, nullptr), 1);
  EXPECT_EQ(X509_check_host(certificate->get(), "other", 0, 0, nullptr), 0);
}

TEST_F(Pki, ForeignSignatureDoesNotVerify) {
  const auto other = make_key();
  const auto other_ca = make_certificate({.common_name = "test-ca", .ca = true}, other->private_pem,
                                         "", "", clock, random);
  const auto leaf = make_certificate({.common_name = "eve", .client = true}, key.private_pem,
                                     *other_ca, other->private_pem, clock, random);

  EXPECT_NE(verify(*leaf, X509_PURPOSE_SSL_CLIENT, now), X509_V_OK);
}

TEST_F(Pki, SerialsDiffer) {
  const auto first = issue({.common_name = "a"}), second = issue({.common_name = "a"});

  EXPECT_NE(ASN1_INTEGER_cmp(X509_get0_serialNumber(parse_certificate(*first)->get()),
                             X509_get0_serialNumber(parse_certificate(*second)->get())),
            0);
}

TEST_F(Pki, ExpiryIsReadBack) {
  const auto leaf = issue({.common_name = "a", .lifetime = std::chrono::hours(2)});

  EXPECT_EQ(*certificate_expiry(*leaf), now + std::chrono::hours(2));
  EXPECT_EQ(certificate_expiry("junk").error().fault(), Fault::Invalid);
}

TEST_F(Pki, MismatchedCaAndBadAddressAreRefused) {
  EXPECT_EQ(
      make_certificate({.common_name = "a"}, key.private_pem, ca, key.private_pem, clock, random)
          .error()
          .fault(),
      Fault::Invalid);
  EXPECT_EQ(issue({.common_name = "a", .ip_addresses = {"localhost"}}).error().fault(),
            Fault::Invalid);
}

TEST_F(Pki, SignatureHoldsForItsMessageAndKeyOnly) {
  const auto signature = sign_es256("header.payload", key.private_pem);
  ASSERT_TRUE(signature);

  EXPECT_EQ(signature->size(), 64u);
  EXPECT_TRUE(verify_es256("header.payload", *signature, key.public_pem));
  EXPECT_FALSE(verify_es256("header.payloae", *signature, key.public_pem));
  EXPECT_FALSE(verify_es256("header.payload", *signature, ca_key.public_pem));
  std::string bent = *signature;
  bent[40] = char(bent[40] ^ 1);
  EXPECT_FALSE(verify_es256("header.payload", bent, key.public_pem));
  EXPECT_FALSE(verify_es256("header.payload", signature->substr(1), key.public_pem));
  EXPECT_FALSE(verify_es256("header.payload", std::string(64, '\0'), key.public_pem));
  EXPECT_FALSE(verify_es256("header.payload", *signature, "junk"));
}

TEST_F(Pki, PublicHalfIsDerivedFromThePrivateOne) {
  EXPECT_EQ(*public_key_of(key.private_pem), key.public_pem);
  EXPECT_EQ(public_key_of(key.public_pem).error().fault(), Fault::Invalid);
}

// RFC 7515, appendix A.3: the only outside witness that r‖s is laid out as a JWS wants it.
TEST_F(Pki, VerifiesTheExampleOfRfc7515) {
  const std::string public_pem =
      "-----BEGIN PUBLIC KEY-----\n"
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7\n"
      "6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==\n"
      "-----END PUBLIC KEY-----\n";
  const std::string message =
      "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFt"
      "cGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
  const auto signature = from_base64url(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q");
  ASSERT_TRUE(signature);

  EXPECT_TRUE(verify_es256(message, *signature, public_pem));
}

}  // namespace
}  // namespace holdfast::net

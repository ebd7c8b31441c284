#include <holdfast/base/hmac.h>
#include <holdfast/base/result.h>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace holdfast {

std::string hmac_sha256(std::string_view key, std::string_view text) {
  // A null pointer means something else to OpenSSL than no bytes.
  if (key.empty()) key = "";
  if (text.empty()) text = "";
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  const auto* done = HMAC(EVP_sha256(), key.data(), int(key.size()),
                          reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                          reinterpret_cast<unsigned char*>(out.data()), &size);
  HF_CHECK(done != nullptr);
  out.resize(size);
  return out;
}

}  // namespace holdfast

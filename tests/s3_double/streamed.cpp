#include "streamed.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/result.h>
#include <holdfast/base/text.h>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <charconv>

namespace holdfast::s3_double {
namespace {

std::string hmac(std::string_view key, std::string_view text) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  HF_CHECK(HMAC(EVP_sha256(), key.data(), int(key.size()),
                reinterpret_cast<const unsigned char*>(text.data()), text.size(),
                reinterpret_cast<unsigned char*>(out.data()), &size) != nullptr);
  out.resize(size);
  return out;
}

/// The chain of signatures of one request.
class Chain {
 public:
  Chain(const net::Request& request, const Keys& keys)
      : date_(request.headers.get("x-amz-date")),
        scope_(fmt::format("{}/{}/s3/aws4_request", date_.substr(0, 8), keys.region)) {
    const std::string_view text = request.headers.get("Authorization");
    before_ = text.substr(std::min(text.find("Signature=") + 10, text.size()));
    const std::string region =
        hmac(hmac("AWS4" + keys.secret_key, date_.substr(0, 8)), keys.region);
    key_ = hmac(hmac(region, "s3"), "aws4_request");
  }
  bool fits(std::string_view bytes, std::string_view signature) {
    const std::string text = fmt::format("AWS4-HMAC-SHA256-PAYLOAD\n{}\n{}\n{}\n{}\n{}", date_,
                                         scope_, before_, hex(sha256("")), hex(sha256(bytes)));
    before_ = hex(hmac(key_, text));
    return equal_secret(before_, signature);
  }

 private:
  const std::string date_, scope_;
  std::string before_, key_;
};

Refusal broken() {
  return {400, "IncompleteBody", "The request body terminated unexpectedly or is malformed."};
}

}  // namespace

std::optional<Refusal> unwrap_chunks(net::Request& request, const Keys& keys) {
  const std::string_view kind = request.headers.get("x-amz-content-sha256");
  if (!kind.starts_with("STREAMING-")) return {};
  const bool is_signed = kind.starts_with("STREAMING-AWS4-HMAC-SHA256-PAYLOAD");
  Chain chain(request, keys);
  std::string whole;
  std::string_view rest = request.body;
  for (;;) {
    const size_t end = rest.find("\r\n");
    if (end == std::string_view::npos) return broken();
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    size_t size = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), size, 16);
    if (read.ec != std::errc() || size > rest.size()) return broken();
    const std::string_view bytes = rest.substr(0, size);
    constexpr std::string_view kMark = ";chunk-signature=";
    const size_t mark = line.find(kMark);
    if (is_signed &&
        (mark == std::string_view::npos || !chain.fits(bytes, line.substr(mark + kMark.size()))))
      return Refusal{403, "SignatureDoesNotMatch", "The signature of a chunk does not match."};
    if (size == 0) break;
    whole += bytes;
    rest.remove_prefix(size);
    if (!rest.starts_with("\r\n")) return broken();
    rest.remove_prefix(2);
  }
  if (std::to_string(whole.size()) != request.headers.get("x-amz-decoded-content-length"))
    return broken();
  request.body = std::move(whole);
  return {};
}

}  // namespace holdfast::s3_double

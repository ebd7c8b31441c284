#include "signed.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/signature.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::s3_double {
namespace {

/// AWS4-HMAC-SHA256 Credential=KEY/DATE/REGION/SERVICE/aws4_request, SignedHeaders=a;b, Signature=…
struct Authorization {
  std::string access_key{}, date{}, region{}, service{}, end{}, signed_headers{}, signature{};
};

std::optional<Authorization> read_authorization(std::string_view text) {
  constexpr std::string_view kScheme = "AWS4-HMAC-SHA256 ";
  if (!text.starts_with(kScheme)) return {};
  Authorization out;
  for (const std::string_view raw : split(text.substr(kScheme.size()), ',')) {
    const std::string_view part = trim(raw);
    const std::string_view value = part.substr(std::min(part.find('=') + 1, part.size()));
    if (part.starts_with("SignedHeaders=")) out.signed_headers = value;
    if (part.starts_with("Signature=")) out.signature = value;
    if (!part.starts_with("Credential=")) continue;
    const auto scope = split(value, '/');
    if (scope.size() != 5) return {};
    out.access_key = scope[0], out.date = scope[1], out.region = scope[2];
    out.service = scope[3], out.end = scope[4];
  }
  if (out.access_key.empty() || out.signed_headers.empty() || out.signature.size() != 64) return {};
  return out;
}

/// "20150830T123600Z".
std::optional<WallTime> read_date(std::string_view text) {
  if (text.size() != 16 || text[8] != 'T' || text[15] != 'Z') return {};
  const auto number = [text](size_t at, size_t size) {
    int out = -1;
    std::from_chars(text.data() + at, text.data() + at + size, out);
    return out;
  };
  const std::chrono::year_month_day date(std::chrono::year(number(0, 4)),
                                         std::chrono::month(unsigned(number(4, 2))),
                                         std::chrono::day(unsigned(number(6, 2))));
  if (!date.ok()) return {};
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(number(9, 2)) +
         std::chrono::minutes(number(11, 2)) + std::chrono::seconds(number(13, 2));
}

bool is_listed(std::string_view names, std::string_view name) {
  const auto parts = split(names, ';');
  return std::find(parts.begin(), parts.end(), name) != parts.end();
}

/// Host and every x-amz-* header must be among the signed ones.
std::optional<Refusal> check_names(const net::Request& request, std::string_view names) {
  for (const auto& [name, value] : request.headers) {
    const std::string lower = to_lower(name);
    const bool must = lower == "host" || lower == "content-md5" || lower.starts_with("x-amz-");
    if (must && !is_listed(names, lower))
      return Refusal{403, "AccessDenied",
                     "There were headers present in the request which were not signed: " + lower};
  }
  return {};
}

std::optional<Refusal> check_scope(const Authorization& given, const Keys& keys,
                                   std::string_view date) {
  if (given.access_key == keys.old_access_key && !keys.old_code.empty())
    return Refusal{keys.old_code == "ExpiredToken" ? 400 : 403, keys.old_code,
                   "The provided token has expired."};
  if (given.access_key != keys.access_key)
    return Refusal{403, "InvalidAccessKeyId",
                   "The AWS Access Key Id you provided does not exist in our records."};
  if (given.region != keys.region)
    return Refusal{400, "AuthorizationHeaderMalformed",
                   fmt::format("The authorization header is malformed; the region '{}' is wrong; "
                               "expecting '{}'",
                               given.region, keys.region),
                   fmt::format("<Region>{}</Region>", keys.region)};
  if (given.service != "s3" || given.end != "aws4_request" || given.date != date.substr(0, 8))
    return Refusal{400, "AuthorizationHeaderMalformed",
                   "The authorization header is malformed; wrong date or service."};
  return {};
}

std::optional<Refusal> check_signature(const net::Request& request, const Authorization& given,
                                       const Keys& keys) {
  blob::SigningInput input{
      .method = request.method,
      .path = request.path,
      .query = request.query,
      .payload_sha256 = std::string(request.headers.get("x-amz-content-sha256"))};
  for (const std::string_view name : split(given.signed_headers, ';')) {
    if (!request.headers.has(name))
      return Refusal{403, "SignatureDoesNotMatch", "A signed header is missing."};
    for (const std::string_view value : request.headers.all(name)) input.headers.add(name, value);
  }
  const std::string expected =
      blob::signature_v4(input, {keys.access_key, keys.secret_key, keys.region, "s3"});
  if (equal_secret(expected, given.signature)) return {};
  return Refusal{403, "SignatureDoesNotMatch",
                 "The request signature we calculated does not match the signature you provided. "
                 "Check your key and signing method."};
}

}  // namespace

std::optional<Refusal> check_signed(const net::Request& request, const Keys& keys, WallTime now) {
  const std::string_view text = request.headers.get("Authorization");
  if (text.empty()) return Refusal{403, "AccessDenied", "Anonymous access is forbidden."};
  const auto given = read_authorization(text);
  if (!given)
    return Refusal{400, "AuthorizationHeaderMalformed", "The authorization header is malformed."};
  const std::string_view date = request.headers.get("x-amz-date");
  const auto when = read_date(date);
  if (!when) return Refusal{403, "AccessDenied", "A valid X-Amz-Date header is required."};
  if (auto refusal = check_names(request, given->signed_headers)) return refusal;
  if (auto refusal = check_scope(*given, keys, date)) return refusal;
  if (std::chrono::abs(*when - now) > std::chrono::minutes(15))
    return Refusal{403, "RequestTimeTooSkewed",
                   "The difference between the request time and the current time is too large."};
  if (auto refusal = check_signature(request, *given, keys)) return refusal;
  if (request.headers.get("x-amz-security-token") != keys.session_token)
    return Refusal{400, "InvalidToken", "The provided token is malformed or otherwise invalid."};
  // What the two other forms promise is checked when the body is put together.
  const std::string_view payload = request.headers.get("x-amz-content-sha256");
  if (payload.starts_with("STREAMING-") || payload == "UNSIGNED-PAYLOAD") return {};
  if (payload != hex(sha256(request.body)))
    return Refusal{400, "XAmzContentSHA256Mismatch",
                   "The provided 'x-amz-content-sha256' header does not match what was computed."};
  return {};
}

}  // namespace holdfast::s3_double

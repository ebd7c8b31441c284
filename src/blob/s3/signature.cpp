//   canonical = METHOD \n PATH \n QUERY sorted \n name:value\n… \n names;… \n hex(sha256(payload))
//   to sign   = AWS4-HMAC-SHA256 \n DATETIME \n DATE/REGION/SERVICE/aws4_request \n
//               hex(sha256(canonical))
//   key       = HMAC(HMAC(HMAC(HMAC("AWS4" SECRET, DATE), REGION), SERVICE), "aws4_request")
#include <holdfast/base/bytes.h>
#include <holdfast/base/hmac.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/signature.h>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

namespace holdfast::blob {
namespace {

/// Without white space at the ends, and runs of it one space.
std::string collapse(std::string_view value) {
  std::string out;
  for (const char c : trim(value)) {
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (!space) out += c;
    if (space && !out.ends_with(' ')) out += ' ';
  }
  return out;
}

/// By lower-case name; values of a repeated header are joined in their order.
std::map<std::string, std::string> canonical_headers(const net::Headers& headers) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : headers) {
    const auto [at, is_new] = out.emplace(to_lower(name), collapse(value));
    if (!is_new) at->second += "," + collapse(value);
  }
  return out;
}

std::string canonical_query(const net::Query& query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  pairs.reserve(query.size());
  for (const auto& [name, value] : query)
    pairs.emplace_back(net::percent_encode(name), net::percent_encode(value));
  std::sort(pairs.begin(), pairs.end());
  std::string out;
  for (const auto& [name, value] : pairs)
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", name, value);
  return out;
}

std::string signed_names(const std::map<std::string, std::string>& headers) {
  std::string out;
  for (const auto& [name, value] : headers) out += (out.empty() ? "" : ";") + name;
  return out;
}

std::string scope(std::string_view date, const SigningKey& key) {
  return fmt::format("{}/{}/{}/aws4_request", date, key.region, key.service);
}

std::string_view date_of(const SigningInput& input) {
  return input.headers.get("x-amz-date").substr(0, 8);
}

}  // namespace

std::string amz_date(WallTime now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(std::chrono::floor<std::chrono::seconds>(now - day));
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), time.hours().count(), time.minutes().count(),
                     time.seconds().count());
}

std::string encode_path(std::string_view path) {
  std::string out;
  for (const std::string_view part : split(path, '/')) out += "/" + net::percent_encode(part);
  return out.substr(1);
}

std::string encode_query(const net::Query& query) {
  std::string out;
  for (const auto& [name, value] : query) {
    out += fmt::format("{}{}={}", out.empty() ? "" : "&", net::percent_encode(name),
                       net::percent_encode(value));
  }
  return out;
}

std::string signature_v4(const SigningInput& input, const SigningKey& key) {
  const auto headers = canonical_headers(input.headers);
  std::string canonical = fmt::format("{}\n{}\n{}\n", input.method, encode_path(input.path),
                                      canonical_query(input.query));
  for (const auto& [name, value] : headers) canonical += fmt::format("{}:{}\n", name, value);
  canonical += fmt::format("\n{}\n{}", signed_names(headers), input.payload_sha256);

  const std::string_view date = date_of(input);
  const std::string to_sign =
      fmt::format("AWS4-HMAC-SHA256\n{}\n{}\n{}", input.headers.get("x-amz-date"), scope(date, key),
                  hex(sha256(canonical)));
  const std::string of_date = hmac_sha256("AWS4" + key.secret_key, date);
  const std::string of_service = hmac_sha256(hmac_sha256(of_date, key.region), key.service);
  return hex(hmac_sha256(hmac_sha256(of_service, "aws4_request"), to_sign));
}

std::string authorization_v4(const SigningInput& input, const SigningKey& key) {
  return fmt::format("AWS4-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}",
                     key.access_key, scope(date_of(input), key),
                     signed_names(canonical_headers(input.headers)), signature_v4(input, key));
}

}  // namespace holdfast::blob

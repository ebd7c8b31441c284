#include "client/failure.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <charconv>
#include <ctime>

namespace holdfast::kube {
namespace {

constexpr size_t kShownBody = 200;

/// Proxies answer with pages of their own: the first line of one says enough.
std::string first_line(std::string_view body) {
  body = trim(body);
  std::string_view line = body.substr(0, body.find('\n'));
  line = trim(line.substr(0, kShownBody));
  return line.empty() ? "no body" : quoted(line);
}

/// The server may have done it before it failed: it lost its store in mid-write, or it is a proxy
/// that lost the server. 503 says that nothing was begun.
bool may_have_acted(int code) { return code == 500 || code == 502 || code == 504; }

std::optional<int64_t> number_in(std::string_view text) {
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

Fault fault_of_code(int code) {
  switch (code) {
    case 401:
    case 403:
      return Fault::Denied;
    case 404:
      return Fault::NotFound;
    case 409:
    case 410:
      return Fault::Conflict;
    case 408:
    case 429:
      return Fault::Unavailable;
    default:
      return code >= 500 ? Fault::Unavailable : Fault::Invalid;
  }
}

std::string text_of(const net::Call& call) {
  return fmt::format("{} {}", call.method, call.target.substr(0, call.target.find('?')));
}

bool is_write(const net::Call& call) { return call.method != "GET" && call.method != "HEAD"; }

std::chrono::seconds retry_after_of(const net::Response& response, WallTime now) {
  const std::string field(response.headers.get("Retry-After"));
  std::chrono::seconds wait{0};
  std::tm date{};
  if (const std::optional<int64_t> seconds = number_in(field)) {
    wait = std::chrono::seconds(std::min<int64_t>(*seconds, int64_t(1) << 31));
  } else if (strptime(field.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date) != nullptr) {
    const WallTime then{std::chrono::seconds(timegm(&date))};
    wait = std::chrono::ceil<std::chrono::seconds>(then - now);
  }
  return std::max(wait, std::chrono::seconds(0));
}

Failure failure_of(const net::Call& call, const net::Response& response, WallTime now) {
  Failure failure{Error(fault_of_code(response.status), ""), response.status};
  std::string said;
  Result<model::Parsed> body = model::parse_json(response.body);
  if (body && model::string_at(body->value, {"kind"}) == "Status") {
    failure.reason = model::string_at(body->value, {"reason"});
    failure.status = std::move(body->value);
    said = fmt::format("{}{}{}", failure.reason, failure.reason.empty() ? "" : ": ",
                       model::string_at(failure.status, {"message"}));
  } else {
    said = first_line(response.body);
  }
  if (response.status < 400 && response.headers.has("Location"))
    said = fmt::format("redirects to {}", response.headers.get("Location"));
  failure.retry_after = retry_after_of(response, now);
  if (failure.retry_after == std::chrono::seconds(0))
    failure.retry_after = std::chrono::seconds(
        std::max<int64_t>(0, model::int_at(failure.status, {"details", "retryAfterSeconds"}, 0)));
  failure.ambiguous = is_write(call) && may_have_acted(response.status);
  failure.error = Error(fault_of_code(response.status),
                        fmt::format("{}: {} {}", text_of(call), response.status, said));
  return failure;
}

Failure no_answer(const net::Call& call, Error error) {
  // TLS and malformed requests fail before anything is sent.
  const bool sent = error.fault() == Fault::Unavailable || error.fault() == Fault::Corrupt;
  Failure failure{std::move(error)};
  failure.ambiguous = sent && is_write(call);
  return failure;
}

Failure not_sent(Fault fault, std::string what) { return {Error(fault, std::move(what))}; }

}  // namespace holdfast::kube

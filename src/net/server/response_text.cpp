#include "server/response_text.h"

#include <holdfast/base/text.h>

#include <boost/beast/http/status.hpp>
#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <optional>

namespace holdfast::net {
namespace {

constexpr size_t kGzipThreshold = size_t(128) << 10;
constexpr size_t kSizeLine = 10;  // eight digits and a line break

std::optional<std::string> gzip(const std::string& text) {
  constexpr int kWindowBits = 15 + 16;  // 16: a gzip frame instead of zlib's
  z_stream state{};
  if (deflateInit2(&state, 1, Z_DEFLATED, kWindowBits, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  std::string out(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = uInt(text.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = uInt(out.size());
  const int result = deflate(&state, Z_FINISH);
  out.resize(state.total_out);
  deflateEnd(&state);
  if (result != Z_STREAM_END) return std::nullopt;
  return out;
}

/// "gzip", "*", with a weight that is not zero.
bool takes_gzip(const Request& request) {
  for (const std::string_view field : request.headers.all("Accept-Encoding"))
    for (const std::string_view item : split(field, ',')) {
      const auto parts = split(item, ';');
      if (to_lower(trim(parts[0])) != "gzip" && trim(parts[0]) != "*") continue;
      const std::string weight = parts.size() > 1 ? to_lower(trim(parts[1])) : "q=1";
      return !weight.starts_with("q=") || std::strtod(weight.c_str() + 2, nullptr) > 0;
    }
  return false;
}

/// "Sun, 06 Nov 1994 08:49:37 GMT"; strftime would translate.
std::string http_date(WallTime now) {
  static constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  std::tm at{};
  gmtime_r(&seconds, &at);
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[size_t(at.tm_wday)], at.tm_mday,
                     kMonths[size_t(at.tm_mon)], at.tm_year + 1900, at.tm_hour, at.tm_min,
                     at.tm_sec);
}

/// Framing is the server's to say; a service's word on it could only be wrong.
bool is_framing(std::string_view name) {
  const std::string lower = to_lower(name);
  return lower == "content-length" || lower == "transfer-encoding" || lower == "connection" ||
         lower == "keep-alive";
}

void append_field(std::string& out, std::string_view name, std::string_view value) {
  const size_t start = out.size();
  out.append(name).append(": ").append(value);
  // A line break in a value would let whoever chose the value write fields of his own.
  for (size_t at = start; at < out.size(); ++at)
    if (out[at] == '\r' || out[at] == '\n' || out[at] == '\0') out[at] = ' ';
  out += "\r\n";
}

void append_framing(std::string& out, const Response& response, const AnswerForm& form) {
  const bool bodiless = response.status == 204 || response.status == 304 || response.status < 200;
  if (response.stream && !bodiless) {
    if (form.chunked) out += "Transfer-Encoding: chunked\r\n";
  } else if (!bodiless) {
    out += fmt::format("Content-Length: {}\r\n", response.body.size());
  }
  if (response.status == 101)
    out += "Connection: Upgrade\r\n";
  else if (!form.keep_alive)
    out += "Connection: close\r\n";
  else if (!form.chunked)
    out += "Connection: keep-alive\r\n";  // an HTTP/1.0 client asked for it and waits for the word
}

}  // namespace

AnswerForm answer_form(const Request& request, bool keep_alive, bool chunked) {
  return {.head = request.method == "HEAD",
          .gzip = takes_gzip(request),
          .keep_alive = keep_alive,
          .chunked = chunked};
}

void compress_large(Response& response, const AnswerForm& form) {
  if (response.stream || !form.gzip || response.body.size() <= kGzipThreshold ||
      response.headers.has("Content-Encoding"))
    return;
  auto smaller = gzip(response.body);
  if (!smaller) return;
  response.body = std::move(*smaller);
  response.headers.set("Content-Encoding", "gzip");
  response.headers.add("Vary", "Accept-Encoding");
}

bool has_body(const Response& response, const AnswerForm& form) {
  return !form.head && response.status >= 200 && response.status != 204 && response.status != 304;
}

std::string response_head(const Response& response, const AnswerForm& form, WallTime now) {
  std::string out;
  out.reserve(512);
  const auto reason = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(unsigned(response.status)));
  out += fmt::format("HTTP/1.1 {} {}\r\n", response.status,
                     std::string_view(reason.data(), reason.size()));
  for (const auto& [name, value] : response.headers)
    if (!is_framing(name)) append_field(out, name, value);
  if (!response.headers.has("Date")) append_field(out, "Date", http_date(now));
  append_framing(out, response, form);
  out += "\r\n";
  return out;
}

size_t open_chunk(std::string& out) {
  out.append(kSizeLine, '0');
  return out.size() - kSizeLine;
}

void close_chunk(std::string& out, size_t at) {
  const size_t size = out.size() - at - kSizeLine;
  if (size == 0) return out.resize(at);
  fmt::format_to(out.begin() + ptrdiff_t(at), "{:08x}\r\n", size);
  out += "\r\n";
}

}  // namespace holdfast::net

#include "client/line.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>

#include "tls/openssl.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stop_token>

namespace holdfast::net {
namespace {

constexpr std::chrono::milliseconds kLongestWait{60000};
constexpr size_t kPacedPiece = size_t{16} << 10;

curl_blob blob(const std::string& text) {
  // libcurl reads the bytes while the handle lives; the options outlive it.
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

bool has_line_break(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

/// "https", "host", ":6443": the parts of a base URL without a path.
struct Origin {
  std::string_view scheme, host, port;
};

Origin origin_of(std::string_view url) {
  Origin origin;
  const size_t mark = url.find("://");
  origin.scheme = url.substr(0, mark);
  std::string_view rest = url.substr(mark + 3);
  rest = rest.substr(0, rest.find('/'));
  const size_t bracket = rest.find(']');
  const size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  origin.host = rest.substr(0, colon);
  if (colon != std::string_view::npos) origin.port = rest.substr(colon);
  return origin;
}

/// A TLS handshake that was cut off says nothing about trust; the same call may succeed later.
bool was_cut_off(std::string_view text) {
  for (const std::string_view sign : {"SSL_ERROR_SYSCALL", "reset by peer", "unexpected eof"})
    if (text.find(sign) != std::string_view::npos) return true;
  return false;
}

Fault fault_of(CURLcode code, std::string_view text) {
  switch (code) {
    case CURLE_SSL_CONNECT_ERROR:
      return was_cut_off(text) ? Fault::Unavailable : Fault::Denied;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_ENGINE_SETFAILED:
      return Fault::Denied;
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return Fault::Invalid;
    default:
      // TLS 1.3: the server's refusal of our certificate arrives after the handshake.
      return text.find("alert") != std::string_view::npos ? Fault::Denied : Fault::Unavailable;
  }
}

}  // namespace

Line::Line(const ClientOptions& options)
    : options_(options), multi_(curl_multi_init()), easy_(curl_easy_init()) {
  HF_CHECK(multi_ && easy_);
  set_connection_options();
  set_tls_options();
}

void Line::set_connection_options() {
  CURL* const easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, long(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, long(options_.connect_timeout.count()));
  if (options_.silence.count() > 0) {
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &Line::on_socket);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, &options_);
  }
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  // Even empty: only then is http_proxy in the environment ignored.
  curl_easy_setopt(easy, CURLOPT_PROXY, options_.proxy.c_str());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, options_.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Line::on_header);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Line::on_body);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Line::on_upload);
  if (options_.buffer > 0) {
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, long(options_.buffer));
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, long(options_.buffer));
  }
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, 1L);
}

void Line::set_tls_options() {
  CURL* const easy = easy_.get();
  const auto set_blob = [easy](CURLoption option, const std::string& text) {
    const curl_blob bytes = blob(text);
    if (!text.empty()) curl_easy_setopt(easy, option, &bytes);
  };
  set_blob(CURLOPT_CAINFO_BLOB, options_.ca);
  set_blob(CURLOPT_SSLCERT_BLOB, options_.certificate);
  set_blob(CURLOPT_SSLKEY_BLOB, options_.key);
  const bool unverified = options_.insecure || !options_.pinned.empty();
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, unverified ? 0L : 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, unverified ? 0L : 2L);
  // What cannot be read matches no key.
  if (!options_.pinned.empty())
    curl_easy_setopt(
        easy, CURLOPT_PINNEDPUBLICKEY,
        ("sha256//" + key_digest(options_.pinned).value_or(base64(sha256("")))).c_str());

  url_ = options_.base_url;
  while (url_.ends_with('/')) url_.pop_back();
  if (options_.server_name.empty()) return;
  // libcurl checks the certificate against the URL's host: the URL gets the expected name, the
  // connection goes to the host.
  const Origin origin = origin_of(url_);
  connect_to_.reset(curl_slist_append(
      nullptr,
      fmt::format("::{}{}", origin.host, origin.port.empty() ? ":" : origin.port).c_str()));
  curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  host_field_ = fmt::format("Host: {}{}", origin.host, origin.port);
  const std::string path =
      url_.substr(origin.scheme.size() + 3 + origin.host.size() + origin.port.size());
  url_ = fmt::format("{}://{}{}{}", origin.scheme, options_.server_name, origin.port, path);
}

std::string Line::host() const {
  const Origin origin = origin_of(options_.base_url);
  return fmt::format("{}{}", origin.host, origin.port);
}

std::string Line::path() const {
  const Origin origin = origin_of(url_);
  return url_.substr(origin.scheme.size() + 3 + origin.host.size() + origin.port.size());
}

/// Half of the silence passes before the peer is asked for a sign of life, then it has five tries.
int Line::on_socket(void* options, curl_socket_t socket, curlsocktype) {
  const auto seconds = int(static_cast<const ClientOptions*>(options)->silence.count());
  constexpr int kTries = 5;
  const auto set = [socket](int option, int value) {
    setsockopt(socket, IPPROTO_TCP, option, &value, sizeof(value));
  };
  set(TCP_KEEPIDLE, std::max(1, seconds / 2));
  set(TCP_KEEPINTVL, std::max(1, seconds / 2 / kTries));
  set(TCP_KEEPCNT, kTries);
  set(TCP_USER_TIMEOUT, seconds * 1000);
  return CURL_SOCKOPT_OK;
}

size_t Line::on_header(char* data, size_t, size_t count, void* exchange) {
  auto& seen = *static_cast<Exchange*>(exchange);
  const std::string_view line = trim({data, count});
  if (seen.headers_done) return count;  // trailers
  if (line.starts_with("HTTP/")) {
    seen.response.headers = {};  // an interim answer (100) came before
    const size_t space = line.find(' ');
    seen.response.status = space == std::string_view::npos ? 0 : std::atoi(line.data() + space);
  } else if (line.empty()) {
    seen.headers_done = seen.response.status >= 200;
    const bool begins = seen.on_data != nullptr && seen.response.status / 100 == 2;
    if (begins && seen.call->on_head) seen.call->on_head(seen.response);
  } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
    seen.response.headers.add(line.substr(0, colon), trim(line.substr(colon + 1)));
  }
  return count;
}

/// What the answer says, but only as much as is believed before it is there.
size_t Line::expected_length(const Exchange& seen) {
  constexpr size_t kBelieved = size_t{64} << 20;
  const std::string_view text = seen.response.headers.get("Content-Length");
  size_t length = 0;
  std::from_chars(text.data(), text.data() + text.size(), length);
  return std::min({length, seen.call->max_response, kBelieved});
}

bool Line::Exchange::must_wait(size_t bytes, bool up) {
  if (!call->pace) return false;
  const std::chrono::milliseconds wait = call->pace(bytes, up);
  if (wait.count() <= 0) return false;
  resume = SystemClock().mono() + wait;
  return true;
}

size_t Line::on_body(char* data, size_t, size_t count, void* exchange) {
  auto& seen = *static_cast<Exchange*>(exchange);
  if (seen.must_wait(count, false)) return CURL_WRITEFUNC_PAUSE;
  if (seen.on_data == nullptr || seen.response.status >= 300) {
    seen.too_long = count > seen.call->max_response - seen.response.body.size();
    if (seen.too_long) return 0;
    if (seen.response.body.empty()) seen.response.body.reserve(expected_length(seen));
    seen.response.body.append(data, count);
    return count;
  }
  if ((*seen.on_data)({data, count})) return count;
  seen.refused = true;
  return 0;
}

size_t Line::on_upload(char* data, size_t size, size_t count, void* exchange) {
  auto& seen = *static_cast<Exchange*>(exchange);
  const std::string_view rest = seen.call->payload().substr(seen.uploaded);
  // Small pieces, so that a slow pace is an even one.
  const size_t most = seen.call->pace ? std::min(size * count, kPacedPiece) : size * count;
  const size_t part = std::min(most, rest.size());
  if (part > 0 && seen.must_wait(part, true)) return CURL_READFUNC_PAUSE;
  std::memcpy(data, rest.data(), part);
  seen.uploaded += part;
  return part;
}

void Line::set_body(const Call& call, Exchange& exchange) {
  CURL* const easy = easy_.get();
  const bool expects_body = call.method == "POST" || call.method == "PUT" || call.method == "PATCH";
  // Each of these also sets the method: the order matters.
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, nullptr);
  curl_easy_setopt(easy, CURLOPT_NOBODY, 0L);
  curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(easy, CURLOPT_READDATA, &exchange);
  if (call.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (expects_body || !call.payload().empty()) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(call.payload().size()));
    // libcurl sends a request again if a kept connection dies before an answer. A body that it
    // cannot rewind it does not send twice, and sending a write twice may do twice what was asked
    // once, or refuse the second as a conflict with the first.
    if (call.payload().empty()) curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
  }
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST,
                   call.method == "HEAD" ? nullptr : call.method.c_str());
}

Result<void> Line::set_headers(const Call& call) {
  curl_slist* list = nullptr;
  const auto add = [&list](const std::string& line) {
    list = curl_slist_append(list, line.c_str());
  };
  for (const auto& [name, value] : call.headers) {
    if (has_line_break(name) || has_line_break(value)) {
      curl_slist_free_all(list);
      return Error(Fault::Invalid, fmt::format("header {} has a line break", quoted(name)));
    }
    if (to_lower(name) == "accept-encoding") continue;
    add(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  }
  if (!options_.bearer_token.empty() && !call.headers.has("Authorization"))
    add("Authorization: Bearer " + options_.bearer_token);
  if (!host_field_.empty() && !call.headers.has("Host")) add(host_field_);
  if (!call.headers.has("Content-Type")) add("Content-Type:");  // libcurl would call it a form
  if (!call.headers.has("Expect")) add("Expect:");
  headers_.reset(list);
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, list);
  return ok();
}

Result<void> Line::set_request(const Call& call, Exchange& exchange) {
  CURL* const easy = easy_.get();
  HF_TRY(set_headers(call));
  set_body(call, exchange);
  const std::string url = url_ + call.target;
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  // Asked for by the caller, undone here: the caller sees plain bytes.
  const std::string_view encoding = call.headers.get("Accept-Encoding");
  const bool gzip = to_lower(encoding).find("gzip") != std::string::npos;
  curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, gzip ? "gzip" : nullptr);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, long(call.stall.count()));
  error_text_[0] = '\0';
  return ok();
}

Error Line::failure(CURLcode code) const {
  const std::string_view text = error_text_[0] != '\0' ? error_text_ : curl_easy_strerror(code);
  return {fault_of(code, text), std::string(text)};
}

MonoTime Line::after_pause(Exchange& exchange, MonoTime wait) {
  if (!exchange.resume) return wait;
  const MonoTime left = *exchange.resume - clock_.mono();
  if (left > MonoTime(0)) return std::min(wait, left + std::chrono::milliseconds(1));
  exchange.resume.reset();
  // This may call back at once, and pause anew.
  curl_easy_pause(easy_.get(), CURLPAUSE_CONT);
  return MonoTime(0);
}

/// Drives the transfer to its end, the deadline, or the caller's stop.
Result<void> Line::run(const Call& call, Exchange& exchange) {
  const MonoTime end = clock_.mono() + call.timeout;
  CURLM* const multi = multi_.get();
  const std::stop_callback on_stop(call.stop, [multi] { curl_multi_wakeup(multi); });
  for (;;) {
    int running = 0;
    if (const CURLMcode code = curl_multi_perform(multi, &running); code != CURLM_OK)
      return Error(Fault::Internal, curl_multi_strerror(code));
    int left_over = 0;
    if (const CURLMsg* message = curl_multi_info_read(multi, &left_over)) {
      if (exchange.too_long) return answer_too_long(call.max_response);
      if (message->data.result == CURLE_OK || exchange.refused) return ok();
      return failure(message->data.result);
    }
    if (call.stop.stop_requested()) return Error(Fault::Unavailable, "stopped by the caller");
    const bool timed = exchange.on_data == nullptr || !exchange.headers_done;
    const MonoTime left = timed ? end - clock_.mono() : MonoTime(kLongestWait);
    if (left <= MonoTime(0))
      return Error(Fault::Unavailable, fmt::format("no answer within {} ms", call.timeout.count()));
    const MonoTime wait = after_pause(
        exchange, std::min<MonoTime>(left + std::chrono::milliseconds(1), kLongestWait));
    curl_multi_poll(multi, nullptr, 0, int(wait.count() / 1000), nullptr);
  }
}

Result<Response> Line::perform(const Call& call, const OnData* on_data) {
  Exchange exchange{.call = &call, .on_data = on_data};
  HF_TRY(set_request(call, exchange));
  curl_multi_add_handle(multi_.get(), easy_.get());
  auto done = run(call, exchange);
  curl_multi_remove_handle(multi_.get(), easy_.get());
  if (!done) return done.take_error();
  if (call.headers.has("Accept-Encoding")) exchange.response.headers.remove("Content-Encoding");
  return std::move(exchange.response);
}

}  // namespace holdfast::net

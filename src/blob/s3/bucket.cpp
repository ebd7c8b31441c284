#include "s3/bucket.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/blob/signature.h>

#include "around/retries.h"
#include "s3/errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::blob {
namespace {

/// Stalls end transfers, not their length.
constexpr std::chrono::hours kLongestCall{24};
/// What closes a run that was asked to stop: a lock is removed, an index of what was sent is
/// written. So much time and so many bytes each may take.
constexpr std::chrono::seconds kLongestClosing{20};
constexpr size_t kMostClosing = size_t{4} << 20;
constexpr int kMostKeys = 3;
constexpr size_t kBuffer = size_t{256} << 10;

struct Origin {
  std::string scheme{}, host{}, port{};
  std::string url(const std::string& name) const { return scheme + "://" + name + port; }
};

/// Without the port that goes without saying: clients leave it out of the Host header.
Result<Origin> read_endpoint(const std::string& endpoint) {
  Origin out;
  const size_t mark = endpoint.find("://");
  out.scheme = endpoint.substr(0, mark);
  if (mark == std::string::npos || (out.scheme != "http" && out.scheme != "https"))
    return Error(Fault::Invalid, fmt::format("S3 endpoint {}: write http://HOST or https://HOST",
                                             holdfast::quoted(endpoint)));
  std::string rest = endpoint.substr(mark + 3);
  while (rest.ends_with('/')) rest.pop_back();
  if (rest.empty() || rest.find_first_of("/?#@ ") != std::string::npos)
    return Error(Fault::Invalid,
                 fmt::format("S3 endpoint {}: only a host and a port", holdfast::quoted(endpoint)));
  const size_t colon = rest.find(':', rest.starts_with('[') ? rest.find(']') : 0);
  out.host = rest.substr(0, colon);
  if (colon != std::string::npos) out.port = rest.substr(colon);
  if (out.port == (out.scheme == "http" ? ":80" : ":443")) out.port.clear();
  return out;
}

Error unreachable(Error error, const std::string& naming) {
  if (error.fault() == Fault::Denied) {
    error = std::move(error).with_hint(
        "the service's certificate is not trusted: give the PEM file of its authority");
  }
  return std::move(error).with_context(naming);
}

bool is_amazon(std::string_view host) {
  return host.ends_with(".amazonaws.com") || host.ends_with(".amazonaws.com.cn");
}

}  // namespace

Bucket::Bucket(S3Settings settings, Waiting waiting)
    : settings_(std::move(settings)),
      waiting_(std::move(waiting)),
      above_(settings_.prefix.empty() ? "" : settings_.prefix + "/"),
      text_(fmt::format("s3:{}/{}{}{}", settings_.endpoint, settings_.bucket,
                        settings_.prefix.empty() ? "" : "/", settings_.prefix)),
      limits_(settings_.limits ? settings_.limits : std::make_shared<Limits>()) {}

Result<void> Bucket::connect() {
  const Origin origin = HF_TRY(read_endpoint(settings_.endpoint));
  // A name with dots fits no wildcard certificate.
  const bool in_host = settings_.addressing == Addressing::HostName ||
                       (settings_.addressing == Addressing::Auto && is_amazon(origin.host) &&
                        settings_.bucket.find('.') == std::string::npos);
  const std::string name = in_host ? settings_.bucket + "." + origin.host : origin.host;
  host_ = name + origin.port;
  bucket_path_ = in_host ? "" : "/" + settings_.bucket;
  client_ = HF_TRY(net::Client::make({.base_url = origin.url(name),
                                      .ca = settings_.ca,
                                      .proxy = settings_.proxy,
                                      .insecure = settings_.insecure,
                                      .buffer = kBuffer}));
  return ok();
}

Result<std::unique_ptr<Bucket>> Bucket::open(S3Settings settings, Waiting waiting) {
  if (settings.bucket.empty() || settings.bucket.find('/') != std::string::npos)
    return Error(Fault::Invalid, fmt::format("{} is no bucket", holdfast::quoted(settings.bucket)));
  if (!settings.credentials) return Error(Fault::Invalid, "no credentials for S3");
  if (settings.region.empty()) settings.region = "us-east-1";
  std::unique_ptr<Bucket> bucket(new Bucket(std::move(settings), std::move(waiting)));
  HF_TRY(bucket->connect());
  return bucket;
}

std::string Bucket::naming(const Ask& ask) const {
  std::string thing = ask.thing;
  if (thing.empty() && ask.key.starts_with(above_)) thing = ask.key.substr(above_.size());
  return fmt::format("{} {}: {}", ask.verb.empty() ? ask.method : ask.verb, thing, text_);
}

void Bucket::add_headers(const Ask& ask, const S3Key& key, net::Headers& headers) const {
  headers.set("Host", host_);
  headers.set("x-amz-date", amz_date(waiting_.clock.now()));
  headers.set("x-amz-content-sha256", hex(ask.sha256.empty() ? sha256(ask.payload) : ask.sha256));
  if (!key.session_token.empty()) headers.set("x-amz-security-token", key.session_token);
}

Result<net::Response> Bucket::send(const Ask& ask, const S3Key& key) const {
  net::Call call{.method = ask.method,
                 .headers = ask.headers,
                 .borrowed = ask.payload,
                 .timeout = kLongestCall,
                 .stall = settings_.stall,
                 .stop = waiting_.stop,
                 .max_response = ask.longest_answer};
  // What is under way then ends; what begins after it closes the run.
  if (waiting_.stop.stop_requested()) {
    if (ask.payload.size() > kMostClosing) return Error(Fault::Unavailable, "stopped");
    call.timeout = kLongestClosing;
    call.stop = {};
  }
  const std::string path =
      ask.key.empty() && !bucket_path_.empty() ? bucket_path_ : bucket_path_ + "/" + ask.key;
  call.target = encode_path(path);
  if (settings_.limits) {
    call.pace = [this](size_t bytes, bool up) {
      const uint64_t rate = up ? limits_->up_bytes_per_second : limits_->down_bytes_per_second;
      const auto wait = (up ? up_ : down_).ask(bytes, rate, waiting_.clock.mono());
      if (settings_.flown && wait.count() == 0) *settings_.flown += bytes;
      return wait;
    };
  }
  if (!ask.query.empty()) call.target += "?" + encode_query(ask.query);
  add_headers(ask, key, call.headers);
  const SigningInput input{.method = ask.method,
                           .path = path,
                           .query = ask.query,
                           .headers = call.headers,
                           .payload_sha256 = std::string(call.headers.get("x-amz-content-sha256"))};
  call.headers.set("Authorization", authorization_v4(input, {.access_key = key.access_key,
                                                             .secret_key = key.secret_key,
                                                             .region = settings_.region}));
  const Place place(places_, limits_->operations, waiting_.stop);
  return client_->call(call);
}

/// Answers to HEAD have no body; the same question as GET gets the reason told.
ServiceError Bucket::reason(const Ask& ask, const S3Key& key, const net::Response& refused) const {
  if (ask.method != "HEAD" || refused.status == 404)
    return read_error(refused.body).value_or(ServiceError{});
  Ask aloud = ask;
  aloud.method = "GET";
  aloud.headers.set("Range", "bytes=0-0");
  const Result<net::Response> told = send(aloud, key);
  if (!told) return {};
  return read_error(told->body).value_or(ServiceError{});
}

/// One that has come in the place of a key that was refused. A right that is missing does not come
/// with the next key of a rotation: nobody waits for it.
std::optional<S3Key> Bucket::other_key(const S3Key& refused, const std::string& code) const {
  if (!is_about_credentials(code)) return std::nullopt;
  const bool patient = key_was_right_ && code != "AccessDenied";
  const MonoTime end =
      waiting_.clock.mono() + (patient ? settings_.key_patience : std::chrono::seconds(0));
  for (;;) {
    const Result<S3Key> now = settings_.credentials();
    if (now && *now != refused) return *now;
    if (waiting_.clock.mono() >= end || waiting_.stop.stop_requested()) return std::nullopt;
    waiting_.sleep(std::chrono::seconds(1), waiting_.stop);
  }
}

/// A refused key may have been replaced a moment ago: then the new one gets its try at once.
Result<net::Response> Bucket::ask_once(const Ask& ask) const {
  S3Key key = HF_TRY(settings_.credentials());
  for (int keys = 1;; ++keys) {
    Result<net::Response> response = send(ask, key);
    if (!response) return unreachable(response.take_error(), naming(ask));
    const int status = response->status;
    const bool good = status / 100 == 2 || std::find(ask.also_good.begin(), ask.also_good.end(),
                                                     status) != ask.also_good.end();
    if (good) {
      key_was_right_ = true;
      return response;
    }
    const ServiceError said = reason(ask, key, *response);
    const std::optional<S3Key> other = keys < kMostKeys ? other_key(key, said.code) : std::nullopt;
    if (!other && settings_.refused) settings_.refused(said.code);
    if (!other) return refusal(naming(ask), *response, said);
    key = *other;
  }
}

Result<net::Response> Bucket::ask(const Ask& ask) const {
  return with_retries(settings_.retry, waiting_, [&] { return ask_once(ask); });
}

}  // namespace holdfast::blob

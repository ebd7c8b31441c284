#include "service.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>

#include "streamed.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::s3_double {
namespace {

using net::query_value;
using net::Request;
using net::Response;

constexpr std::string_view kHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
constexpr std::string_view kSpace = "http://s3.amazonaws.com/doc/2006-03-01/";

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string unescape(std::string text) {
  const std::pair<std::string_view, std::string_view> entities[] = {
      {"&lt;", "<"},   {"&gt;", ">"},   {"&quot;", "\""},
      {"&#34;", "\""}, {"&apos;", "'"}, {"&amp;", "&"}};
  for (const auto& [from, to] : entities)
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, from.size(), to);
  return text;
}

/// The text between <name> and </name>, again and again.
std::vector<std::string> between(std::string_view xml, const std::string& name) {
  std::vector<std::string> out;
  const std::string open = "<" + name + ">", close = "</" + name + ">";
  for (size_t at = xml.find(open); at != std::string_view::npos; at = xml.find(open, at)) {
    at += open.size();
    const size_t end = xml.find(close, at);
    if (end == std::string_view::npos) break;
    out.push_back(unescape(std::string(xml.substr(at, end - at))));
  }
  return out;
}

Response xml(int status, std::string body) {
  Response out{.status = status, .body = std::string(kHead) + std::move(body)};
  out.headers.set("Content-Type", "application/xml");
  return out;
}

Response refuse(const Refusal& why) {
  return xml(why.status,
             fmt::format("<Error><Code>{}</Code><Message>{}</Message>{}<RequestId>double"
                         "</RequestId></Error>",
                         why.code, escape(why.message), why.extra));
}

Response no_key() { return refuse({404, "NoSuchKey", "The specified key does not exist."}); }
Response no_upload() {
  return refuse({404, "NoSuchUpload", "The specified multipart upload does not exist."});
}
Response failed(const Error& error) {
  if (error.fault() == Fault::NotFound) return no_key();
  if (error.fault() == Fault::Invalid) return refuse({400, "InvalidArgument", error.what()});
  return refuse({500, "InternalError", error.what()});
}

bool has(const Request& request, std::string_view name) {
  return std::any_of(request.query.begin(), request.query.end(),
                     [name](const auto& pair) { return pair.first == name; });
}

/// "bytes=2-5", "bytes=2-", "bytes=-4" of a body so long; none if it lies outside.
std::optional<blob::Range> read_range(std::string_view text, uint64_t size) {
  text.remove_prefix(std::min<size_t>(6, text.size()));
  const size_t dash = text.find('-');
  uint64_t first = 0, last = size == 0 ? 0 : size - 1;
  const std::string_view left = text.substr(0, dash);
  const std::string_view right = dash == text.npos ? "" : text.substr(dash + 1);
  std::from_chars(left.data(), left.data() + left.size(), first);
  if (left.empty()) {
    uint64_t count = 0;
    std::from_chars(right.data(), right.data() + right.size(), count);
    first = size - std::min(count, size);
  } else if (!right.empty()) {
    std::from_chars(right.data(), right.data() + right.size(), last);
  }
  if (size == 0 || first >= size || last < first) return {};
  return blob::Range{first, std::min(last, size - 1) - first + 1};
}

}  // namespace

S3Service::S3Service(const Options& options, const Clock& clock)
    : options_(options), clock_(clock), random_(options.seed), objects_(options.root) {
  rotate({options.access_key, options.secret_key, options.session_token, options.region, "", ""});
}

bool S3Service::happens(double share) {
  if (share <= 0) return false;
  return double(random_.below(1'000'000)) < share * 1e6;
}

Weather S3Service::weather() const {
  const Lock lock(mutex_);
  return weather_;
}

void S3Service::set_weather(const Weather& weather) {
  const Lock lock(mutex_);
  weather_ = weather;
}

void S3Service::rotate(Keys keys) {
  const Lock lock(mutex_);
  if (keys.region.empty()) keys.region = keys_.region;
  keys.old_access_key = keys_.access_key;
  keys_ = std::move(keys);
}

Counts S3Service::counts() const {
  const Lock lock(mutex_);
  return counts_;
}

void S3Service::count(uint64_t Counts::*what) {
  const Lock lock(mutex_);
  ++(counts_.*what);
}

/// In the path, or in the host name before the domain.
S3Service::Target S3Service::target_of(const Request& request) const {
  const std::string_view host = request.headers.get("Host");
  const std::string_view name = host.substr(0, host.find(':'));
  const std::string path = request.path.substr(std::min<size_t>(1, request.path.size()));
  if (!options_.domain.empty() && name.ends_with("." + options_.domain))
    return {std::string(name.substr(0, name.size() - options_.domain.size() - 1)), path};
  const size_t slash = std::min(path.find('/'), path.size());
  return {path.substr(0, slash), path.substr(std::min(slash + 1, path.size()))};
}

Response S3Service::answer(Request request) {
  count(&Counts::requests);
  const Weather now = weather();
  if (happens(now.slow_down)) return refuse({503, "SlowDown", "Please reduce your request rate."});
  if (happens(now.internal_error))
    return refuse({500, "InternalError", "We encountered an internal error. Please try again."});
  Keys keys;
  {
    const Lock lock(mutex_);
    keys = keys_;
  }
  if (const auto refusal = check_signed(request, keys, clock_.now())) return refuse(*refusal);
  if (const auto refusal = unwrap_chunks(request, keys)) return refuse(*refusal);
  const std::string_view md5 = request.headers.get("Content-MD5");
  if (!md5.empty() && md5 != base64(md5_of(request.body)))
    return refuse({400, "BadDigest", "The Content-MD5 you specified did not match."});
  if (happens(now.twice)) (void)act(request);
  return act(request);
}

Response S3Service::act(const Request& request) {
  const Target target = target_of(request);
  if (target.bucket.empty()) return refuse({405, "MethodNotAllowed", "No bucket is named."});
  if (target.key.empty()) return on_bucket(request, target.bucket);
  if (!objects_.has_bucket(target.bucket))
    return refuse({404, "NoSuchBucket", "The specified bucket does not exist"});
  return has(request, "uploads") || has(request, "uploadId") ? on_upload(request, target)
                                                             : on_object(request, target);
}

Response S3Service::on_bucket(const Request& request, const std::string& bucket) {
  if (request.method == "PUT" && request.query.empty()) {
    if (objects_.has_bucket(bucket))
      return refuse({409, "BucketAlreadyOwnedByYou", "You already own this bucket."});
    const Result<void> made = objects_.make_bucket(bucket);
    return made ? Response{} : failed(made.error());
  }
  if (!objects_.has_bucket(bucket))
    return refuse({404, "NoSuchBucket", "The specified bucket does not exist"});
  if (request.method == "HEAD") return {};
  if (request.method == "GET" && has(request, "location"))
    return xml(200, fmt::format("<LocationConstraint xmlns=\"{}\">{}</LocationConstraint>", kSpace,
                                options_.region == "us-east-1" ? "" : options_.region));
  if (request.method == "GET") return list(request, bucket);
  if (request.method == "POST" && has(request, "delete")) return delete_many(request, bucket);
  return refuse({501, "NotImplemented", "This double does not do that."});
}

/// The token of the next page is the last key of this one.
Response S3Service::list(const Request& request, const std::string& bucket) {
  count(&Counts::lists);
  auto keys = objects_.list(bucket, std::string(query_value(request.query, "prefix")));
  if (!keys) return failed(keys.error());
  size_t most = options_.page;
  const std::string_view asked = query_value(request.query, "max-keys");
  if (!asked.empty()) std::from_chars(asked.data(), asked.data() + asked.size(), most);
  most = std::min(most, options_.page);
  std::string after(query_value(request.query, "start-after"));
  if (has(request, "continuation-token"))
    after = from_base64(query_value(request.query, "continuation-token")).value_or("");
  if (has(request, "marker")) after = query_value(request.query, "marker");
  const bool encoded = query_value(request.query, "encoding-type") == "url";
  const std::string hidden = happens(weather().stale_list) ? objects_.newest(bucket) : "";
  std::string body, last;
  size_t count = 0;
  bool more = false;
  for (const blob::Info& info : *keys) {
    if (info.name <= after || info.name == hidden) continue;
    more = count == most;
    if (more) break;
    last = info.name;
    body += fmt::format(
        "<Contents><Key>{}</Key><Size>{}</Size><LastModified>2026-01-01T00:00:00.000Z"
        "</LastModified><StorageClass>STANDARD</StorageClass></Contents>",
        encoded ? net::percent_encode(info.name) : escape(info.name), info.size);
    ++count;
  }
  if (more && most > 0)
    body += fmt::format("<NextContinuationToken>{}</NextContinuationToken>", base64(last));
  return xml(200,
             fmt::format("<ListBucketResult xmlns=\"{}\"><Name>{}</Name><KeyCount>{}</KeyCount>"
                         "<IsTruncated>{}</IsTruncated>{}{}</ListBucketResult>",
                         kSpace, bucket, count, more && most > 0,
                         encoded ? "<EncodingType>url</EncodingType>" : "", body));
}

Response S3Service::delete_many(const Request& request, const std::string& bucket) {
  if (!options_.multi_delete)
    return refuse({501, "NotImplemented", "A header or query you provided is not implemented."});
  if (!request.headers.has("Content-MD5"))
    return refuse({400, "InvalidRequest", "Missing required header for this request: Content-MD5"});
  const auto keys = between(request.body, "Key");
  if (keys.empty() || keys.size() > 1000)
    return refuse({400, "MalformedXML", "The XML you provided was not well-formed."});
  count(&Counts::multi_deletes);
  std::string body;
  const bool quiet = request.body.find("<Quiet>true</Quiet>") != std::string::npos;
  for (const std::string& key : keys) {
    const Result<void> gone = objects_.remove(bucket, key);
    if (gone && !quiet) body += "<Deleted><Key>" + escape(key) + "</Key></Deleted>";
    if (!gone)
      body += fmt::format(
          "<Error><Key>{}</Key><Code>InternalError</Code><Message>{}</Message>"
          "</Error>",
          escape(key), escape(gone.error().what()));
  }
  return xml(200, fmt::format("<DeleteResult xmlns=\"{}\">{}</DeleteResult>", kSpace, body));
}

Response S3Service::on_object(const Request& request, const Target& target) {
  if (request.method == "PUT") return put(request, target);
  if (request.method == "GET" || request.method == "HEAD") return get(request, target);
  if (request.method != "DELETE")
    return refuse({405, "MethodNotAllowed", "The specified method is not allowed."});
  count(&Counts::deletes);
  const Result<void> gone = objects_.remove(target.bucket, target.key);
  return gone ? Response{.status = 204} : failed(gone.error());
}

Response S3Service::put(const Request& request, const Target& target) {
  count(&Counts::puts);
  return store(request, target, request.body);
}

Response S3Service::store(const Request& request, const Target& target, std::string_view bytes) {
  bool exclusive = request.headers.get("If-None-Match") == "*";
  if (exclusive && options_.conditional == Conditional::Says501)
    return refuse({501, "NotImplemented",
                   "A header you provided implies functionality that is not "
                   "implemented"});
  if (exclusive && happens(weather().conflict))
    return refuse({409, "ConditionalRequestConflict", "Another write was under way."});
  exclusive = exclusive && options_.conditional != Conditional::Overwrites;
  const Result<bool> done = objects_.put(target.bucket, target.key, bytes, exclusive);
  if (!done) return failed(done.error());
  if (!*done && options_.conditional == Conditional::Says304) return {.status = 304};
  if (!*done)
    return refuse({412, "PreconditionFailed",
                   "At least one of the pre-conditions you specified did not hold"});
  Response out;
  out.headers.set("ETag", etag_of(bytes));
  return out;
}

Response S3Service::get(const Request& request, const Target& target) {
  count(&Counts::gets);
  Result<Object> object = objects_.get(target.bucket, target.key);
  if (!object) return failed(object.error());
  Response out;
  out.headers.set("ETag", object->etag);
  out.headers.set("Content-Type", "application/octet-stream");
  out.headers.set("Accept-Ranges", "bytes");
  out.headers.set("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT");
  const std::string_view text = request.headers.get("Range");
  const uint64_t size = object->bytes.size();
  if (!text.starts_with("bytes=")) {
    out.body = std::move(object->bytes);
    return out;
  }
  const auto range = read_range(text, size);
  if (!range) {
    out = refuse({416, "InvalidRange", "The requested range is not satisfiable"});
    out.headers.set("Content-Range", fmt::format("bytes */{}", size));
    return out;
  }
  out.status = 206;
  out.headers.set("Content-Range", fmt::format("bytes {}-{}/{}", range->offset,
                                               range->offset + range->length - 1, size));
  out.body = object->bytes.substr(range->offset, range->length);
  return out;
}

Response S3Service::on_upload(const Request& request, const Target& target) {
  const std::string id(query_value(request.query, "uploadId"));
  if (request.method == "POST" && has(request, "uploads")) {
    return xml(200, fmt::format("<InitiateMultipartUploadResult xmlns=\"{}\"><Bucket>{}</Bucket>"
                                "<Key>{}</Key><UploadId>{}</UploadId>"
                                "</InitiateMultipartUploadResult>",
                                kSpace, target.bucket, escape(target.key),
                                objects_.begin_upload(target.bucket, target.key)));
  }
  if (request.method == "PUT") {
    const int number = std::atoi(std::string(query_value(request.query, "partNumber")).c_str());
    if (number < 1 || number > 10000)
      return refuse({400, "InvalidArgument", "Part number must be an integer between 1 and 10000"});
    count(&Counts::parts);
    Response out;
    out.headers.set("ETag", etag_of(request.body));
    return objects_.put_part(id, number, request.body) ? out : no_upload();
  }
  if (request.method == "DELETE")
    return objects_.abort_upload(id) ? Response{.status = 204} : no_upload();
  if (!objects_.has_upload(id)) return no_upload();
  const auto numbers = between(request.body, "PartNumber");
  const auto etags = between(request.body, "ETag");
  std::vector<std::pair<int, std::string>> parts;
  for (size_t i = 0; i < std::min(numbers.size(), etags.size()); ++i)
    parts.emplace_back(std::atoi(numbers[i].c_str()), etags[i]);
  const Result<std::string> whole = objects_.end_upload(id, parts, options_.least_part);
  if (!whole && whole.error().fault() == Fault::Denied)
    return refuse({400, "EntityTooSmall", whole.error().what()});
  if (!whole) return refuse({400, "InvalidPart", whole.error().what()});
  Response stored = store(request, target, *whole);
  if (stored.status != 200) return stored;
  return xml(200, fmt::format("<CompleteMultipartUploadResult xmlns=\"{}\"><Key>{}</Key>"
                              "</CompleteMultipartUploadResult>",
                              kSpace, escape(target.key)));
}

}  // namespace holdfast::s3_double

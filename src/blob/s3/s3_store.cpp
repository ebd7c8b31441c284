// S3 store: a bucket as a store. One request a blob; names stand under the prefix as they are.
#include <holdfast/base/bytes.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/text.h>

#include "around/retries.h"
#include "names.h"
#include "s3/bucket.h"
#include "s3/deletes.h"
#include "s3/listing.h"
#include "s3/multipart.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::blob {
namespace {

constexpr size_t kLongestBlob = size_t{5} << 30;
constexpr size_t kLongestError = size_t{1} << 20;

/// What services say when the name is taken: most 412, some 304.
const std::vector<int> kTaken = {304, 412};

bool is_taken(const net::Response& response) {
  return response.status == 304 || response.status == 412;
}

/// "bytes 3-7/10": where the part begins, and how long the whole is.
struct ContentRange {
  uint64_t offset = 0;
  std::optional<uint64_t> whole{};
};

ContentRange read_content_range(std::string_view text) {
  ContentRange out;
  const size_t digits = text.find_first_of("0123456789");
  const size_t slash = text.find('/');
  if (digits < slash) std::from_chars(text.data() + digits, text.data() + text.size(), out.offset);
  uint64_t whole = 0;
  if (slash == std::string_view::npos) return out;
  const auto read = std::from_chars(text.data() + slash + 1, text.data() + text.size(), whole);
  if (read.ec == std::errc()) out.whole = whole;
  return out;
}

class S3Store final : public Store {
 public:
  explicit S3Store(std::unique_ptr<Bucket> bucket)
      : bucket_(std::move(bucket)), deletes_(*bucket_) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override;
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override;
  Result<Info> stat(const std::string& name) override;
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    return list_bucket(*bucket_, prefix, each);
  }
  Result<void> remove(const std::string& name) override {
    HF_TRY(check_name(name));
    return deletes_.one(name);
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override {
    for (const std::string& name : names) HF_TRY(check_name(name));
    return deletes_.all(names);
  }
  Abilities abilities() const override;
  std::string text() const override { return bucket_->text(); }

 private:
  Result<net::Response> send(const std::string& name, std::string_view bytes,
                             std::string_view sha256_bytes, bool exclusive) const;
  Result<void> put_exclusively(const std::string& name, std::string_view bytes,
                               std::string_view sha256_bytes);
  Result<void> compare(const std::string& name, std::string_view bytes);
  Result<void> read_range(const std::string& name, const Range& range, std::string& into);
  Result<Abilities> probe() const;

  const std::unique_ptr<Bucket> bucket_;
  Deletes deletes_;
  mutable Mutex mutex_;
  mutable std::optional<Abilities> abilities_ HF_GUARDED_BY(mutex_);
};

Result<net::Response> S3Store::send(const std::string& name, std::string_view bytes,
                                    std::string_view sha256_bytes, bool exclusive) const {
  net::Headers headers;
  if (exclusive) headers.set("If-None-Match", "*");
  const std::vector<int> also_good = exclusive ? kTaken : std::vector<int>{};
  const std::string key = bucket_->key(name);
  if (bytes.size() > bucket_->settings().multipart_above)
    return put_in_parts(*bucket_, key, bytes, headers, also_good);
  headers.set("Content-Type", "application/octet-stream");
  return bucket_->ask({.method = "PUT",
                       .key = key,
                       .headers = std::move(headers),
                       .payload = bytes,
                       .sha256 = sha256_bytes,
                       .also_good = also_good});
}

Result<void> S3Store::put(const std::string& name, std::string_view bytes,
                          const PutOptions& options) {
  HF_TRY(check_name(name));
  const std::string hash(options.sha256.empty() ? sha256(bytes) : options.sha256);
  Result<void> done = options.exclusive ? put_exclusively(name, bytes, hash) : ok();
  if (!options.exclusive) {
    Result<net::Response> sent = send(name, bytes, hash, false);
    if (!sent) done = sent.take_error();
  }
  // Refused again and again may mean that the bytes here are not those that were hashed.
  if (!done && done.error().fault() == Fault::Unavailable && sha256(bytes) != hash)
    return Error(Fault::Corrupt, fmt::format("PUT {}: the bytes to send do not have the SHA-256 {}",
                                             name, hex(hash)));
  return done;
}

Result<void> S3Store::put_exclusively(const std::string& name, std::string_view bytes,
                                      std::string_view sha256_bytes) {
  const bool able = abilities().exclusive_put;
  if (!able) {
    const Result<Info> there = stat(name);
    if (there) return compare(name, bytes);
    if (there.error().fault() != Fault::NotFound) return there.error().copy();
  }
  const net::Response response = HF_TRY(send(name, bytes, sha256_bytes, able));
  return is_taken(response) ? compare(name, bytes) : ok();
}

/// A try whose answer was lost may have been ours. A name that is taken and not there is being
/// written by another at this moment: versitygw refuses the second before the first can be read.
Result<void> S3Store::compare(const std::string& name, std::string_view bytes) {
  Result<std::string> there = get(name, {});
  if (there && *there == bytes) return ok();
  if (!there && there.error().fault() != Fault::NotFound) return there.take_error();
  return Error(Fault::Conflict,
               fmt::format("PUT {}: {}: the name is taken", name, bucket_->text()));
}

/// The body comes in memory of its own, which `into` takes over.
Result<void> S3Store::read(const std::string& name, std::optional<Range> range, std::string& into) {
  HF_TRY(check_name(name));
  if (range) return read_range(name, *range, into);
  net::Response response =
      HF_TRY(bucket_->ask({.key = bucket_->key(name), .longest_answer = kLongestBlob}));
  into = std::move(response.body);
  return ok();
}

Result<void> S3Store::read_range(const std::string& name, const Range& range, std::string& into) {
  if (range.length == 0) {
    const Info info = HF_TRY(stat(name));
    if (range.offset > info.size) return too_short(name, range, info.size);
    into.clear();
    return ok();
  }
  Ask ask{.key = bucket_->key(name),
          .longest_answer = std::max<size_t>(range.length, kLongestError),
          .also_good = {416}};
  ask.headers.set("Range",
                  fmt::format("bytes={}-{}", range.offset, range.offset + range.length - 1));
  net::Response response = HF_TRY(bucket_->ask(ask));
  const ContentRange got = read_content_range(response.headers.get("Content-Range"));
  if (response.status == 416) return too_short(name, range, got.whole.value_or(0));
  if (response.status != 206) {
    // The whole of it, from a service that knows no ranges.
    if (response.body.size() < range.offset + range.length)
      return too_short(name, range, response.body.size());
    into.assign(response.body, range.offset, range.length);
    return ok();
  }
  if (response.body.size() < range.length && got.whole) return too_short(name, range, *got.whole);
  if (got.offset != range.offset || response.body.size() != range.length)
    return Error(Fault::Corrupt,
                 fmt::format("{}: asked for bytes {} to {}, got {} ({})", bucket_->naming(ask),
                             range.offset, range.offset + range.length, response.body.size(),
                             response.headers.get("Content-Range")));
  into = std::move(response.body);
  return ok();
}

Result<Info> S3Store::stat(const std::string& name) {
  HF_TRY(check_name(name));
  const Ask ask{.method = "HEAD", .key = bucket_->key(name)};
  const net::Response response = HF_TRY(bucket_->ask(ask));
  const std::string_view text = response.headers.get("Content-Length");
  uint64_t size = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), size);
  if (text.empty() || read.ec != std::errc())
    return Error(Fault::Corrupt, fmt::format("{}: no Content-Length", bucket_->naming(ask)));
  return Info{name, size};
}

/// Unknown is answered with the less able, and asked again the next time.
Abilities S3Store::abilities() const {
  {
    const Lock lock(mutex_);
    if (abilities_) return *abilities_;
  }
  const Result<Abilities> found = probe();
  if (!found) return {};
  const Lock lock(mutex_);
  abilities_ = *found;
  return *found;
}

/// Two writers of one name: a service that keeps the promise refuses the second and leaves the
/// first as it was. Services are known that answer 200 and overwrite, 501, or ignore the header.
Result<Abilities> S3Store::probe() const {
  const std::string name = "tmp-probe-" + hex(bucket_->waiting().random.bytes(16));
  const auto conditional = [&](std::string_view bytes) {
    Ask ask{.method = "PUT",
            .key = bucket_->key(name),
            .payload = bytes,
            .also_good = {304, 400, 403, 405, 412, 501}};
    ask.headers.set("If-None-Match", "*");
    return bucket_->ask(ask);
  };
  const net::Response first = HF_TRY(conditional("first"));
  if (first.status == 403) return Abilities{.read_only = true};
  if (first.status / 100 != 2) return Abilities{};
  const Result<net::Response> second = conditional("second");
  const Result<net::Response> kept = bucket_->ask({.key = bucket_->key(name)});
  HF_TRY(bucket_->ask({.method = "DELETE", .key = bucket_->key(name), .also_good = {403, 404}}));
  if (!second) return second.error().copy();
  if (!kept) return kept.error().copy();
  return Abilities{.exclusive_put = is_taken(*second) && kept->body == "first"};
}

/// Services differ in whether a bucket that is ours already is an error.
Result<void> make_bucket(const Bucket& bucket) {
  const Result<net::Response> there =
      bucket.ask({.query = {{"list-type", "2"}, {"max-keys", "1"}}, .verb = "LIST"});
  if (there || there.error().fault() != Fault::NotFound) return ok();
  std::string body;
  if (bucket.settings().region != "us-east-1") {
    body = fmt::format(
        "<CreateBucketConfiguration><LocationConstraint>{}</LocationConstraint>"
        "</CreateBucketConfiguration>",
        bucket.settings().region);
  }
  Result<net::Response> made =
      bucket.ask({.method = "PUT", .payload = body, .also_good = {409}, .verb = "make bucket"});
  if (!made) return made.take_error();
  return ok();
}

}  // namespace

Result<std::unique_ptr<Store>> s3_store(S3Settings settings, Waiting waiting) {
  const bool create = settings.create_bucket;
  std::unique_ptr<Bucket> bucket = HF_TRY(Bucket::open(std::move(settings), std::move(waiting)));
  if (create) HF_TRY(make_bucket(*bucket));
  return std::unique_ptr<Store>(std::make_unique<S3Store>(std::move(bucket)));
}

}  // namespace holdfast::blob

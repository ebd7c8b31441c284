/// A strict S3 service for tests: it believes nothing that it can check, and fails on request.
///
/// Strict: the signature of every request, that all x-amz-* headers are signed, the payload's
/// SHA-256 and MD5, the clock within fifteen minutes, the region. Objects live in memory or in a
/// folder, ROOT/BUCKET/KEY, which other tools can read as it stands.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

namespace holdfast::s3_double {

/// What it does with If-None-Match: *, as services that exist do.
enum class Conditional {
  Keeps,       ///< 412 if the name is taken
  Says304,     ///< refuses likewise, with 304
  Overwrites,  ///< lies: 200, and the old bytes are gone
  Says501,     ///< knows no such header
};

/// Shares of requests, from 0 to 1, that meet each misfortune. Drawn anew for each request.
struct Weather {
  double slow_down = 0;       ///< 503 SlowDown, not done
  double internal_error = 0;  ///< 500 InternalError, not done
  double lost_answer = 0;     ///< done, then the connection is reset
  double reset = 0;           ///< the connection is reset, not done
  double half_upload = 0;     ///< the connection is reset while the body is on its way
  double truncated = 0;       ///< done, but half of the answer's body is missing
  double twice = 0;           ///< done two times, as by a proxy; the second answer counts
  double stale_list = 0;      ///< a listing without the newest object
  double conflict = 0;        ///< a conditional write answers 409
  std::chrono::milliseconds latency{0};
};

struct Options {
  std::string host = "127.0.0.1";
  uint16_t port = 0;             ///< 0 picks a free one
  std::filesystem::path root{};  ///< "" = memory
  std::string access_key = "double", secret_key = "double-secret", session_token{};
  std::string region = "us-east-1";
  std::string domain{};  ///< buckets also as BUCKET.domain in the Host header
  Conditional conditional = Conditional::Keeps;
  bool multi_delete = true;             ///< false: 501 for DeleteObjects
  size_t page = 1000;                   ///< keys of a list at most
  size_t least_part = size_t{5} << 20;  ///< of an upload in parts; the last may be smaller
  uint64_t seed = 1;
  /// TLS if set (PEM texts). Misfortunes of the connection itself then do not happen.
  std::string certificate{}, key{};
};

/// Counts of what was done, by operation.
struct Counts {
  uint64_t requests = 0, puts = 0, gets = 0, lists = 0, deletes = 0, multi_deletes = 0, parts = 0;
};

class Double {
 public:
  virtual ~Double() = default;
  /// Listening when it returns.
  static Result<std::unique_ptr<Double>> start(Options options, const Clock& clock);
  virtual uint16_t port() const = 0;
  virtual void set_weather(const Weather& weather) = 0;
  /// From now on only this key is right; requests signed with the old one are refused with `code`.
  virtual void rotate(const std::string& access_key, const std::string& secret_key,
                      const std::string& session_token, const std::string& code) = 0;
  virtual Counts counts() const = 0;
  virtual size_t open_uploads() const = 0;
};

}  // namespace holdfast::s3_double

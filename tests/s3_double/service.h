/// Service of the S3 double: the answer to one complete request, without a socket.
#pragma once

#include <holdfast/base/random.h>

#include "double.h"
#include "objects.h"
#include "signed.h"

namespace holdfast::s3_double {

/// Safe to use from many threads.
class S3Service {
 public:
  S3Service(const Options& options, const Clock& clock);

  /// Checks, then does. Misfortunes that are answers are drawn here.
  net::Response answer(net::Request request);
  /// One throw of the dice.
  bool happens(double share);
  Weather weather() const;
  void set_weather(const Weather& weather);
  void rotate(Keys keys);
  Counts counts() const;
  size_t open_uploads() { return objects_.open_uploads(); }

 private:
  struct Target {
    std::string bucket{}, key{};
  };
  Target target_of(const net::Request& request) const;
  net::Response act(const net::Request& request);
  net::Response on_bucket(const net::Request& request, const std::string& bucket);
  net::Response on_object(const net::Request& request, const Target& target);
  net::Response on_upload(const net::Request& request, const Target& target);
  net::Response list(const net::Request& request, const std::string& bucket);
  net::Response delete_many(const net::Request& request, const std::string& bucket);
  net::Response put(const net::Request& request, const Target& target);
  net::Response store(const net::Request& request, const Target& target, std::string_view bytes);
  net::Response get(const net::Request& request, const Target& target);
  void count(uint64_t Counts::*what);

  const Options options_;
  const Clock& clock_;
  SeededRandom random_;
  Objects objects_;
  mutable Mutex mutex_;
  Weather weather_ HF_GUARDED_BY(mutex_);
  Keys keys_ HF_GUARDED_BY(mutex_);
  Counts counts_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::s3_double

/// Random: the only source of randomness. Production passes SystemRandom (the kernel's); tests and
/// the simulation a SeededRandom.
#pragma once

#include <holdfast/base/mutex.h>

#include <cstdint>
#include <string>

namespace holdfast {

/// Safe to use from many threads.
class Random {
 public:
  virtual ~Random() = default;
  virtual uint64_t next() = 0;
  /// Uniform in [0, bound); bound > 0.
  uint64_t below(uint64_t bound);
  /// `size` bytes; from SystemRandom they are fit for keys and tokens.
  std::string bytes(size_t size);
  /// A version 4 UUID in its usual form.
  std::string uuid();
};

class SystemRandom final : public Random {
 public:
  uint64_t next() override;
};

class SeededRandom final : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t next() override;

 private:
  Mutex mutex_;
  uint64_t state_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast

/// Pool of sealers, compressors and buffers for threads: each is expensive to make and used by one
/// thread at a time.
#pragma once

#include <holdfast/base/mutex.h>

#include "codec/compress.h"
#include "seal/sealer.h"

#include <memory>
#include <vector>

namespace holdfast::repo {

struct Bench {
  explicit Bench(const MasterKey& key) : sealer(key) {}
  Sealer sealer;
  Compressor compressor{};
  std::string scratch{};  ///< for whatever the holder needs
  std::string sealed{};   ///< the last blob that was sealed
};

/// Safe to use from many threads.
class Workshop {
 public:
  explicit Workshop(const MasterKey& key) : key_(key) {}

  class Lent {
   public:
    Lent(Workshop& of, std::unique_ptr<Bench> bench) : of_(&of), bench_(std::move(bench)) {}
    Lent(Lent&&) noexcept = default;
    Lent& operator=(Lent&&) = delete;
    ~Lent() {
      if (bench_) of_->take_back(std::move(bench_));
    }
    Bench* operator->() { return bench_.get(); }
    Bench& operator*() { return *bench_; }

   private:
    Workshop* of_;
    std::unique_ptr<Bench> bench_;
  };
  Lent lend() {
    const Lock lock(mutex_);
    if (idle_.empty()) return {*this, std::make_unique<Bench>(key_)};
    std::unique_ptr<Bench> bench = std::move(idle_.back());
    idle_.pop_back();
    return {*this, std::move(bench)};
  }

 private:
  void take_back(std::unique_ptr<Bench> bench) {
    const Lock lock(mutex_);
    idle_.push_back(std::move(bench));
  }

  const MasterKey key_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Bench>> idle_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::repo

/// Packs, built in memory and sent from there.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/repo/repository.h>

#include "codec/index_file.h"
#include "pack/blob_codec.h"

#include <atomic>
#include <deque>
#include <functional>
#include <thread>

namespace holdfast::repo {

struct PackerSettings {
  uint64_t pack_size = uint64_t{16} << 20;
  int uploads = 2;  ///< at once; each holds one finished pack in memory
};

/// Safe to use from many threads. add() waits while all uploads are busy, so that memory is bounded
/// by (uploads + open packs) × pack size.
class Packer {
 public:
  /// `stored` is called once a pack is durable, with its place in an index; from any thread.
  Packer(Opened& repository, Workshop& workshop, PackerSettings settings,
         std::function<void(const IndexedPack&)> stored);
  ~Packer();

  /// The first failure of an upload is what every later call returns.
  Result<void> add(const SealedBlob& blob);
  /// Sends what is left and waits for all.
  Result<void> finish();
  uint64_t bytes_stored() const;
  /// How much packs have had to wait for the store lately, from 0 to kMostPressure: so much time
  /// there is to make them smaller.
  static constexpr int kMostPressure = 4;
  int pressure() const { return pressure_; }

 private:
  struct Open {
    std::string bytes{};
    std::vector<PackedBlob> blobs{};
  };
  void close(Open& open) HF_REQUIRES(mutex_);
  void upload_until_stopped();
  Result<void> upload(Open& pack);

  Opened& repository_;
  Workshop& workshop_;
  const PackerSettings settings_;
  const std::function<void(const IndexedPack&)> stored_;
  mutable Mutex mutex_;
  CondVar changed_;
  Open open_[2] HF_GUARDED_BY(mutex_);  ///< by blob type: data and trees never share a pack
  std::deque<Open> closed_ HF_GUARDED_BY(mutex_);
  std::vector<std::string> idle_ HF_GUARDED_BY(mutex_);
  int busy_ HF_GUARDED_BY(mutex_) = 0;
  bool stopping_ HF_GUARDED_BY(mutex_) = false;
  std::optional<Error> failed_ HF_GUARDED_BY(mutex_);
  uint64_t stored_bytes_ HF_GUARDED_BY(mutex_) = 0;
  std::atomic<int> pressure_{0};
  std::vector<std::jthread> threads_;
};

}  // namespace holdfast::repo

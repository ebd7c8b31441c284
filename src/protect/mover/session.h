/// The repository that a mover works on: its store, its lock, its index.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/blob/location.h>
#include <holdfast/protect/mover.h>
#include <holdfast/repo/lock.h>

#include <atomic>
#include <memory>
#include <stop_token>

namespace holdfast::protect {

class Session {
 public:
  Session(const MoveTask& task, const MoverPlaces& places, std::stop_token stop);

  /// Opens the repository and locks it. Whoever backs up first makes it, if there was none yet; two
  /// who come at once both find it.
  Result<void> open();
  /// A second time, as somebody would who knows nothing yet.
  Result<std::unique_ptr<repo::Opened>> open_again();
  /// From here on it is reached through the index.
  Result<void> load_index();
  void release();

  repo::Opened& opened() { return *opened_; }
  repo::Indexed& index() { return *index_; }
  void set_limit(int64_t bytes_per_second);
  uint64_t bytes_uploaded() const { return traffic_->bytes_up.load(); }
  /// Grows with each answer of the store, and each byte.
  uint64_t activity() const;
  const std::string& lock_id() const { return lock_id_; }
  const std::string& repository_id() const { return repository_id_; }
  /// Why it did not go well, in one word; "" if nothing better is known than the error.
  std::string trouble() const { return traffic_->puts_refused > 0 ? "WriteRefused" : trouble_; }
  const Clock& clock() const { return clock_; }
  Random& chance() { return random_; }

 private:
  Result<std::shared_ptr<blob::Store>> open_store();
  Result<void> lock();

  const MoveTask& task_;
  const MoverPlaces& places_;
  const std::stop_token stop_;
  SystemClock clock_{};
  SystemRandom random_{};
  const std::shared_ptr<blob::Limits> limits_ = std::make_shared<blob::Limits>();
  const std::shared_ptr<blob::Traffic> traffic_ = std::make_shared<blob::Traffic>();
  const std::shared_ptr<std::atomic<uint64_t>> flown_ = std::make_shared<std::atomic<uint64_t>>(0);
  std::string lock_id_, repository_id_, trouble_;
  std::shared_ptr<blob::Store> store_;
  std::unique_ptr<repo::Opened> opened_;
  std::unique_ptr<repo::Indexed> index_;
  std::unique_ptr<repo::HeldLock> lock_;
};

}  // namespace holdfast::protect

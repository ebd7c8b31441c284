/// A mover's progress, written into the status of its DataMove by the pod's own account, and what
/// the DataMove asks for meanwhile.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>
#include <holdfast/protect/data_move.h>
#include <holdfast/protect/mover.h>

#include <atomic>
#include <memory>
#include <thread>

namespace holdfast::protect {

struct Moved {
  uint64_t total = 0, done = 0, uploaded = 0;
};

class StatusReport {
 public:
  /// `limit` hears of a changed bandwidth limit. Without an API server to be found nothing is
  /// reported, and the move goes on.
  StatusReport(const MoveTask& task, const Clock& clock, Random& random,
               std::function<void(int64_t bytes_per_second)> limit);
  ~StatusReport();
  void set(const Moved& moved);
  /// At once: the id of the lock that the mover holds.
  void holds(const std::string& lock_id);
  /// The DataMove as it is now, for what is too large to be told in a task.
  Result<DataMove> read();
  /// At once, and an error if it did not come to be: members of the status that are all that the
  /// move is for.
  Result<void> tell(model::Object status);

 private:
  void run(const std::stop_token& stop);
  void write(const Moved& moved);

  const std::string ns_, name_;
  const Clock& clock_;
  const std::function<void(int64_t)> limit_;
  std::unique_ptr<net::Client> transport_;
  std::unique_ptr<kube::Client> client_;
  Mutex mutex_;
  Moved moved_ HF_GUARDED_BY(mutex_);
  MonoTime began_;
  std::jthread thread_;
};

}  // namespace holdfast::protect

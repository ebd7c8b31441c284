/// A mover's report while it works, written into the status of its Mover by the move's own account,
/// and what the Mover asks for meanwhile.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/kube/client.h>
#include <holdfast/protect/mover.h>
#include <holdfast/protect/mover_object.h>

#include <memory>
#include <thread>

namespace holdfast::protect {

struct Moved {
  uint64_t total = 0, done = 0, uploaded = 0;
  uint64_t activity = 0;  ///< grows as long as anything is read or sent
};

class StatusReport {
 public:
  /// `limit` hears of a changed bandwidth limit. Without an API server to be found nothing is
  /// reported, and the move goes on.
  StatusReport(const MoveTask& task, const Clock& clock, Random& random,
               std::function<void(int64_t bytes_per_second)> limit,
               std::function<uint64_t()> activity);
  ~StatusReport();
  void set(const Moved& moved);
  /// At once: the id of the lock that the mover holds, and of the repository.
  void holds(const std::string& lock_id, const std::string& repository_id);
  /// The Mover as it is, for what is too large to be told in a task.
  Result<Mover> read();
  /// At once, and an error if it did not come to be: members of the status that are all that the
  /// move is for.
  Result<void> tell(model::Object status);

 private:
  void run(const std::stop_token& stop);
  void write(const Moved& moved);
  kube::Reply<model::Value> send(model::Object status);

  const std::string ns_, name_, pod_;
  const Clock& clock_;
  const std::function<void(int64_t)> limit_;
  const std::function<uint64_t()> activity_;
  std::unique_ptr<net::Client> transport_;
  std::unique_ptr<kube::Client> client_;
  Mutex mutex_;
  Moved moved_ HF_GUARDED_BY(mutex_);
  MonoTime began_;
  std::jthread thread_;
};

}  // namespace holdfast::protect

/// Thread pool with priorities.
#pragma once

#include <holdfast/base/mutex.h>

#include "files/file_node.h"

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::repo {

/// What a thread of the crew has at hand.
struct Hands {
  Names names{};
  std::string buffer{};
  std::string sealed{};  ///< as it came from the store
};

class Crew {
 public:
  using Task = std::function<void(Hands&)>;

  explicit Crew(int threads);
  /// Tasks that nobody has begun are dropped.
  ~Crew();

  /// Waits while many are waiting: for those who find work. Never from within a task.
  void give(Task task);
  /// For tasks that find more work: never waits.
  void give_later(Task task);
  /// Done before everything else.
  void give_urgent(Task task);
  /// Does one urgent task in the caller's place; false if none is waiting. `at_least`: only if so
  /// many are.
  bool help(Hands& hands, size_t at_least = 1);

 private:
  void work();

  Mutex mutex_;
  CondVar changed_, room_;
  std::deque<Task> urgent_ HF_GUARDED_BY(mutex_), tasks_ HF_GUARDED_BY(mutex_);
  bool stopping_ HF_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> threads_;
};

/// A bounded number of buffers for file contents.
class Buffers {
 public:
  Buffers(size_t most, size_t usual) : most_(most), usual_(usual) {}
  /// Of the usual size or larger. Nothing if all are lent.
  std::optional<std::string> try_take();
  void give_back(std::string buffer);
  /// Until one may be there.
  void wait();

 private:
  const size_t most_, usual_;
  Mutex mutex_;
  CondVar returned_;
  size_t lent_ HF_GUARDED_BY(mutex_) = 0;
  std::vector<std::string> idle_ HF_GUARDED_BY(mutex_);
};

}  // namespace holdfast::repo

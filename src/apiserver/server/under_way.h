/// The requests that have no answer yet: a server that hangs says by them what it waits for.
///
/// A request pays two short turns at one lock and a few stores; all else is paid by who looks.
#pragma once

#include <holdfast/base/mutex.h>

#include "rest/api.h"
#include "server/patience.h"

#include <atomic>

namespace holdfast::apiserver {

/// Safe to use from many threads. Takes no lock but its own, so that it can be asked when others
/// are held for ever.
class UnderWay {
 public:
  enum class Stage { Decision, Disk, Node };

  /// One request, in the list for as long as it lives. What it refers to outlives it.
  class Entry {
   public:
    Entry(UnderWay& all, const net::Request& asked, MonoTime begun);
    ~Entry();
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;

    void known_as(const std::string& user) { user_.store(&user); }
    void waits_for_disk(Revision revision) {
      revision_.store(revision);
      stage_.store(Stage::Disk);
    }
    void waits_for_node() { stage_.store(Stage::Node); }

   private:
    friend class UnderWay;
    std::string text(MonoTime now, const Committer& committer) const;

    UnderWay& all_;
    const net::Request& asked_;
    Patience patience_;
    std::atomic<const std::string*> user_{nullptr};
    std::atomic<Stage> stage_{Stage::Decision};
    std::atomic<Revision> revision_{0};
    Entry *before_ = nullptr, *after_ = nullptr;
  };

  /// One line for each request whose time to be spoken of has come, the oldest first.
  std::vector<std::string> overdue(MonoTime now, const Committer& committer);

  struct Count {
    size_t mutating = 0, read_only = 0;
  };
  Count count() const;

 private:
  mutable Mutex mutex_;
  Entry* first_ HF_GUARDED_BY(mutex_) = nullptr;
  Entry* last_ HF_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace holdfast::apiserver

/// Watches: a stream that is pulled by the connection and woken by the hub when its resource has
/// durable changes.
#pragma once

#include <holdfast/base/mutex.h>

#include "rest/list_options.h"
#include "rest/render.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::apiserver {

class WatchStream;

/// Knows the open watches and wakes those that have something to say. Safe to use from many
/// threads.
class WatchHub {
 public:
  WatchHub(Store& store, const Clock& clock);
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  void join(const std::shared_ptr<WatchStream>& stream);
  /// Wakes watches whose time-out or bookmark is due; call about once a second.
  void tick();
  /// Ends every watch, as on shutdown.
  void close_all();
  /// Ends the watches of one resource whose definition is gone.
  void close_resource(const std::string& resource);
  size_t open() const;

 private:
  void note(const Change& change);
  void wake_changed();

  Store& store_;
  const Clock& clock_;
  uint64_t listener_ = 0;
  mutable Mutex mutex_;
  std::map<std::string, std::vector<std::weak_ptr<WatchStream>>> streams_ HF_GUARDED_BY(mutex_);
  Mutex changed_mutex_;
  std::map<std::string, Revision> changed_
      HF_GUARDED_BY(changed_mutex_);  ///< newest change not yet told, per resource
};

struct WatchRequest {
  ResourcePtr resource;
  std::optional<std::string> ns;
  ListOptions options;
  View view;
  std::string name;  ///< "" = all
};

/// The Status of an impossible request comes back as an answer; one that is merely too old becomes
/// an ERROR event in the stream, as on the real server.
Answer<std::shared_ptr<WatchStream>> open_watch(Api& api, WatchRequest request);
std::shared_ptr<net::BodyStream> as_body(std::shared_ptr<WatchStream> stream);

}  // namespace holdfast::apiserver

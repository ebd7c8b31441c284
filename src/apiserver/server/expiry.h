/// Events live for an hour after their last write, as on the real server.
#pragma once

#include <holdfast/base/mutex.h>

#include "rest/api.h"

#include <map>
#include <string>

namespace holdfast::apiserver {

class Expiry {
 public:
  void note(const Change& change);
  void start(Api& api);
  /// Removes some of what is due.
  void step(Api& api);

 private:
  struct Due {
    Key key;
    Revision revision = 0;
  };
  Mutex mutex_;
  std::multimap<int64_t, Due> due_
      HF_GUARDED_BY(mutex_);  ///< by the wall time of the write, in microseconds
};

}  // namespace holdfast::apiserver

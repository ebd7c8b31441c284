/// Recent values: the parsed objects asked for last, so that a controller that reads the same pods
/// in every pass parses each version once. For one thread.
#pragma once

#include <holdfast/kube/cached.h>

#include <deque>

namespace holdfast::kube {

class RecentValues {
 public:
  std::shared_ptr<const model::Value> get(const Cached& object);

 private:
  struct Entry {
    Cached object;  ///< held, so that its address cannot come to mean another one
    std::shared_ptr<const model::Value> value;
  };
  std::deque<Entry> entries_;  ///< the oldest first
  size_t text_ = 0;            ///< of all of them, in bytes
};

}  // namespace holdfast::kube

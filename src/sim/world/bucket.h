/// The world's bucket: a store in memory. Whoever uses it goes through the network, so that what
/// strikes at requests and writes strikes at it too.
#pragma once

#include <holdfast/blob/store.h>

#include "operators/network.h"

#include <memory>

namespace holdfast::sim {

class Bucket {
 public:
  explicit Bucket(Network& network);
  ~Bucket();

  /// The way of one process there. A dead one's requests fail without effect.
  std::unique_ptr<blob::Store> store_of(Life& life);
  /// What is in it, for oracles: nothing strikes here.
  blob::Store& contents() { return *contents_; }

 private:
  Network& network_;
  std::unique_ptr<blob::Store> contents_;
};

}  // namespace holdfast::sim

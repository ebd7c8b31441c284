/// A client that writes at full speed to objects of its own, and keeps book: what was
/// acknowledged, and the one write that was under way when the server died.
#pragma once

#include <holdfast/base/random.h>
#include <holdfast/net/client.h>

#include "kill/world.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::campaign {

class Writer {
 public:
  Writer(const Kind& kind, int number, uint64_t seed);

  /// Writes until the server stops answering. An answer that is not a success, or a failure before
  /// `killing` is set, is a defect.
  void run(net::Client& client, const std::atomic<bool>& killing);
  /// Forgets the last round's book and starts from what the server has.
  void begin_round(const State& state);

  const Kind& kind() const { return kind_; }
  const std::string& owner() const { return owner_; }
  const std::vector<Write>& acknowledged() const { return acknowledged_; }
  const std::optional<Write>& in_doubt() const { return in_doubt_; }
  const std::string& defect() const { return defect_; }

 private:
  Write choose();
  net::Call call_of(const Write& write);
  bool settle(Write write, const net::Response& response);

  const Kind& kind_;
  const std::string owner_;
  SeededRandom random_;
  int64_t count_ = 0;  ///< of writes, over all rounds
  State mine_;         ///< as last acknowledged
  std::vector<Write> acknowledged_;
  std::optional<Write> in_doubt_;
  std::string defect_;
};

}  // namespace holdfast::campaign

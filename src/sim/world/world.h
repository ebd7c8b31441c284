/// World before the first step of any run: a server with nodes, accounts and the rights of the
/// operators. Made once; each run works on a copy of the process.
#pragma once

#include <holdfast/sim/model.h>

#include "world/server.h"

#include <memory>

namespace holdfast::sim {

/// Chance that can be begun anew from a seed, after the server has taken it.
class WorldRandom final : public Random {
 public:
  void seed(uint64_t seed) { source_ = std::make_unique<SeededRandom>(seed); }
  uint64_t next() override { return source_->next(); }

 private:
  std::unique_ptr<SeededRandom> source_ = std::make_unique<SeededRandom>(1);
};

/// The operators' user; may do everything while granted.
inline constexpr std::string_view kOperator = "holdfast-operator";

struct World {
  World();
  /// Fails if the server refuses what every world has.
  static Result<std::unique_ptr<World>> make(Models models = {});
  void settle();  ///< the server's background work, until there is none
  void grant();
  void revoke();

  Models models;  ///< of the drivers whose kinds are served
  ManualClock clock;
  WorldRandom random;
  std::unique_ptr<Server> server;
  std::unique_ptr<History> history;
};

}  // namespace holdfast::sim

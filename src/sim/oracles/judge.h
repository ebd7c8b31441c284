/// Judge of the operators, by the server's log alone: which pass wrote what, decided on what, in
/// whose reign. Each rule has its own word, so that a failure says which promise was broken.
#pragma once

#include <holdfast/sim/model.h>

#include "operators/network.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace holdfast::sim {

/// The words that violations begin with:
///   stale-basis       a pass decided on a cache without the key's own acknowledged write
///   other-uid         a write changed another object of the same name than it was decided on
///   old-epoch         a write of an earlier reign was committed after the first of a later one
///   effect-unrecorded an effect began whose intent no status holds
///   hot-loop          one object was written to more often than any schedule explains
///   always:NAME       an invariant (invariants.h)
///   requests          more of them than the scenario's budget allows, and nothing went wrong
///   untrue            a location was said to answer while its bucket was away
///   overlap           a pod was quiesced, or released, for one object while another held it
///   frozen            an application was held still for longer than its deadline
///   stuck, unmet, unquiet, replay, end-state, counts, died      how a run ended (run.h)
/// and those of the models of drivers.
class Judge {
 public:
  explicit Judge(const History& history) : history_(history) {}

  void observe(const Exchange& exchange);
  /// A journaled effect is about to take place.
  void witness(const kube::Key& ledger, const std::string& uid, const std::string& operation,
               int64_t attempt);
  void report(std::string oracle, std::string text);
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  /// What the header Holdfast-Pass says.
  struct Pass {
    std::string controller{}, key{}, uid{};
    int64_t epoch = 0;
    std::map<std::string, uint64_t> basis{};  ///< by resource: "jobs.batch"
  };
  static Pass read(const std::string& header);
  void check_basis(const Exchange& exchange, const Pass& pass);
  void check_uid(const Exchange& exchange, const Pass& pass, const model::Value& answer);
  void check_epoch(const Exchange& exchange, const Pass& pass);
  void check_rate(const Exchange& exchange);
  void remember(const Exchange& exchange, const Pass& pass, const model::Value& answer);
  uint64_t version_of(const model::Value& answer) const;

  const History& history_;
  std::vector<Violation> violations_;
  /// Versions acknowledged, by incarnation, controller and key, then by resource.
  std::map<std::string, std::map<std::string, uint64_t>> acknowledged_;
  int64_t newest_epoch_ = 0;
  std::map<std::string, std::deque<MonoTime>> rates_;
  std::set<std::string> hot_;
};

}  // namespace holdfast::sim

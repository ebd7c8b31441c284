#include "statefulset/plan.h"

#include "statefulset/act.h"
#include "statefulset/status.h"

#include <fmt/format.h>

#include <optional>

namespace holdfast::workloads::statefulset {

using control::Note;
using control::Outcome;
using control::Write;

namespace {

/// What came of looking at one member, or at all of them.
struct Step {
  std::optional<Write> write{};
  /// Nothing can be done about this member now, and an ordered set does nothing beyond it either.
  bool held = false;
  std::string waits_for{};
  bool failed = false;  ///< what it waits for is trouble; also a parallel set goes no further
  std::vector<Note> notes{};

  bool moves_on() const { return !write && !held; }
};

Step act(Write write) { return {.write = std::move(write)}; }
Step hold(std::string waits_for) { return {.held = true, .waits_for = std::move(waits_for)}; }

struct Roster {
  /// By ordinal - start; null where the member is not there.
  std::vector<const Replica*> members{};
  std::vector<const Replica*> condemned{};  ///< highest ordinal first
  /// The lowest condemned one that is not available. Ordered sets let it go out of turn: waiting
  /// for a pod that is to go anyway would be for ever.
  const Replica* first_unavailable = nullptr;
};

Roster call_roster(const Observed& seen) {
  Roster roster;
  roster.members.resize(size_t(seen.set.replicas));
  for (const Replica& pod : seen.pods) {
    if (seen.set.holds(pod.ordinal)) {
      roster.members[size_t(pod.ordinal - seen.set.start)] = &pod;
      continue;
    }
    roster.condemned.insert(roster.condemned.begin(), &pod);
    if (roster.first_unavailable == nullptr && is_unavailable(pod, seen))
      roster.first_unavailable = &pod;
  }
  return roster;
}

/// Claims of the member that are missing are made; one that is going away holds the member up.
Step make_claims(const Observed& seen, const Member& member, std::string_view doing) {
  for (const model::Value& pattern :
       model::array_at(*seen.set.value, {"spec", "volumeClaimTemplates"})) {
    const std::string name =
        claim_name(seen.set, model::string_at(pattern, {"metadata", "name"}), member.ordinal);
    const auto claim = seen.claims.find(name);
    if (claim == seen.claims.end()) return act(create_claim(seen.set, pattern, member));
    if (claim->second.terminating) {
      Step step = hold(fmt::format("pvc {} is being deleted", name));
      step.failed = true;
      step.notes.push_back(note_claim_terminating(doing, seen.set, member, name));
      return step;
    }
  }
  return {};
}

Step own_claims(const Observed& seen, const Member& member) {
  for (const std::string_view pattern : claim_templates(seen.set)) {
    const std::string name = claim_name(seen.set, pattern, member.ordinal);
    const auto claim = seen.claims.find(name);
    if (claim == seen.claims.end() || owners_up_to_date(claim->second, seen.set, member)) continue;
    Step step = act(own_claim(claim->second, seen.set, member));
    if (has_foreign_controller(claim->second, seen.set, member))
      step.notes.push_back(note_foreign_controller(name));
    return step;
  }
  return {};
}

Step create_member(const Observed& seen, const History& history, int64_t ordinal) {
  const Member member = member_of(seen.set, ordinal);
  if (seen.pod_names_taken.count(ordinal) > 0)
    return hold(fmt::format("another's pod {} to be gone", member.name));
  std::vector<Note> notes;
  for (const std::string_view pattern : claim_templates(seen.set)) {
    const std::string name = claim_name(seen.set, pattern, ordinal);
    const auto claim = seen.claims.find(name);
    if (claim == seen.claims.end()) continue;
    if (is_stale(claim->second, seen.set, member))
      return hold(fmt::format("claim {} is of an earlier pod {}", name, member.name));
    if (has_foreign_controller(claim->second, seen.set, member))
      notes.push_back(note_foreign_controller(name));
  }
  Step step = make_claims(seen, member, "create");
  if (!step.moves_on()) return step;
  const bool keeps_current = ordinal < seen.set.start + seen.set.partition;
  step = act(create_pod(seen.set, keeps_current ? *history.current : *history.update, ordinal));
  step.notes = std::move(notes);
  return step;
}

Step tend_member(const Observed& seen, const Replica& pod) {
  // Also a pod that succeeded is replaced: which of the two it is depends only on how its
  // containers took being stopped.
  if (terminal(pod)) {
    if (!pod.going()) return act(delete_pod(seen.set, pod));
    return hold(fmt::format("pod {} to be gone", pod.name()));
  }
  const Member member = member_of(pod);
  if (pod.phase == "Pending") {
    Step step = make_claims(seen, member, "update");
    if (step.moves_on()) step = own_claims(seen, member);
    if (!step.moves_on()) return step;
  }
  if (!seen.set.parallel) {
    if (pod.going()) return hold(fmt::format("pod {} to terminate", pod.name()));
    if (!pod.running_and_ready())
      return hold(fmt::format("pod {} to be running and ready", pod.name()));
    if (is_unavailable(pod, seen)) return hold(fmt::format("pod {} to be available", pod.name()));
  }
  if (!storage_matches(seen.set, pod)) {
    Step step = make_claims(seen, member, "update");
    if (!step.moves_on()) return step;
  }
  Step step = own_claims(seen, member);
  if (!step.moves_on()) return step;
  if (!identity_matches(pod) || !storage_matches(seen.set, pod))
    return act(mend_pod(seen.set, pod));
  return {};
}

Step tend_members(const Observed& seen, const History& history, const Roster& roster) {
  Step worst;
  for (size_t i = 0; i < roster.members.size(); ++i) {
    const Replica* pod = roster.members[i];
    Step step =
        pod ? tend_member(seen, *pod) : create_member(seen, history, seen.set.start + int64_t(i));
    if (step.write || (step.held && !seen.set.parallel)) return step;
    // A parallel set looks after the others, but does not shrink or roll while one is in trouble.
    if (step.failed && !worst.failed) worst = std::move(step);
  }
  return worst;
}

Step condemn(const Observed& seen, const Roster& roster, const Replica& pod) {
  if (pod.going()) {
    if (seen.set.parallel) return {};
    return hold(fmt::format("pod {} to terminate before the set shrinks further", pod.name()));
  }
  if (!seen.set.parallel && is_unavailable(pod, seen) && &pod != roster.first_unavailable)
    return hold(
        fmt::format("pod {} to be available before the set shrinks",
                    roster.first_unavailable ? roster.first_unavailable->name() : pod.name()));
  return act(delete_pod(seen.set, pod));
}

Step shrink(const Observed& seen, const Roster& roster) {
  for (const Replica* pod : roster.condemned) {
    Step step = own_claims(seen, member_of(*pod));
    if (!step.moves_on()) return step;
  }
  for (const Replica* pod : roster.condemned) {
    Step step = condemn(seen, roster, *pod);
    if (!step.moves_on()) return step;
  }
  return {};
}

/// From above: the highest member that is not at the template's revision, once those above it are
/// available.
Step roll(const Observed& seen, const History& history, const Roster& roster) {
  if (seen.set.on_delete) return {};
  for (int64_t i = seen.set.replicas - 1; i >= seen.set.partition; --i) {
    const Replica* pod = roster.members[size_t(i)];
    if (pod == nullptr) return hold("a member to be created");
    if (pod->revision != history.update->name && !pod->going())
      return act(delete_pod(seen.set, *pod));
    if (is_unavailable(*pod, seen)) return hold(fmt::format("pod {} to update", pod->name()));
  }
  return {};
}

Step next_step(const Observed& seen, const History& history) {
  const Roster roster = call_roster(seen);
  Step step = tend_members(seen, history, roster);
  if (step.moves_on()) step = shrink(seen, roster);
  if (step.moves_on()) step = roll(seen, history, roster);
  return step;
}

/// Until the next pod that is ready has been so for minReadySeconds.
std::optional<std::chrono::milliseconds> until_available(const Observed& seen) {
  const std::vector<Pod> pods(seen.pods.begin(), seen.pods.end());
  const auto left = next_available(pods, seen.set.min_ready_seconds, seen.now);
  if (!left) return std::nullopt;
  return std::chrono::ceil<std::chrono::milliseconds>(*left);
}

Outcome rest(const Observed& seen, Step step) {
  if (step.failed) {
    // Changes of claims bring the key back too; this is for those that are never seen.
    Outcome outcome = Outcome::wait(std::chrono::seconds(5), "ClaimTerminating", step.waits_for);
    outcome.notes = std::move(step.notes);
    return outcome;
  }
  if (const auto left = until_available(seen))
    return Outcome::wait(*left, "WaitingForAvailability", step.waits_for);
  return Outcome::done(step.held ? "Waiting" : "", step.waits_for);
}

Outcome act_with_notes(Step step) {
  Outcome outcome = Outcome::act(*std::move(step.write));
  outcome.notes = std::move(step.notes);
  return outcome;
}

}  // namespace

Outcome plan(const Observed& seen) {
  const History history = read_history(seen);
  if (!history.create.empty()) {
    if (seen.set.being_deleted) return Outcome::done("BeingDeleted");
    return Outcome::act(create_revision(seen, history));
  }
  if (history.renumber) return Outcome::act(renumber_revision(*history.update, *history.renumber));
  // Which revision was current stands in the status before any pod of another one is made: a set
  // with a partition could not know it afterwards.
  const model::Object status = wanted_status(seen, history);
  if (names_other_revisions(seen, status)) return Outcome::act(*report(seen, status));
  Step step;
  if (!seen.set.being_deleted) step = next_step(seen, history);
  // A pod that the server keeps refusing must not keep the counts from being told.
  if (step.write && !seen.refused) return act_with_notes(std::move(step));
  if (auto write = report(seen, status)) return Outcome::act(*std::move(write));
  if (const Revision* surplus = surplus_revision(seen, history))
    return Outcome::act(control::remove(kube::kRevisions, surplus->object));
  if (step.write) return act_with_notes(std::move(step));
  return rest(seen, std::move(step));
}

}  // namespace holdfast::workloads::statefulset

#include <holdfast/base/text.h>
#include <holdfast/protect/cut/filling.h>

#include <fmt/format.h>

namespace holdfast::protect::handover {
namespace {

using namespace std::chrono_literals;
using control::Outcome;

/// Volumes that are filled and proven at the same time.
constexpr size_t kAtOnce = 4;

}  // namespace

void name_target(const ClaimRecord& claim, const std::optional<RestoreOptions>& options,
                 Seen& seen) {
  seen.target_ns = options && !options->ns.empty() ? options->ns : claim.ns;
  seen.target_name = claim.name;
  if (options && options->conflict == RestoreOptions::Conflict::Rename)
    seen.target_name += options->suffix.empty() ? "-restored" : options->suffix;
}

std::optional<control::Refusal> conflict(
    const std::vector<std::pair<const Seen*, const ClaimRecord*>>& targets, bool replaces) {
  std::vector<std::string> there, used;
  for (const auto& [its, claim] : targets) {
    if (its->target && !its->is_done())
      there.push_back(fmt::format("{}/{}{}", its->target_ns, its->target_name,
                                  claim->size == its->target->size
                                      ? ""
                                      : fmt::format(" (of {}, the one to be restored has {})",
                                                    its->target->size, claim->size)));
    for (const std::string& pod : its->users)
      used.push_back(fmt::format("{} by pod {}", its->target_name, pod));
  }
  if (!there.empty() && !replaces)
    return control::Refusal{
        "ClaimsExist", fmt::format("there already: {}; delete them, or set spec.restore.conflict "
                                   "to Rename or Replace",
                                   join(there, ", "))};
  if (!used.empty() && replaces)
    return control::Refusal{
        "ClaimInUse", fmt::format("in use: {}; scale the workload down first", join(used, ", "))};
  return std::nullopt;
}

Filling prove(const Seen& seen, const Owned& owned, const ClaimRecord& claim,
              const std::string& image, const std::vector<std::string>& command) {
  if (!seen.prover) return {.step = Outcome::act(make_prover(seen, owned, claim, image, command))};
  if (seen.prover_phase == "Failed")
    return {
        .trouble = {"SnapshotNotMountable",
                    fmt::format("the volume made of the snapshot of claim {} cannot be used: {}",
                                claim.name, seen.prover_message)}};
  if (seen.prover_phase != "Succeeded")
    return {.step = Outcome::wait(1s, "Proving", seen.prover_message)};
  return {};
}

Filling await_download(const UsedMove& download, const std::string& claim) {
  if (!download.is_over()) return {.step = Outcome::wait(10s, "Downloading")};
  if (!download.completed()) {
    const control::Refusal trouble = download.trouble();
    return {.trouble = {trouble.reason, fmt::format("claim {}: {}", claim, trouble.text())}};
  }
  // A move that is over still gives the volume its own policy back. Done after ours, that would
  // have the volume deleted with the claim that it is taken from.
  if (!download.object.meta().finalizers.empty())
    return {.step = Outcome::wait(500ms, "MoveClearingAway")};
  return {};
}

std::optional<Outcome> side_by_side(size_t count,
                                    const std::function<std::optional<Outcome>(size_t)>& step) {
  std::optional<Outcome> awaited;
  size_t under_way = 0;
  for (size_t i = 0; i < count && under_way < kAtOnce; ++i) {
    std::optional<Outcome> next = step(i);
    if (!next) continue;
    if (next->kind != Outcome::Kind::Wait) return next;
    ++under_way;
    if (!awaited || next->again < awaited->again) awaited = std::move(next);
  }
  return awaited;
}

}  // namespace holdfast::protect::handover

#include <holdfast/base/text.h>
#include <holdfast/cli/cuts.h>
#include <holdfast/cli/words.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::string_at;
using model::Value;
using protect::ClaimRecord;

/// "quiesced for …", of a window in which something was.
void tell_window(Sheet& sheet, const Value& result) {
  if (!model::bool_at(result, {"quiesced"}, false)) return;
  const auto millis = [&result](std::string_view member) {
    return double(model::int_at(result, {member}, 0)) / 1000;
  };
  sheet.entry("Window",
              fmt::format("quiesced for {:.1f} ms, after {:.1f} ms to acquire the "
                          "locks; the cut took {:.1f} ms",
                          millis("windowMicros"), millis("acquireMicros"), millis("cutMicros")));
}

}  // namespace

std::string members_text(const protect::Members& members) {
  std::string text = model::word(members.kind);
  if (!members.names.empty()) text += " " + join(members.names, ", ");
  if (members.selector) text += " with labels " + model::to_json(*members.selector);
  if (!members.ns.empty()) text += " of namespace " + members.ns;
  return text;
}

std::string order_text(const protect::Quiescing& how) {
  std::vector<std::string> words;
  if (!how.profile.empty()) words.push_back("profile " + how.profile);
  for (const auto& each : how.pre_actions) words.push_back(each.name);
  words.emplace_back("cut");
  for (const auto& each : how.post_actions) words.push_back(each.name);
  return join(words, " → ");
}

std::string way_text(const protect::Quiescing& how) {
  if (how.empty()) return "not quiesced while it is cut";
  return fmt::format("{}; within {} s", order_text(how), how.freeze_deadline_seconds);
}

std::optional<uint64_t> bytes_of(const std::vector<ClaimRecord>& claims) {
  std::optional<uint64_t> out;
  for (const ClaimRecord& each : claims)
    if (each.bytes && !each.log)
      out = out.value_or(0) + uint64_t(std::max<int64_t>(0, *each.bytes));
  return out;
}

std::string inputs_text(const protect::CutInputs& inputs) {
  Sheet sheet;
  sheet.entry("Would Cut", fmt::format("{} volumes of namespace {} by {}, {}", inputs.claims.size(),
                                       inputs.ns, model::word(inputs.cut),
                                       inputs.atomic ? "of one instant" : "not of one instant"));
  sheet.entry("Order", order_text(inputs.quiescing));
  sheet.entry("Rights", inputs.account.empty() ? "the operator's" : "of " + inputs.account);
  std::vector<std::vector<std::string>> pods, claims;
  for (const protect::PodRecord& each : inputs.pods)
    pods.push_back({each.name, each.container, join(each.mount_paths, ", ")});
  for (const ClaimRecord& each : inputs.claims)
    claims.push_back({each.name, each.size, each.storage_class, each.volume, each.snapshot_class});
  sheet.table("Would Quiesce", {"Pod", "Container", "Volumes At"}, pods);
  sheet.table("Claims", {"Name", "Size", "Class", "Volume", "Snapshot Class"}, claims);
  return sheet.text();
}

void tell_cut(Sheet& sheet, const CutTold& cut) {
  if (cut.verdict)
    sheet.entry("Consistency", fmt::format("{} ({}): {}", model::word(cut.verdict->consistency),
                                           cut.verdict->reason, cut.verdict->message));
  for (const Value& each : cut.operations)
    if (const Value* result = model::find(each, {"result"});
        result != nullptr && string_at(each, {"name"}) == "window")
      tell_window(sheet, *result);
  std::vector<std::string> owed;
  for (const protect::Owed& each : cut.owed)
    owed.push_back(
        fmt::format("{} in {}pod {}: {}", join(each.commands, ", "),
                    each.container.empty() ? "" : fmt::format("container {} of ", each.container),
                    each.pod, each.error));
  if (!owed.empty()) sheet.entry("Still Owed", join(owed, "\n"));
}

void tell_claims(Sheet& sheet, const std::vector<ClaimRecord>& claims,
                 const std::vector<std::string>& snapshots) {
  std::vector<std::vector<std::string>> rows;
  for (size_t i = 0; i < std::min(claims.size(), snapshots.size()); ++i) {
    const ClaimRecord& claim = claims[i];
    const std::string what = claim.log ? fmt::format(" (log of {})", claim.log->pod) : "";
    rows.push_back({claim.ns + "/" + claim.name + what, claim.size, claim.volume, snapshots[i],
                    claim.snapshot_id.substr(0, 8),
                    claim.bytes ? size_text(uint64_t(*claim.bytes)) : ""});
  }
  sheet.table("Claims", {"Name", "Size", "Volume", "Snapshot", "Backup", "Bytes"}, rows);
}

VolumeOf volumes_now(Server& server) {
  return [&server](const std::string& ns, const std::string& claim) -> std::string {
    const auto found = server.client().get(kube::kClaims, ns, claim);
    return found ? std::string(string_at(*found, {"spec", "volumeName"})) : "";
  };
}

std::string replacing_text(const std::vector<ClaimRecord>& claims, BroughtBack from,
                           const std::string& into, const VolumeOf& volume_of) {
  std::string text;
  for (const ClaimRecord& claim : claims) {
    if (claim.log) continue;
    const std::string& ns = into.empty() ? claim.ns : into;
    const std::string volume = volume_of(ns, claim.name);
    text +=
        fmt::format("  claim {}/{} ({}): a new volume from {}{}\n", ns, claim.name, claim.size,
                    from == BroughtBack::FromSnapshots ? "its snapshot"
                                                       : "backup " + claim.snapshot_id.substr(0, 8),
                    volume.empty() ? "" : fmt::format(", in place of {}, which is kept", volume));
  }
  return text;
}

}  // namespace holdfast::cli

#include "action/catalogue.h"

#include <holdfast/model/names.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

constexpr int64_t kWithLogs = 2;

/// Each belongs to claims that are there, and comes after all that are cut with the others.
Result<void> check_logs(const std::vector<ClaimRecord>& claims) {
  const auto has = [&](const std::string& name) {
    return std::any_of(claims.begin(), claims.end(),
                       [&](const ClaimRecord& each) { return !each.log && each.name == name; });
  };
  for (size_t i = 0; i < claims.size(); ++i) {
    if (!claims[i].log && i > 0 && claims[i - 1].log)
      return Error(Fault::Invalid, "a catalogue with a log before a claim");
    if (!claims[i].log) continue;
    HF_TRY(protect::check(*claims[i].log));
    if (!has(claims[i].name) || !has(claims[i].log->data_claim))
      return Error(Fault::Invalid, "a catalogue with a log of a claim that it lacks");
  }
  return {};
}

}  // namespace

std::string catalogue_text(const ActionSeen& seen) {
  const VolumeGroupAction::Status& status = seen.action.status;
  Catalogue out;
  out.group = fmt::format("{}/{}", seen.ns, seen.action.spec.group);
  out.id = seen.uid;
  out.time = seen.window_result && !seen.window_result->cut_seen_at.empty()
                 ? seen.window_result->cut_seen_at
                 : status.started;
  out.verdict = status.consistency.value_or(Consistency::Unknown);
  out.reason = status.consistency_reason;
  out.message = status.consistency_message;
  out.claims = status.frozen->claims;
  for (size_t i = 0; i < out.claims.size(); ++i) {
    if (!seen.members[i].move) continue;
    out.claims[i].snapshot_id = seen.members[i].move->move.status.snapshot_id;
    if (const auto& progress = seen.members[i].move->move.status.progress)
      out.claims[i].bytes = progress->bytes_done;
  }
  // Who does not know of logs would leave them out, and the server would start on too little.
  if (status.frozen->volumes() < out.claims.size()) out.version = kWithLogs;
  model::Value value;
  model::field_type<Catalogue>().encode(&out, value);
  return model::to_json(value);
}

Result<Catalogue> parse_catalogue(std::string_view text) {
  auto parsed = model::parse_json(text);
  if (!parsed) return parsed.take_error().with_context("read a catalogue");
  Catalogue out;
  Result<void> read = model::field_type<Catalogue>().decode(&out, parsed->value, "catalogue");
  if (!read) return read.take_error();
  if (out.version != 1 && out.version != kWithLogs)
    return Error(Fault::Invalid, fmt::format("a catalogue of version {}, this build reads 1 and {}",
                                             out.version, kWithLogs))
        .with_hint("upgrade holdfast");
  for (const ClaimRecord& claim : out.claims)
    if (claim.snapshot_id.empty() || claim.name.empty() || claim.size.empty())
      return Error(Fault::Invalid,
                   fmt::format("the catalogue of {} lacks snapshot, name or size of "
                               "a claim",
                               out.group));
  HF_TRY(check_logs(out.claims));
  return out;
}

}  // namespace holdfast::drivers::volumegroup

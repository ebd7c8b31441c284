#include "volumegroup/action/catalogue.h"

#include <holdfast/model/names.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {

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
  if (out.version != 1)
    return Error(Fault::Invalid,
                 fmt::format("a catalogue of version {}, this build reads 1", out.version))
        .with_hint("upgrade holdfast");
  for (const ClaimRecord& claim : out.claims)
    if (claim.snapshot_id.empty() || claim.name.empty() || claim.size.empty())
      return Error(Fault::Invalid,
                   fmt::format("the catalogue of {} lacks snapshot, name or size of "
                               "a claim",
                               out.group));
  return out;
}

}  // namespace holdfast::drivers::volumegroup

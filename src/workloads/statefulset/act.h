/// The single writes that a StatefulSet's plan can ask for, each safe to do twice.
#pragma once

#include <holdfast/control/write.h>

#include "statefulset/claims.h"
#include "statefulset/revisions.h"

namespace holdfast::workloads::statefulset {

control::Write create_revision(const Observed& seen, const History& history);
control::Write renumber_revision(const Revision& revision, int64_t number);
control::Write create_claim(const Set& set, const model::Value& claim_template,
                            const Member& member);
control::Write own_claim(const VolumeClaim& claim, const Set& set, const Member& member);
control::Write create_pod(const Set& set, const Revision& revision, int64_t ordinal);
/// Brings labels and volumes back to what makes it this member.
control::Write mend_pod(const Set& set, const Replica& pod);
control::Write delete_pod(const Set& set, const Replica& pod);

/// Labels, name and volumes are those of the member.
bool identity_matches(const Replica& pod);
bool storage_matches(const Set& set, const Replica& pod);

control::Note note_claim_terminating(std::string_view doing, const Set& set, const Member& member,
                                     std::string_view claim);
control::Note note_foreign_controller(std::string_view claim);

}  // namespace holdfast::workloads::statefulset

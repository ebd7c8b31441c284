/// Notes of sessions about the logs of their servers, parsed.
#pragma once

#include <holdfast/protect/cut/cut_inputs.h>
#include <holdfast/protect/cut/quiesce.h>

namespace holdfast::protect {

/// The claims that are to be cut once more for the logs on them, one for each pod in which a
/// session was held. An error says what is missing for a restore of cuts made one after the other.
Result<std::vector<ClaimRecord>> log_claims(const CutInputs& inputs,
                                            const std::vector<QuiesceNote>& notes);

/// Ends well if all segments are still in the live log: then they are in a cut made before, too.
QuiesceCommand presence_of(const LogRecord& log);
/// That command, for each log that is cut beside the claims.
std::vector<QuiesceTarget> log_checks(const CutInputs& inputs);

}  // namespace holdfast::protect

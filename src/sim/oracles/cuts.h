/// Invariants of cuts of volumes and of what is restored from them, for every driver whose model
/// says how they are marked (CutMarks). Windows, records and hand-overs are `protect`'s own, and so
/// is what they promise.
#pragma once

#include <holdfast/sim/model.h>

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::sim {

/// The invariants of cuts, by name; null if there is none so named:
///   one-cut        no claim is ever cut twice for one object
///   volumes-kept   no volume is deleted that a claim of a person, or of a restore, has had
///   log-put-back   no claim of a restore is there before the log of its server was put back, and
///                  no pod ever does that twice
using CutInvariant = std::optional<std::string> (*)(const History&, const Commit&, const Models&);
CutInvariant find_cut_invariant(std::string_view name);

/// Of one run and one driver: marked pods do their work, and it succeeds; other pods are
/// applications, which write on their claims. The oracle `verdict`: Application is said only of
/// what was cut while the application held still. The oracle `data`: and of what it wrote together;
/// a claim that is said to be restored holds what the cut of its claim held; what is said to be
/// backed up is in the bucket as it was cut.
std::unique_ptr<DriverPart> make_cut_part(const Sight& sight, const CutMarks& marks);

}  // namespace holdfast::sim

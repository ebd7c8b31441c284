#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/log_notes.h>
#include <holdfast/protect/cut/profiles.h>
#include <holdfast/protect/cut/verdict.h>

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

using namespace std::chrono_literals;

/// creationTime has whole seconds, and clocks of machines differ a little.
constexpr auto kClockRoom = 2s;

/// The profile that would have seen the lock, by the client that the commands call.
std::string better_way(const Quiescing& how) {
  std::string all;
  for (const QuiesceAction& each : how.pre_actions)
    for (const std::string& word : each.args) all += word + " ";
  const auto has = [&](std::string_view word) { return all.find(word) != std::string::npos; };
  if (has("mysql") || has("mariadb")) return "use profile: mariadb";
  if (has("psql") || has("pg_")) return "use profile: postgresql";
  if (has("fsfreeze")) return "use profile: fsfreeze";
  return "use action: session, or a profile";
}

/// A driver whose clock says that the cut was outside cannot be believed about this one.
bool vetoed(const WindowResult& window) {
  const auto frozen = model::parse_rfc3339(window.frozen_at);
  const auto thawed = model::parse_rfc3339(window.thawed_at);
  if (!frozen || !thawed) return false;
  for (const std::string& each : window.creation_times)
    if (const auto cut = model::parse_rfc3339(each))
      if (*cut < *frozen - kClockRoom || *cut > *thawed + kClockRoom) return true;
  return false;
}

}  // namespace

Verdict judge(const CutInputs& inputs, const WindowResult& window) {
  using C = Consistency;
  if (!window.reason.empty()) return {C::Unknown, window.reason, window.message};
  if (!window.quiesced && inputs.atomic)
    return {C::Crash, "NotQuiesced",
            "all volumes at one instant, while the application was running"};
  const std::string separate =
      "the volumes were cut one after the other, so they may be of different instants";
  if (!window.quiesced) return {C::Unknown, "CutsNotAtomic", separate};
  const std::string unseen =
      window.unseen.empty() ? ""
                            : fmt::format("the end of {} was not seen, since there is no shell",
                                          join(window.unseen, ", "));
  if (!window.observed)
    return {C::Unknown, "LockNotObserved",
            fmt::format("commands that have ended cannot show that a lock was held while the "
                        "volumes were cut; {}{}{}",
                        better_way(inputs.quiescing), unseen.empty() ? "" : "; ", unseen)};
  if (!unseen.empty()) return {C::Unknown, "EndNotSeen", unseen};
  if (!window.held)
    return {C::Unknown, "SessionLost", "the lock was not held until the cut was seen"};
  if (vetoed(window))
    return {C::Unknown, "CutOutsideWindow",
            "by the driver's clock the cut was not made while the lock was held"};
  const Profile* profile = find_profile(inputs.quiescing.profile);
  if (!inputs.atomic && profile != nullptr && profile->gives_log) {
    const auto logs = log_claims(inputs, window.notes);
    if (!logs) return {C::Unknown, "CutsNotAtomic", separate + "; " + logs.error().what()};
    return {C::Unknown, kLogPending, "the log of the backup that held the cuts is not kept yet"};
  }
  if (!inputs.atomic && (profile == nullptr || !profile->stops_all_writes))
    return {C::Unknown, "CutsNotAtomic",
            separate + ", and a lock that stops commits does not stop all writes"};
  return {C::Application, "Quiesced",
          fmt::format("locked, cut and released in this order; the lock was seen held throughout "
                      "({} ms)",
                      window.window_micros / 1000)};
}

}  // namespace holdfast::protect

#include "objects/locations/upkeep_view.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <memory>

namespace holdfast::cli {
namespace {

using model::string_at;
using model::Value;

/// So many looks at a repository where nothing runs and nothing was done are no accident between
/// two writes of its controller.
constexpr int kIdleLooks = 10;

/// Conditions that say that something is wrong.
std::string complaints(const Value& repository) {
  std::vector<std::string> out;
  for (const Value& each : model::array_at(repository, {"status", "conditions"}))
    if (string_at(each, {"status"}) == "False")
      out.push_back(
          fmt::format("{}: {}", string_at(each, {"reason"}), string_at(each, {"message"})));
  return join(out, "; ");
}

std::string fare(const Value& repository) {
  return fmt::format("{} snapshots, {}", model::int_at(repository, {"status", "snapshots"}, 0),
                     string_at(repository, {"status", "size"}));
}

}  // namespace

std::string_view word_of(Upkeep upkeep) { return upkeep == Upkeep::Check ? "check" : "prune"; }

Judge judge_upkeep(const Value& before, Upkeep upkeep) {
  const std::string_view member = upkeep == Upkeep::Check ? "lastCheck" : "lastPrune";
  const std::string last(string_at(before, {"status", member}));
  const auto idle = std::make_shared<int>(0);
  return [member, last, upkeep, idle](const Value& now) -> std::optional<Judgement> {
    const bool asked = !string_at(now, {"metadata", "annotations", kRunAnnotation}).empty();
    const bool runs = model::find(now, {"status", "running"}) != nullptr;
    if (asked || runs) {
      *idle = 0;
      return std::nullopt;
    }
    const std::string wrong = complaints(now);
    if (string_at(now, {"status", member}) != last)
      return wrong.empty()
                 ? Judgement{Verdict::Good, fmt::format("{} done: {}", word_of(upkeep), fare(now))}
                 : Judgement{Verdict::Bad, wrong};
    if (++*idle < kIdleLooks) return std::nullopt;
    return Judgement{Verdict::Bad,
                     wrong.empty()
                         ? fmt::format("{} was not done; its events say why", word_of(upkeep))
                         : wrong};
  };
}

}  // namespace holdfast::cli

#include "objects/locations/upkeep_view.h"

#include <fmt/format.h>

#include <memory>

namespace holdfast::cli {
namespace {

using model::string_at;
using model::Value;

/// So many looks at a repository where nothing runs and nothing was done are no accident between
/// two writes of its controller.
constexpr int kIdleLooks = 10;

/// What was seen of it so far.
struct Watched {
  std::string last{};  ///< time of the one before
  bool ran = false;
  int idle = 0;
};

const Value* condition_of(const Value& repository, std::string_view type) {
  for (const Value& each : model::array_at(repository, {"status", "conditions"}))
    if (string_at(each, {"type"}) == type) return &each;
  return nullptr;
}

std::string fare(const Value& repository) {
  return fmt::format("{} snapshots, {}", model::int_at(repository, {"status", "snapshots"}, 0),
                     string_at(repository, {"status", "size"}));
}

}  // namespace

std::string_view word_of(Upkeep upkeep) { return upkeep == Upkeep::Check ? "check" : "prune"; }

Judge judge_upkeep(const Value& before, Upkeep upkeep) {
  const bool check = upkeep == Upkeep::Check;
  const std::string_view member = check ? "lastCheck" : "lastPrune";
  const std::string_view kind = check ? "Check" : "Prune", type = check ? "Checked" : "Pruned";
  const auto state = std::make_shared<Watched>();
  state->last = string_at(before, {"status", member});
  return [member, kind, type, upkeep, state](const Value& now) -> std::optional<Judgement> {
    const bool asked = !string_at(now, {"metadata", "annotations", kRunAnnotation}).empty();
    const std::string_view running = string_at(now, {"status", "running", "kind"});
    if (running == kind) state->ran = true;
    if (asked || !running.empty()) {
      state->idle = 0;
      return std::nullopt;
    }
    const bool over = state->ran || string_at(now, {"status", member}) != state->last;
    if (!over && ++state->idle < kIdleLooks) return std::nullopt;
    const Value* said = condition_of(now, type);
    if (over && said != nullptr && string_at(*said, {"status"}) == "True")
      return Judgement{Verdict::Good, fmt::format("{} done: {}", word_of(upkeep), fare(now))};
    if (said != nullptr && string_at(*said, {"status"}) == "False")
      return Judgement{Verdict::Bad, fmt::format("{}: {}", string_at(*said, {"reason"}),
                                                 string_at(*said, {"message"}))};
    return Judgement{Verdict::Bad,
                     fmt::format("{} was not done; its events say why", word_of(upkeep))};
  };
}

}  // namespace holdfast::cli

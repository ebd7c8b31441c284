#include "scenario.h"

#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/workloads/workloads.h>

#include "oracles/goals.h"
#include "oracles/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::sim {
namespace {

using model::Value;

Error bad(std::string_view member, std::string_view why) {
  return {Fault::Invalid, fmt::format("{}: {}", member, why)};
}

Result<void> only_members(const Value& value, std::string_view where,
                          const std::vector<std::string_view>& known) {
  if (!value.is_object()) return bad(where, "not an object");
  for (const auto& member : value.get_object())
    if (std::find(known.begin(), known.end(), member.key()) == known.end())
      return bad(where, fmt::format("unknown member \"{}\"", std::string_view(member.key())));
  return ok();
}

Result<MonoTime> duration(const Value& value, std::string_view member) {
  const auto parsed = model::parse_duration(model::string_at(value, {member}));
  if (!parsed) return bad(member, "not a duration");
  return std::chrono::duration_cast<MonoTime>(*parsed);
}

Result<Step> step_from(const Value& value, const Models& models) {
  Step step;
  const auto text = [&](std::string_view member) {
    return std::string(model::string_at(value, {member}));
  };
  if (const Value* object = model::find(value, {"create"})) {
    HF_TRY(only_members(value, "create", {"create", "as", "refused"}));
    step.object = *object;
  } else if (!text("patch").empty()) {
    HF_TRY(only_members(value, "patch", {"patch", "with", "as", "refused"}));
    const Value* with = model::find(value, {"with"});
    if (with == nullptr) return bad("patch", "nothing to patch `with`");
    step = {Step::Kind::Patch, text("patch"), *with};
  } else if (!text("delete").empty()) {
    HF_TRY(only_members(value, "delete", {"delete", "cascade", "as", "refused"}));
    step = {Step::Kind::Delete, text("delete")};
    if (!text("cascade").empty()) step.cascade = text("cascade");
  } else if (!text("await").empty()) {
    HF_TRY(only_members(value, "await", {"await"}));
    HF_TRY(check_goal(text("await"), models));
    step = {Step::Kind::Await, text("await")};
  } else if (!text("wait").empty()) {
    HF_TRY(only_members(value, "wait", {"wait", "requests"}));
    step.kind = Step::Kind::Wait;
    step.lasts = HF_TRY(duration(value, "wait"));
    if (model::find(value, {"requests"}) != nullptr)
      step.most_requests = uint64_t(model::int_at(value, {"requests"}, 0));
  } else if (!text("bucket").empty()) {
    HF_TRY(only_members(value, "bucket", {"bucket"}));
    step.kind = Step::Kind::Bucket;
    step.away = text("bucket") == "away";
    if (!step.away && text("bucket") != "back") return bad("bucket", "can only be away or back");
  } else {
    return bad("workload", "a step is one of create, patch, delete, await, wait, bucket");
  }
  step.as = text("as");
  step.refused = model::bool_at(value, {"refused"}, false);
  return step;
}

Result<std::vector<Step>> steps_from(const Value& root, std::string_view member,
                                     const Models& models) {
  std::vector<Step> steps;
  for (const Value& each : model::array_at(root, {member}))
    steps.push_back(HF_TRY(step_from(each, models)));
  return steps;
}

Result<Do> kind_from(std::string_view name) {
  for (int i = 0; i <= int(Do::CutStream); ++i)
    if (to_string(Do(i)) == name) return Do(i);
  return bad("of", fmt::format("no fault is named \"{}\"", name));
}

std::vector<std::string> strings_at(const Value& value, std::string_view member) {
  std::vector<std::string> texts;
  for (const Value& each : model::array_at(value, {member}))
    if (each.is_string()) texts.emplace_back(model::view(each.get_string()));
  return texts;
}

Result<void> read_faults(const Value& root, Scenario& scenario) {
  for (const Value& each : model::array_at(root, {"faults"})) {
    if (model::find(each, {"crash"}) != nullptr) {
      HF_TRY(only_members(each, "faults", {"crash"}));
      const std::string_view where = model::string_at(each, {"crash"});
      if (where != "every-write" && where != "around-every-write")
        return bad("crash", "can only be every-write or around-every-write");
      scenario.crash_at_every_write = true;
      scenario.crash_before_writes = where == "around-every-write";
    } else if (model::find(each, {"cut"}) != nullptr) {
      HF_TRY(only_members(each, "faults", {"cut"}));
      if (model::string_at(each, {"cut"}) != "every-stream")
        return bad("cut", "can only be every-stream");
      scenario.cut_every_stream = true;
    } else if (model::find(each, {"storm"}) != nullptr) {
      HF_TRY(only_members(each, "faults", {"storm", "of", "among", "recreate"}));
      scenario.watched = strings_at(each, "among");
      scenario.recreatable = strings_at(each, "recreate");
      scenario.storms = uint64_t(model::int_at(each, {"storm"}, 0));
      for (const Value& kind : model::array_at(each, {"of"}))
        scenario.storm_of.push_back(
            HF_TRY(kind_from(kind.is_string() ? model::view(kind.get_string()) : "")));
    } else {
      HF_TRY(only_members(each, "faults", {"at", "do", "of", "code", "pick", "for", "by"}));
      scenario.faults.push_back(HF_TRY(fault_from(each)));
    }
  }
  return ok();
}

Result<uint64_t> budget_from(std::string_view text) {
  constexpr std::string_view kBegins = "requests <= ";
  uint64_t most = 0;
  if (text.starts_with(kBegins) &&
      std::from_chars(text.data() + kBegins.size(), text.data() + text.size(), most).ptr ==
          text.data() + text.size())
    return most;
  return bad("finally", fmt::format("\"{}\" is no budget: requests <= NUMBER", text));
}

Result<void> read_oracles(const Value& root, Scenario& scenario, const Models& models) {
  for (const Value& each : model::array_at(root, {"always"})) {
    const std::string name = each.is_string() ? std::string(each.get_string()) : "";
    if (!is_invariant(name, models))
      return bad("always", fmt::format("no invariant is named \"{}\"", name));
    scenario.always.push_back(name);
  }
  for (const Value& each : model::array_at(root, {"finally"})) {
    const std::string text = each.is_string() ? std::string(each.get_string()) : "";
    if (text == "same-end-state")
      scenario.same_end_state = true;
    else if (text == "same-counts")
      scenario.same_counts = true;
    else if (text.starts_with("requests "))
      scenario.most_requests = HF_TRY(budget_from(text));
    else {
      HF_TRY(check_goal(text, models));
      scenario.goals.push_back(text);
    }
  }
  return ok();
}

bool is_controller(std::string_view name, const Models& models) {
  const auto protecting = protect::controllers({}, {});
  return name == "ledger" || workloads::controllers(name).size() == 1 ||
         std::any_of(
             protecting.begin(), protecting.end(),
             [&](const auto& spec) { return spec.name == fmt::format("{}-controller", name); }) ||
         std::any_of(models.begin(), models.end(),
                     [&](const DriverModel& each) { return each.driver.name == name; });
}

Result<void> check_controllers(const std::string& list, const Models& models) {
  for (const std::string_view each : split(list, ','))
    if (!is_controller(each, models))
      return bad("controllers", fmt::format("no controller is named \"{}\"", each));
  return ok();
}

/// `$i` in all strings.
void number_strings(Value& value, uint64_t number) {
  if (value.is_string()) {
    std::string text(value.get_string());
    for (size_t at; (at = text.find("$i")) != std::string::npos;)
      text.replace(at, 2, std::to_string(number));
    value = Value(text);
  }
  if (value.is_array())
    for (Value& each : value.get_array()) number_strings(each, number);
  if (value.is_object())
    for (auto& member : value.get_object()) number_strings(member.value(), number);
}

/// Writes out what `repeat` stands for.
void repeat(Value& value) {
  if (value.is_object())
    for (auto& member : value.get_object()) repeat(member.value());
  if (!value.is_array()) return;
  model::Array all;
  for (Value& each : value.get_array()) {
    repeat(each);
    const Value* pattern = model::find(each, {"each"});
    const uint64_t times = uint64_t(model::int_at(each, {"repeat"}, 0));
    if (pattern == nullptr || times == 0) {
      all.push_back(std::move(each));
      continue;
    }
    for (uint64_t i = 1; i <= times; ++i) {
      all.push_back(*pattern);
      number_strings(all.back(), i);
    }
  }
  value = std::move(all);
}

Result<Scenario> read(Value root, const Models& models) {
  repeat(root);
  HF_TRY(only_members(root, "scenario",
                      {"why", "seed", "controllers", "operators", "restart", "workload", "edits",
                       "faults", "always", "finally"}));
  Scenario scenario;
  scenario.why = model::string_at(root, {"why"});
  if (scenario.why.empty()) return bad("why", "say what would be lost if this broke");
  scenario.seed = uint64_t(model::int_at(root, {"seed"}, 1));
  scenario.controllers = model::string_at(root, {"controllers"});
  HF_TRY(check_controllers(scenario.controllers, models));
  scenario.operators = uint64_t(model::int_at(root, {"operators"}, 1));
  if (scenario.operators < 1 || scenario.operators > 3) return bad("operators", "one to three");
  if (model::find(root, {"restart"}) != nullptr)
    scenario.restart = HF_TRY(duration(root, "restart"));
  scenario.workload = HF_TRY(steps_from(root, "workload", models));
  scenario.edits = HF_TRY(steps_from(root, "edits", models));
  if (scenario.workload.empty()) return bad("workload", "empty");
  HF_TRY(read_faults(root, scenario));
  HF_TRY(read_oracles(root, scenario, models));
  return scenario;
}

}  // namespace

bool Scenario::runs(std::string_view controller) const {
  for (const std::string_view each : split(controllers, ','))
    if (each == controller) return true;
  return false;
}

Result<Scenario> scenario_from_yaml(const std::string& name, std::string_view text,
                                    const Models& models) {
  const model::Parsed parsed = HF_TRY(model::parse_yaml(text));
  Result<Scenario> scenario =
      parsed.duplicates.empty()
          ? read(parsed.value, models)
          : Result<Scenario>(bad(parsed.duplicates.front(), "stands there twice"));
  if (!scenario) return scenario.take_error().with_context(fmt::format("read scenario {}", name));
  scenario->name = name;
  return scenario;
}

}  // namespace holdfast::sim

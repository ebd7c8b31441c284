#include "oracles/goals.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::sim {
namespace {

using model::int_at;
using model::Value;

struct Words {
  std::string_view verb, plural, name, last;
};

Words words_of(std::string_view goal) {
  Words words;
  const auto parts = split(goal, ' ');
  words.verb = parts[0];
  if (parts.size() > 1) {
    const size_t slash = parts[1].find('/');
    words.plural = parts[1].substr(0, slash);
    if (slash != std::string_view::npos) words.name = parts[1].substr(slash + 1);
  }
  if (parts.size() > 2) words.last = parts[2];
  return words;
}

int64_t number(std::string_view text) {
  int64_t value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool condition_true(const Value& object, std::string_view type) {
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    if (model::string_at(each, {"type"}) == type)
      return model::string_at(each, {"status"}) == "True";
  return false;
}

std::optional<std::string> is_rolled_out(const Value& object, std::string_view plural) {
  const int64_t want = int_at(object, {"spec", "replicas"}, 1);
  const int64_t generation = int_at(object, {"metadata", "generation"}, 0);
  const int64_t seen = int_at(object, {"status", "observedGeneration"}, 0);
  if (seen < generation)
    return fmt::format("generation {} is observed, {} is there", seen, generation);
  const auto is = [&](std::string_view field) { return int_at(object, {"status", field}, 0); };
  if (is("replicas") != want || is("readyReplicas") != want)
    return fmt::format("{} of {} replicas, {} ready", is("replicas"), want, is("readyReplicas"));
  const bool partitioned =
      int_at(object, {"spec", "updateStrategy", "rollingUpdate", "partition"}, 0) > 0;
  if (plural != "replicasets" && !partitioned && is("updatedReplicas") != want)
    return fmt::format("{} of {} replicas updated", is("updatedReplicas"), want);
  if (plural == "statefulsets" && !partitioned &&
      model::string_at(object, {"status", "currentRevision"}) !=
          model::string_at(object, {"status", "updateRevision"}))
    return "the current revision is not yet the updated one";
  return std::nullopt;
}

int64_t ready_pods(const History& history) {
  int64_t ready = 0;
  for (const auto& [key, pod] : history.now("pods")) ready += condition_true(*pod, "Ready") ? 1 : 0;
  return ready;
}

int64_t addresses_of(const Value& object, std::string_view plural) {
  int64_t count = 0;
  if (plural == "endpoints")
    for (const Value& subset : model::array_at(object, {"subsets"}))
      count += int64_t(model::array_at(subset, {"addresses"}).size());
  else
    for (const Value& endpoint : model::array_at(object, {"endpoints"}))
      count += model::bool_at(endpoint, {"conditions", "ready"}, false) ? 1 : 0;
  return count;
}

int64_t addresses(const Words& words, const History& history) {
  int64_t count = 0;
  for (const auto& [key, object] : history.now(words.plural)) {
    const std::string_view service =
        words.plural == "endpoints"
            ? std::string_view(key.name)
            : model::string_at(*object, {"metadata", "labels", "kubernetes.io/service-name"});
    if (service == words.name) count += addresses_of(*object, words.plural);
  }
  return count;
}

std::optional<std::string> is_bound(const Value& claim, const History& history) {
  const std::string_view name = model::string_at(claim, {"spec", "volumeName"});
  const ObjectPtr volume = history.get("persistentvolumes", "", name);
  if (volume == nullptr) return fmt::format("its volume \"{}\" is not there", name);
  if (model::string_at(*volume, {"spec", "claimRef", "uid"}) ==
      model::string_at(claim, {"metadata", "uid"}))
    return std::nullopt;
  return fmt::format("volume {} is of another claim", name);
}

bool follows(const DriverModel& model, std::string_view plural) {
  return std::any_of(model.followed.begin(), model.followed.end(),
                     [plural](const kube::Resource& each) { return each.plural == plural; });
}

const Goal* goal_of(const Words& words, const Models& models) {
  for (const DriverModel& model : models)
    for (const Goal& each : model.goals)
      if (each.word == words.verb && follows(model, words.plural)) return &each;
  return nullptr;
}

/// Why it ended as it should not have; a verdict on its cut is no ending.
std::optional<std::string> ended_badly(const Goal::Asked& asked) {
  if (model::string_at(asked.object, {"status", "state"}) == "Completed") return std::nullopt;
  std::string_view reason, message;
  for (const Value& each : model::array_at(asked.object, {"status", "conditions"}))
    if (model::string_at(each, {"status"}) == "False" &&
        model::string_at(each, {"type"}) != "ApplicationConsistent") {
      reason = model::string_at(each, {"reason"});
      message = model::string_at(each, {"message"});
    }
  for (const std::string_view each : split(asked.argument, '|'))
    if (each == reason && !asked.calm) return std::nullopt;
  return fmt::format("it ended for {}: {}", reason, message);
}

std::optional<std::string> differs(int64_t is, const Words& words) {
  if (is == number(words.last)) return std::nullopt;
  return fmt::format("there are {}", is);
}

}  // namespace

std::vector<Goal> goals_of_runs(std::optional<std::string> (*busy)(const Value& object)) {
  return {{.word = "settled", .unmet = [busy](const Goal::Asked& it) { return busy(it.object); }},
          {.word = "ended", .takes_argument = true, .unmet = [busy](const Goal::Asked& it) {
             std::optional<std::string> under_way = busy(it.object);
             return under_way ? under_way : ended_badly(it);
           }}};
}

Result<void> check_goal(std::string_view goal, const Models& models) {
  const Words words = words_of(goal);
  const bool named = words.verb == "bound" || words.verb == "rolled-out" || words.verb == "gone" ||
                     words.verb == "complete" || words.verb == "failed";
  const bool counted = words.verb == "count" || words.verb == "ready";
  if (named && !words.name.empty()) return ok();
  if (counted && !words.plural.empty() && number(words.last) >= 0) return ok();
  if (words.verb == "addresses" && !words.name.empty() && number(words.last) >= 0) return ok();
  if ((words.verb == "status" || words.verb == "state") && !words.name.empty() &&
      !words.last.empty())
    return ok();
  if (const Goal* own = goal_of(words, models);
      own != nullptr && !words.name.empty() && own->takes_argument != words.last.empty())
    return ok();
  return Error(
      Fault::Invalid,
      fmt::format("\"{}\" is no goal that src/sim/oracles/goals.h or a driver's model knows",
                  goal));
}

std::optional<std::string> unmet(std::string_view goal, const History& history,
                                 const Models& models, bool calm) {
  const Words words = words_of(goal);
  if (words.verb == "count") return differs(int64_t(history.now(words.plural).size()), words);
  if (words.verb == "ready") return differs(ready_pods(history), words);
  if (words.verb == "addresses") return differs(addresses(words, history), words);
  const ObjectPtr object = history.get(words.plural, kNamespace, words.name);
  if (words.verb == "gone") {
    if (object == nullptr) return std::nullopt;
    return "it is there";
  }
  if (object == nullptr) return "it is not there";
  if (words.verb == "rolled-out") return is_rolled_out(*object, words.plural);
  if (words.verb == "bound") return is_bound(*object, history);
  if (words.verb == "status" || words.verb == "state") {
    const std::string_view phase =
        model::string_at(*object, {"status", words.verb == "state" ? "state" : "phase"});
    if (phase == words.last) return std::nullopt;
    return fmt::format("it is \"{}\"", phase);
  }
  if (const Goal* own = goal_of(words, models))
    return own->unmet({*object, words.last, history, calm});
  if (condition_true(*object, words.verb == "complete" ? "Complete" : "Failed"))
    return std::nullopt;
  return "it is not";
}

}  // namespace holdfast::sim

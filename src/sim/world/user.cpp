#include "world/user.h"

#include "oracles/goals.h"
#include "world/storage.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::sim {
namespace {

using model::Object;
using model::Value;

std::string path_of(const History& history, std::string_view subject) {
  const size_t slash = subject.find('/');
  const kube::Resource& resource = history.resources()[history.index_of(subject.substr(0, slash))];
  return resource.path(resource.namespaced ? kNamespace : "", subject.substr(slash + 1));
}

std::string_view namespace_of(const Value& object) {
  const std::string_view said = model::string_at(object, {"metadata", "namespace"});
  return said.empty() ? kNamespace : said;
}

std::string collection_of(const History& history, const Value& object) {
  const auto is = [&](const kube::Resource& each) {
    return each.kind == model::string_at(object, {"kind"}) &&
           each.api_version() == model::string_at(object, {"apiVersion"});
  };
  for (const kube::Resource& each : history.resources())
    if (is(each)) return each.path(each.namespaced ? namespace_of(object) : "", "");
  for (const kube::Resource& each :
       {kube::kRoles, kube::kRoleBindings, kube::kVolumeSnapshotClasses, group_kinds().classes})
    if (is(each)) return each.path(each.namespaced ? namespace_of(object) : "", "");
  return "/";
}

std::string subject_of(const History& history, const Value& object) {
  for (const kube::Resource& each : history.resources())
    if (each.kind == model::string_at(object, {"kind"}))
      return fmt::format("{}/{}", each.plural, model::string_at(object, {"metadata", "name"}));
  return "";
}

}  // namespace

User::User(Server& server, History& history, const ManualClock& clock, const Scenario& scenario,
           const Models& models)
    : server_(server),
      history_(history),
      clock_(clock),
      scenario_(scenario),
      models_(models),
      caller_(administrator("user")),
      since_(clock.mono()) {}

bool User::ready_for(const Step& step) {
  if (step.kind != Step::Kind::Await) return true;
  // Only a commit can bring a goal about.
  if (seen_ != history_.commits().size()) {
    seen_ = history_.commits().size();
    met_ = !unmet(step.subject, history_, models_);
  }
  return met_;
}

std::optional<MonoTime> User::due() {
  if (!again_.empty() &&
      unmet("gone " + subject_of(history_, again_.front()), history_) == std::nullopt)
    return clock_.mono();
  if (done()) return std::nullopt;
  const Step& step = scenario_.workload[at_];
  if (step.kind == Step::Kind::Wait) return since_ + step.lasts;
  if (!ready_for(step)) return std::nullopt;
  return clock_.mono();
}

void User::step() {
  if (!again_.empty() && !unmet("gone " + subject_of(history_, again_.front()), history_))
    return create_again();
  if (done()) return;
  const Step& step = scenario_.workload[at_];
  make(step);
  if (observer_) observer_(at_);
  ++at_;
  since_ = clock_.mono();
  seen_ = 0;
  met_ = false;
  history_.catch_up();
}

void User::make(const Step& step) {
  switch (step.kind) {
    case Step::Kind::Await:
    case Step::Kind::Wait:
      return;
    case Step::Kind::Bucket:
      return bucket_(step.away);
    default:
      return carry_out(step, true);
  }
}

void User::create_again() {
  const Value object = std::move(again_.front());
  again_.erase(again_.begin());
  static_cast<void>(server_.ask(caller_, "POST", collection_of(history_, object), object));
  history_.catch_up();
}

Result<Value> User::send(const Step& step) {
  const Caller caller = step.as.empty() ? caller_ : Caller{step.as, {"system:authenticated"}};
  if (step.kind == Step::Kind::Create)
    return server_.ask(caller, "POST", collection_of(history_, step.object), step.object);
  if (step.kind == Step::Kind::Patch)
    return server_.ask(caller, "PATCH", path_of(history_, step.subject), step.object,
                       "application/merge-patch+json");
  return server_.ask(
      caller, "DELETE", path_of(history_, step.subject),
      Object{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}, {"propagationPolicy", step.cascade}});
}

void User::carry_out(const Step& step, bool expected) {
  const Result<Value> answer = send(step);
  if (!expected) return;
  const bool forbidden = !answer && answer.error().fault() == Fault::Denied;
  if (step.refused && !forbidden)
    trouble_ = fmt::format("step {}: it is to be refused, and was not", at_ + 1);
  if (!step.refused && !answer)
    trouble_ = fmt::format("step {}: {}", at_ + 1, answer.error().what());
}

void User::edit(uint64_t pick) {
  // The last word is the workload's: what it waits for is what it said itself.
  const auto& steps = scenario_.workload;
  const bool more_to_say =
      std::any_of(steps.begin() + std::ptrdiff_t(at_), steps.end(),
                  [](const Step& step) { return step.kind == Step::Kind::Patch; });
  if (scenario_.edits.empty() || !more_to_say) return;
  carry_out(scenario_.edits[pick % scenario_.edits.size()], false);
  history_.catch_up();
}

void User::recreate(const std::string& subject) {
  if (unmet("gone " + subject, history_) == std::nullopt) return;
  const auto made =
      std::find_if(scenario_.workload.begin(), scenario_.workload.end(), [&](const Step& step) {
        return step.kind == Step::Kind::Create && subject_of(history_, step.object) == subject;
      });
  if (made == scenario_.workload.end()) return;
  carry_out({Step::Kind::Delete, subject}, false);
  again_.push_back(made->object);
  history_.catch_up();
  if (!unmet("gone " + subject, history_)) create_again();
}

std::string User::waits_for() const {
  if (done()) return "";
  const Step& step = scenario_.workload[at_];
  return fmt::format("step {}, await {}: {}", at_ + 1, step.subject,
                     unmet(step.subject, history_, models_).value_or("it holds"));
}

}  // namespace holdfast::sim

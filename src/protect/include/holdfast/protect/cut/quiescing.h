/// Quiescing: the profile and actions that quiesce an application while its volumes are cut, and
/// release it.
#pragma once

#include <holdfast/protect/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::protect {

/// One command that makes the application hold still, or go on.
struct QuiesceAction {
  enum class Way { Execute, Session };
  enum class OnError { Fail, Continue };
  enum class Pods { All, One };
  std::string name{}, container{}, timeout = "30s", undo{};
  Way action = Way::Execute;
  std::vector<std::string> args{};
  OnError on_error = OnError::Fail;
  Pods pods = Pods::All;
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the action and of its step");
    v.defaulted("action", action, Way::Execute,
                "execute: a command that ends; session: a command that prints READY and holds its "
                "lock until its input ends");
    v.required("args", args, "command and its arguments");
    v.optional("container", container,
               "name of the container; empty: the pod's default container, else its first");
    v.defaulted("timeout", timeout, "30s", "maximum duration of the action");
    v.defaulted("onError", on_error, OnError::Fail,
                "Fail: the run fails; Continue: the run goes on without the action");
    v.defaulted("pods", pods, Pods::All, "All pods, or One: the first by name");
    v.optional("undo", undo,
               "name of a pre action: this post action runs only if that one was started");
  }
};
constexpr auto words(QuiesceAction::Way) {
  return std::array{std::pair{QuiesceAction::Way::Execute, "execute"},
                    std::pair{QuiesceAction::Way::Session, "session"}};
}
constexpr auto words(QuiesceAction::OnError) {
  return std::array{std::pair{QuiesceAction::OnError::Fail, "Fail"},
                    std::pair{QuiesceAction::OnError::Continue, "Continue"}};
}
constexpr auto words(QuiesceAction::Pods) {
  return std::array{std::pair{QuiesceAction::Pods::All, "All"},
                    std::pair{QuiesceAction::Pods::One, "One"}};
}

/// How the application is made to hold still for one kind of operation.
struct Quiescing {
  std::string profile{}, container{};
  std::vector<QuiesceAction> pre_actions{}, post_actions{};
  int64_t freeze_deadline_seconds = 10;
  int64_t lock_budget_seconds = 2;
  template <class V>
  void fields(V& v) {
    v.optional("profile", profile, "built-in profile: mariadb, mysql, postgresql, fsfreeze");
    v.optional("container", container,
               "container of the profile; empty: the pod's default container");
    v.optional("preActions", pre_actions, "actions before the cut, in this order");
    v.optional("postActions", post_actions,
               "actions after the cut, in this order; owed once a pre action was started");
    v.defaulted("freezeDeadlineSeconds", freeze_deadline_seconds, 10,
                "maximum time for which the application is quiesced, whatever happens",
                {.minimum = 1, .maximum = 3600});
    v.defaulted("lockBudgetSeconds", lock_budget_seconds, 2,
                "maximum time for which a profile waits for its lock",
                {.minimum = 1, .maximum = 600});
  }
  bool empty() const { return profile.empty() && pre_actions.empty(); }
};

}  // namespace holdfast::protect

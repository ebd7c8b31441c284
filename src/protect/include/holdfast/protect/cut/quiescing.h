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
    v.required("name", name, "shown as the name of its step");
    v.defaulted("action", action, Way::Execute,
                "execute: a command that ends; session: one that prints READY and holds until its "
                "input ends");
    v.required("args", args, "the command and its arguments");
    v.optional("container", container, "empty: the pod's default container, else its first");
    v.defaulted("timeout", timeout, "30s", "how long it may take");
    v.defaulted("onError", on_error, OnError::Fail, "whether the run goes on without it");
    v.defaulted("pods", pods, Pods::All, "in all pods of the group, or in the first by name");
    v.optional("undo", undo, "of a post action: the pre action after which alone it is owed");
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
    v.optional("profile", profile, "a built-in way: mariadb, mysql, postgresql, fsfreeze");
    v.optional("container", container, "of the profile; empty: the pod's default one");
    v.optional("preActions", pre_actions, "before the cut, in this order");
    v.optional("postActions", post_actions, "after it, in this order; owed once a pre was tried");
    v.defaulted("freezeDeadlineSeconds", freeze_deadline_seconds, 10,
                "by then the application goes on, whatever happened",
                {.minimum = 1, .maximum = 3600});
    v.defaulted("lockBudgetSeconds", lock_budget_seconds, 2,
                "a profile that has no lock by then gives up", {.minimum = 1, .maximum = 600});
  }
  bool empty() const { return profile.empty() && pre_actions.empty(); }
};

}  // namespace holdfast::protect

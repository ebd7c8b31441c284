/// How an application is made to hold still while its volumes are cut, and made to go on.
#pragma once

#include <holdfast/protect/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::drivers::volumegroup {

/// One command that makes the application hold still, or go on.
struct Action {
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
constexpr auto words(Action::Way) {
  return std::array{std::pair{Action::Way::Execute, "execute"},
                    std::pair{Action::Way::Session, "session"}};
}
constexpr auto words(Action::OnError) {
  return std::array{std::pair{Action::OnError::Fail, "Fail"},
                    std::pair{Action::OnError::Continue, "Continue"}};
}
constexpr auto words(Action::Pods) {
  return std::array{std::pair{Action::Pods::All, "All"}, std::pair{Action::Pods::One, "One"}};
}

/// How the application is made to hold still for one kind of operation.
struct Quiescing {
  std::string profile{}, container{};
  std::vector<Action> pre_actions{}, post_actions{};
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

struct Backing : Quiescing {
  std::optional<protect::Reference> location{};
  template <class V>
  void fields(V& v) {
    Quiescing::fields(v);
    v.optional("location", location, "BackupLocation; absent: the default one");
  }
};

}  // namespace holdfast::drivers::volumegroup

/// Members: the volumes of an application at this moment, and whether they can be cut; the pods of
/// its workloads, their claims, containers, classes, rights. Looks only, and asks the server
/// itself: a refusal is final, and what is left out is not cut.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/control/refusal.h>
#include <holdfast/protect/cut/cut_inputs.h>
#include <holdfast/protect/outside.h>

#include <array>

namespace holdfast::protect {

enum class MemberKind {
  Pod,
  StatefulSet,
  Deployment,
  ReplicaSet,
  DaemonSet,
  PersistentVolumeClaim,
  Namespace
};
constexpr auto words(MemberKind) {
  return std::array{std::pair{MemberKind::Pod, "Pod"},
                    std::pair{MemberKind::StatefulSet, "StatefulSet"},
                    std::pair{MemberKind::Deployment, "Deployment"},
                    std::pair{MemberKind::ReplicaSet, "ReplicaSet"},
                    std::pair{MemberKind::DaemonSet, "DaemonSet"},
                    std::pair{MemberKind::PersistentVolumeClaim, "PersistentVolumeClaim"},
                    std::pair{MemberKind::Namespace, "Namespace"}};
}

/// What is named in a spec.
struct Members {
  MemberKind kind = MemberKind::Pod;
  std::vector<std::string> names{};
  std::string ns{};
  std::optional<model::Value> selector{};
  template <class V>
  void fields(V& v) {
    v.required("kind", kind, "kind of the named objects: pods, workloads, claims, or a namespace");
    v.optional("names", names, "names of the objects");
    v.optional("namespace", ns,
               "namespace of the objects; one other than the owner's only for admins");
    v.optional("selector", selector, "label selector in place of names");
  }
};

struct CutWish {
  const Members& members;
  const Quiescing& how;
  std::string account{};                                 ///< whose rights commands have
  std::string snapshot_class{}, group_snapshot_class{};  ///< "": the driver's
  bool allow_unguarded = false;
  const std::vector<std::string>& only;  ///< names of claims; empty: all
};

struct ResolvedCut {
  CutInputs inputs{};
  std::optional<control::Refusal> refusal{};
};

/// For an object in namespace `ns`; admins may name members of another one, and need no account.
/// Needs the right to list pods, claims and the kinds of `MemberKind` that make pods.
Result<ResolvedCut> resolve_cut(control::Pass& pass, const Outside& outside, const CutWish& wish,
                                const std::string& ns, bool admin);

}  // namespace holdfast::protect

/// Scheduling: the node for a pending pod. Pure.
#pragma once

#include <holdfast/kube/cached.h>
#include <holdfast/model/json.h>

#include <map>
#include <string>
#include <vector>

namespace holdfast::node {

/// A claim of the pod's, as far as it decides.
struct ClaimSeen {
  std::string name;
  bool there = false, deleted = false, bound = false;
  bool waits_for_consumer = false;  ///< its class binds when a pod is placed
  std::string selected_node;
  model::Value
      volume_affinity{};  ///< spec.nodeAffinity of the volume that it is bound to; null = anywhere
};

/// What pods ask for, or a node has to give.
struct Amounts {
  int64_t cpu_millis = 0, memory = 0;
};

struct SchedulingSeen {
  model::Value pod;
  std::vector<model::Value> nodes;
  std::vector<ClaimSeen> claims;
  std::map<std::string, Amounts> taken{};  ///< by the pods of each node
};

struct Placement {
  enum class Kind { Bind, SelectNode, Unschedulable, Wait };
  Kind kind = Kind::Wait;
  std::string node{}, claim{};  ///< SelectNode: which claim is to be placed there
  std::string message{};        ///< "0/1 nodes are available: …"
};

Placement place(const SchedulingSeen& seen);
/// The sum of its containers, or what its largest init container needs beside the sidecars before
/// it, whichever is more.
Amounts requests_of(const model::Value& pod);
/// As kube-scheduler matches a node selector's terms (ORed) against a node.
bool matches_terms(const model::Value& selector, const model::Value& node);
bool tolerates(const model::Value& pod, const model::Value& taint);

}  // namespace holdfast::node

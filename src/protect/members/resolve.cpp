// Steps of a resolution: namespace → pods → their claims → how those are cut → who may exec.
#include <holdfast/base/text.h>
#include <holdfast/kube/access.h>
#include <holdfast/model/selector.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/cut/members.h>
#include <holdfast/protect/cut/profiles.h>
#include <holdfast/protect/cut/records.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::protect {
namespace {

using model::string_at;
using model::Value;

constexpr size_t kMostMembers = 64;

class Resolving {
 public:
  Resolving(control::Pass& pass, const Outside& outside, const CutWish& wish, bool admin)
      : pass_(pass), outside_(outside), wish_(wish), how_(wish.how), admin_(admin) {}

  Result<ResolvedCut> run(const std::string& ns) {
    CutInputs& inputs = out_.inputs;
    inputs.ns = wish_.members.ns.empty() ? ns : wish_.members.ns;
    inputs.account = wish_.account;
    inputs.quiescing = how_;
    inputs.allow_unguarded = wish_.allow_unguarded;
    check_wish(ns);
    if (!out_.refusal) HF_TRY(find_pods());
    if (!out_.refusal) HF_TRY(find_claims());
    if (!out_.refusal) HF_TRY(choose_cut());
    if (!out_.refusal && !how_.empty()) find_containers();
    if (!out_.refusal && !how_.empty()) HF_TRY(check_rights());
    if (how_.empty()) inputs.pods.clear();
    return std::move(out_);
  }

 private:
  void refuse(std::string reason, std::string message) {
    if (!out_.refusal) out_.refusal = control::Refusal{std::move(reason), std::move(message)};
  }

  void check_wish(const std::string& ns) {
    const Members& members = wish_.members;
    if (out_.inputs.ns != ns && !admin_)
      return refuse("NamespaceNotAllowed",
                    fmt::format("an object of namespace {} may not name members of namespace {}",
                                ns, out_.inputs.ns));
    if (members.names.empty() && !members.selector && members.kind != MemberKind::Namespace)
      return refuse("NoMembers", "the members have neither names nor a selector");
    if (!how_.profile.empty() && find_profile(how_.profile) == nullptr)
      return refuse("UnknownProfile", fmt::format("there is no profile {}: known are {}",
                                                  how_.profile, join(profile_names(), ", ")));
    if (!how_.empty() && out_.inputs.account.empty() && !admin_)
      return refuse("ServiceAccountRequired",
                    fmt::format("commands in pods need serviceAccountName, an account of namespace "
                                "{} that may exec there",
                                out_.inputs.ns));
    if (!how_.empty() && members.kind == MemberKind::PersistentVolumeClaim)
      return refuse("NoPods",
                    "members that are PersistentVolumeClaims have no pods for actions to run in");
    for (const auto* list : {&how_.pre_actions, &how_.post_actions})
      for (const QuiesceAction& each : *list) check_action(each);
  }

  void check_action(const QuiesceAction& each) {
    if (each.args.empty())
      return refuse("InvalidAction", fmt::format("action {} has no args", each.name));
    const auto timeout = model::parse_duration(each.timeout);
    if (!timeout || timeout->count() <= 0)
      return refuse("InvalidAction", fmt::format("action {}: timeout {} is not a duration such as "
                                                 "30s",
                                                 each.name, each.timeout));
    const auto& pres = how_.pre_actions;
    if (!each.undo.empty() && std::none_of(pres.begin(), pres.end(), [&](const QuiesceAction& pre) {
          return pre.name == each.undo;
        }))
      refuse("InvalidAction",
             fmt::format("action {} undoes {}, which is no pre action", each.name, each.undo));
  }

  /// As the server has them, once for each kind: by a cache that is a second behind a run would be
  /// refused for ever, or be without the volume of a pod that has just come.
  Result<std::vector<kube::Cached>> all_of(const kube::Resource& resource) {
    return control::list_live(pass_, resource, out_.inputs.ns);
  }

  Result<std::vector<kube::Cached>> matching(const kube::Resource& resource) {
    const Members& members = wish_.members;
    std::vector<kube::Cached> all = HF_TRY(all_of(resource));
    if (!members.selector && members.kind == MemberKind::Namespace) return all;
    std::vector<kube::Cached> out;
    if (members.selector) {
      const auto selector = model::LabelSelector::from_object(*members.selector);
      if (!selector) refuse("InvalidSelector", selector.error().what());
      for (const kube::Cached& each : all)
        if (selector && selector->matches(each.labels())) out.push_back(each);
    }
    for (const std::string& name : members.names) {
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const auto& each) { return each.name() == name; });
      if (found == all.end())
        refuse("MemberNotFound",
               fmt::format("{} {}/{} is not there", resource.kind, out_.inputs.ns, name));
      else
        out.push_back(*found);
    }
    return out;
  }

  Result<std::vector<kube::Cached>> controlled_by(const kube::Resource& resource,
                                                  const std::vector<kube::Cached>& owners) {
    std::vector<kube::Cached> all = HF_TRY(all_of(resource));
    std::erase_if(all, [&](const kube::Cached& each) {
      std::vector<std::string> uids;
      kube::index_by_controller(each, uids);
      return std::none_of(owners.begin(), owners.end(), [&](const kube::Cached& owner) {
        return std::find(uids.begin(), uids.end(), owner.uid()) != uids.end();
      });
    });
    return all;
  }

  Result<std::vector<kube::Cached>> pods_of(const kube::Resource& workloads) {
    std::vector<kube::Cached> owners = HF_TRY(matching(workloads));
    if (workloads == kube::kDeployments) owners = HF_TRY(controlled_by(kube::kReplicaSets, owners));
    return controlled_by(kube::kPods, owners);
  }

  Result<void> find_pods() {
    switch (wish_.members.kind) {
      case MemberKind::PersistentVolumeClaim:
        return {};
      case MemberKind::Pod:
      case MemberKind::Namespace:
        pods_ = HF_TRY(matching(kube::kPods));
        break;
      case MemberKind::StatefulSet:
        pods_ = HF_TRY(pods_of(kube::kStatefulSets));
        break;
      case MemberKind::Deployment:
        pods_ = HF_TRY(pods_of(kube::kDeployments));
        break;
      case MemberKind::ReplicaSet:
        pods_ = HF_TRY(pods_of(kube::kReplicaSets));
        break;
      case MemberKind::DaemonSet:
        pods_ = HF_TRY(pods_of(kube::kDaemonSets));
        break;
    }
    // Of pods that are over nothing is held still any more, and others took their place.
    std::erase_if(pods_, [](const kube::Cached& pod) {
      const std::string phase(string_at(*pod.shared_value(), {"status", "phase"}));
      return pod.being_deleted() || phase == "Succeeded" || phase == "Failed";
    });
    std::sort(pods_.begin(), pods_.end(),
              [](const auto& a, const auto& b) { return a.name() < b.name(); });
    if (pods_.empty() && wish_.members.kind != MemberKind::Namespace)
      refuse("NoPods", fmt::format("the members have no pods in namespace {}", out_.inputs.ns));
    return {};
  }

  Result<void> find_claims() {
    const std::vector<std::string>& only = wish_.only;
    std::set<std::string> names;
    for (const kube::Cached& pod : pods_)
      for (const std::string& each : claims_of(*pod.shared_value())) names.insert(each);
    const MemberKind kind = wish_.members.kind;
    if (kind == MemberKind::PersistentVolumeClaim || kind == MemberKind::Namespace) {
      const std::vector<kube::Cached> claims = HF_TRY(matching(kube::kClaims));
      for (const kube::Cached& claim : claims) names.emplace(claim.name());
    }
    for (const std::string& each : only)
      if (!names.contains(each))
        refuse("MemberNotFound", fmt::format("claim {} is of no member", each));
    if (!only.empty())
      std::erase_if(names, [&](const std::string& each) {
        return std::find(only.begin(), only.end(), each) == only.end();
      });
    if (names.empty()) refuse("NoVolumes", "no member has a volume of a PersistentVolumeClaim");
    if (names.size() > kMostMembers)
      refuse("TooManyMembers", fmt::format("the members have {} volumes; the maximum is {}",
                                           names.size(), kMostMembers));
    for (const std::string& each : names) {
      if (out_.refusal) return {};
      HF_TRY(add_claim(each));
    }
    return {};
  }

  /// As the server has it: what is recorded here is what a restore goes by.
  Result<void> add_claim(const std::string& name) {
    auto found = pass_.live(kube::kClaims, out_.inputs.ns, name);
    if (!found && found.error().not_found()) {
      refuse("ClaimNotFound", fmt::format("claim {}/{} is not there", out_.inputs.ns, name));
      return {};
    }
    if (!found) return found.error().error.copy();
    if (string_at(*found, {"status", "phase"}) != "Bound" ||
        !string_at(*found, {"metadata", "deletionTimestamp"}).empty()) {
      refuse("ClaimNotBound",
             fmt::format("claim {}/{} is not bound to a volume, or is being deleted",
                         out_.inputs.ns, name));
      return {};
    }
    auto volume = pass_.live(kube::kVolumes, "", string_at(*found, {"spec", "volumeName"}));
    if (!volume && !volume.error().not_found()) return volume.error().error.copy();
    if (!volume) {
      refuse("VolumeNotFound", fmt::format("volume {} of claim {} is gone",
                                           string_at(*found, {"spec", "volumeName"}), name));
      return {};
    }
    out_.inputs.claims.push_back(claim_record(*found, *volume));
    return {};
  }

  /// By driver: the one marked as default, else any; the one named, if one is.
  Result<std::map<std::string, std::string>> classes(const kube::Resource& resource,
                                                     std::string_view default_annotation,
                                                     const std::string& named) {
    std::map<std::string, std::string> out;
    const auto listed = outside_.client.list(resource, "", {}, [&](const Value& each) {
      const std::string name(string_at(each, {"metadata", "name"}));
      const std::string driver(string_at(each, {"driver"}));
      const bool preferred =
          string_at(each, {"metadata", "annotations", default_annotation}) == "true";
      if (named.empty() ? preferred || !out.contains(driver) : name == named) out[driver] = name;
      return true;
    });
    // Where the kind is not installed, nobody offers it.
    if (!listed && !listed.error().not_found()) return listed.error().error.copy();
    return out;
  }

  Result<void> choose_cut() {
    CutInputs& inputs = out_.inputs;
    const auto single =
        HF_TRY(classes(kube::kVolumeSnapshotClasses,
                       "snapshot.storage.kubernetes.io/is-default-class", wish_.snapshot_class));
    for (ClaimRecord& claim : inputs.claims) {
      const auto found = single.find(claim.driver);
      if (found == single.end()) {
        refuse("NoSnapshotClass",
               fmt::format("claim {} of storage class {} cannot be cut: driver {} has no "
                           "VolumeSnapshotClass{}",
                           claim.name, claim.storage_class, claim.driver,
                           wish_.snapshot_class.empty() ? "" : " named " + wish_.snapshot_class));
        return {};
      }
      claim.snapshot_class = found->second;
    }
    inputs.cut = Cut::Each;
    inputs.atomic = inputs.claims.size() == 1 && is_cut_at_once(inputs.claims.front());
    if (inputs.claims.size() == 1) return {};
    // Asked anew for each run: once they are installed, volumes are cut by them.
    const auto served = HF_TRY(outside_.group_kinds.ask());
    if (!served) return {};
    const auto together =
        HF_TRY(classes(served->classes, "groupsnapshot.storage.kubernetes.io/is-default-class",
                       wish_.group_snapshot_class));
    const std::string& driver = inputs.claims.front().driver;
    const bool one = std::all_of(inputs.claims.begin(), inputs.claims.end(), [&](const auto& each) {
      return each.driver == driver && is_cut_at_once(each);
    });
    if (!one || !together.contains(driver)) return {};
    inputs.cut = Cut::Group;
    inputs.group_class = together.at(driver);
    inputs.atomic = cuts_groups_at_once(driver);
    return {};
  }

  void find_containers() {
    for (const kube::Cached& pod : pods_) {
      const auto object = pod.shared_value();
      // A pod without a volume that is cut has nothing to hold still for.
      const std::vector<std::string> its = claims_of(*object);
      const bool member = std::any_of(its.begin(), its.end(), [&](const std::string& each) {
        return std::any_of(out_.inputs.claims.begin(), out_.inputs.claims.end(),
                           [&](const ClaimRecord& claim) { return claim.name == each; });
      });
      if (!member) continue;
      if (string_at(*object, {"status", "phase"}) != "Running")
        return refuse("PodNotRunning",
                      fmt::format("pod {}/{} is {}: no command can run in it", pod.ns(), pod.name(),
                                  string_at(*object, {"status", "phase"})));
      for (const std::string& name : containers_asked_for())
        if (!name.empty() && !has_container(*object, name))
          return refuse("ContainerNotFound",
                        fmt::format("pod {}/{} has no container {}: it has {}", pod.ns(),
                                    pod.name(), name, join(container_names(*object), ", ")));
      out_.inputs.pods.push_back(pod_record(pod, how_.container));
    }
    if (out_.inputs.pods.empty())
      refuse("NoPods",
             fmt::format(
                 "no pod of namespace {} has the volumes of the cut: there is nothing to quiesce",
                 out_.inputs.ns));
  }

  std::vector<std::string> containers_asked_for() const {
    std::vector<std::string> out{how_.container};
    for (const auto* list : {&how_.pre_actions, &how_.post_actions})
      for (const QuiesceAction& each : *list) out.push_back(each.container);
    return out;
  }

  Result<void> check_rights() {
    const std::string& account = out_.inputs.account;
    if (account.empty()) return {};
    const std::string& ns = out_.inputs.ns;
    const kube::Who who{.user = fmt::format("system:serviceaccount:{}:{}", ns, account),
                        .groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns,
                                   "system:authenticated"}};
    for (const PodRecord& pod : out_.inputs.pods) {
      auto allowed = kube::may(
          outside_.client, who,
          {.verb = "get", .resource = "pods", .subresource = "exec", .ns = ns, .name = pod.name});
      if (!allowed) return allowed.error().error.copy();
      if (!allowed->allowed)
        refuse("ExecNotAllowed",
               fmt::format("ServiceAccount {} may not get pods/exec of pod {}/{}; grant it get and "
                           "create of pods/exec",
                           account, ns, pod.name));
    }
    return {};
  }

  control::Pass& pass_;
  const Outside& outside_;
  const CutWish& wish_;
  const Quiescing& how_;
  const bool admin_;
  std::vector<kube::Cached> pods_{};
  ResolvedCut out_{};
};

}  // namespace

Result<ResolvedCut> resolve_cut(control::Pass& pass, const Outside& outside, const CutWish& wish,
                                const std::string& ns, bool admin) {
  return Resolving(pass, outside, wish, admin).run(ns);
}

}  // namespace holdfast::protect

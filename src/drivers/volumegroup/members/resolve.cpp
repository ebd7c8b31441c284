// The story of a resolution: namespace → pods → their claims → how those are cut → who may exec.
#include "members/resolve.h"

#include <holdfast/base/text.h>
#include <holdfast/kube/access.h>
#include <holdfast/model/selector.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/locations.h>

#include "members/claims.h"
#include "profiles/profiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holdfast::drivers::volumegroup {
namespace {

using model::string_at;
using model::Value;

constexpr size_t kMostMembers = 64;

class Resolving {
 public:
  Resolving(control::Pass& pass, const Surroundings& around, const GroupSettings& settings,
            const VolumeGroup& group, const Quiescing& how)
      : pass_(pass), around_(around), settings_(settings), group_(group), how_(how) {}

  Result<Resolution> run(const std::string& ns, const std::vector<std::string>& only, bool backup,
                         std::optional<protect::Reference> location) {
    Frozen& frozen = out_.frozen;
    frozen.ns = group_.spec.group.ns.empty() ? ns : group_.spec.group.ns;
    frozen.account = group_.spec.account;
    frozen.quiescing = how_;
    frozen.allow_unguarded = group_.spec.allow_unguarded;
    frozen.location = std::move(location);
    // A location is named from where the group is.
    if (frozen.location && frozen.location->ns.empty() && frozen.ns != ns) frozen.location->ns = ns;
    check_wish(ns);
    if (!out_.refusal) find_pods();
    if (!out_.refusal) HF_TRY(find_claims(only));
    if (!out_.refusal) HF_TRY(choose_cut());
    if (!out_.refusal && !how_.empty()) find_containers();
    if (!out_.refusal && !how_.empty()) HF_TRY(check_rights());
    if (!out_.refusal && backup) HF_TRY(choose_location());
    if (how_.empty()) frozen.pods.clear();
    return std::move(out_);
  }

 private:
  void refuse(std::string reason, std::string message) {
    if (!out_.refusal) out_.refusal = Refusal{std::move(reason), std::move(message)};
  }

  /// Before anything is held still: what is cut for nothing is held still for nothing. A restore
  /// goes by the one chosen here, whatever is the default by then.
  Result<void> choose_location() {
    Frozen& frozen = out_.frozen;
    protect::ChosenLocation chosen =
        HF_TRY(protect::choose_location(pass_, frozen.ns, frozen.location));
    if (chosen.location)
      frozen.location = std::move(chosen.location);
    else
      out_.refusal = std::move(chosen.refusal);
    return {};
  }

  void check_wish(const std::string& ns) {
    const VolumeGroup::Group& members = group_.spec.group;
    const bool admin = settings_.is_admin(ns);
    if (out_.frozen.ns != ns && !admin)
      return refuse("NamespaceNotAllowed",
                    fmt::format("a group of namespace {} may not name members of namespace {}", ns,
                                out_.frozen.ns));
    if (members.names.empty() && !members.selector && members.kind != MemberKind::Namespace)
      return refuse("NoMembers", "spec.group has neither names nor a selector");
    if (!how_.profile.empty() && find_profile(how_.profile) == nullptr)
      return refuse("UnknownProfile", fmt::format("there is no profile {}: known are {}",
                                                  how_.profile, join(profile_names(), ", ")));
    if (!how_.empty() && out_.frozen.account.empty() && !admin)
      return refuse("ServiceAccountRequired",
                    fmt::format("commands in pods need spec.serviceAccountName, an account of "
                                "namespace {} that may exec there",
                                out_.frozen.ns));
    if (!how_.empty() && members.kind == MemberKind::PersistentVolumeClaim)
      return refuse("NoPods",
                    "a group of PersistentVolumeClaims has no pods for actions to run in");
    for (const auto* list : {&how_.pre_actions, &how_.post_actions})
      for (const Action& each : *list) check_action(each);
  }

  void check_action(const Action& each) {
    if (each.args.empty())
      return refuse("InvalidAction", fmt::format("action {} has no args", each.name));
    const auto timeout = model::parse_duration(each.timeout);
    if (!timeout || timeout->count() <= 0)
      return refuse("InvalidAction", fmt::format("action {}: timeout {} is not a duration such as "
                                                 "30s",
                                                 each.name, each.timeout));
    const auto& pres = how_.pre_actions;
    if (!each.undo.empty() && std::none_of(pres.begin(), pres.end(), [&](const Action& pre) {
          return pre.name == each.undo;
        }))
      refuse("InvalidAction",
             fmt::format("action {} undoes {}, which is no pre action", each.name, each.undo));
  }

  std::vector<kube::Cached> matching(const kube::Resource& resource) {
    const VolumeGroup::Group& members = group_.spec.group;
    std::vector<kube::Cached> out;
    if (members.selector) {
      const auto selector = model::LabelSelector::from_object(*members.selector);
      if (!selector) {
        refuse("InvalidSelector", selector.error().what());
        return out;
      }
      out = pass_.list(resource, out_.frozen.ns, *selector);
    } else if (members.kind == MemberKind::Namespace) {
      return pass_.list(resource, out_.frozen.ns);
    }
    for (const std::string& name : members.names) {
      kube::Cached found = pass_.get(resource, out_.frozen.ns, name);
      if (!found)
        refuse("MemberNotFound",
               fmt::format("{} {}/{} is not there", resource.kind, out_.frozen.ns, name));
      else
        out.push_back(std::move(found));
    }
    return out;
  }

  std::vector<kube::Cached> pods_of(const kube::Resource& owners) {
    std::vector<kube::Cached> out;
    for (const kube::Cached& owner : matching(owners)) {
      if (owners == kube::kDeployments) {
        for (const kube::Cached& set : pass_.controlled_by(kube::kReplicaSets, owner.uid()))
          for (kube::Cached& pod : pass_.controlled_by(kube::kPods, set.uid()))
            out.push_back(std::move(pod));
        continue;
      }
      for (kube::Cached& pod : pass_.controlled_by(kube::kPods, owner.uid()))
        out.push_back(std::move(pod));
    }
    return out;
  }

  void find_pods() {
    switch (group_.spec.group.kind) {
      case MemberKind::PersistentVolumeClaim:
        return;
      case MemberKind::Pod:
      case MemberKind::Namespace:
        pods_ = matching(kube::kPods);
        break;
      case MemberKind::StatefulSet:
        pods_ = pods_of(kube::kStatefulSets);
        break;
      case MemberKind::Deployment:
        pods_ = pods_of(kube::kDeployments);
        break;
      case MemberKind::ReplicaSet:
        pods_ = pods_of(kube::kReplicaSets);
        break;
      case MemberKind::DaemonSet:
        pods_ = pods_of(kDaemonSets);
        break;
    }
    // Of pods that are over nothing is held still any more, and others took their place.
    std::erase_if(pods_, [](const kube::Cached& pod) {
      const std::string phase(string_at(*pod.shared_value(), {"status", "phase"}));
      return pod.being_deleted() || phase == "Succeeded" || phase == "Failed";
    });
    std::sort(pods_.begin(), pods_.end(),
              [](const auto& a, const auto& b) { return a.name() < b.name(); });
    if (pods_.empty() && group_.spec.group.kind != MemberKind::Namespace)
      refuse("NoPods", fmt::format("the group has no pods in namespace {}", out_.frozen.ns));
  }

  Result<void> find_claims(const std::vector<std::string>& only) {
    std::set<std::string> names;
    for (const kube::Cached& pod : pods_)
      for (const std::string& each : claims_of(*pod.shared_value())) names.insert(each);
    const MemberKind kind = group_.spec.group.kind;
    if (kind == MemberKind::PersistentVolumeClaim || kind == MemberKind::Namespace)
      for (const kube::Cached& claim : matching(kube::kClaims)) names.emplace(claim.name());
    for (const std::string& each : only)
      if (!names.contains(each))
        refuse("MemberNotFound", fmt::format("claim {} does not belong to the group", each));
    if (!only.empty())
      std::erase_if(names, [&](const std::string& each) {
        return std::find(only.begin(), only.end(), each) == only.end();
      });
    if (names.empty())
      refuse("NoVolumes", "no member of the group has a volume of a PersistentVolumeClaim");
    if (names.size() > kMostMembers)
      refuse("TooManyMembers",
             fmt::format("the group has {} volumes, {} are the most", names.size(), kMostMembers));
    for (const std::string& each : names) {
      if (out_.refusal) return {};
      HF_TRY(add_claim(each));
    }
    return {};
  }

  /// As the server has it: what is recorded here is what a restore goes by.
  Result<void> add_claim(const std::string& name) {
    auto found = pass_.live(kube::kClaims, out_.frozen.ns, name);
    if (!found && found.error().not_found()) {
      refuse("ClaimNotFound", fmt::format("claim {}/{} is not there", out_.frozen.ns, name));
      return {};
    }
    if (!found) return found.error().error.copy();
    if (string_at(*found, {"status", "phase"}) != "Bound" ||
        !string_at(*found, {"metadata", "deletionTimestamp"}).empty()) {
      refuse("ClaimNotBound",
             fmt::format("claim {}/{} is not bound to a volume, or goes", out_.frozen.ns, name));
      return {};
    }
    auto volume = pass_.live(kube::kVolumes, "", string_at(*found, {"spec", "volumeName"}));
    if (!volume && !volume.error().not_found()) return volume.error().error.copy();
    if (!volume) {
      refuse("VolumeNotFound", fmt::format("volume {} of claim {} is gone",
                                           string_at(*found, {"spec", "volumeName"}), name));
      return {};
    }
    out_.frozen.claims.push_back(claim_record(*found, *volume));
    return {};
  }

  /// By driver: the one marked as default, else any; the one named, if one is.
  Result<std::map<std::string, std::string>> classes(const kube::Resource& resource,
                                                     std::string_view default_annotation,
                                                     const std::string& named) {
    std::map<std::string, std::string> out;
    const auto listed = around_.client.list(resource, "", {}, [&](const Value& each) {
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
    Frozen& frozen = out_.frozen;
    const auto single = HF_TRY(classes(kube::kVolumeSnapshotClasses,
                                       "snapshot.storage.kubernetes.io/is-default-class",
                                       group_.spec.snapshot_class));
    for (ClaimRecord& claim : frozen.claims) {
      const auto found = single.find(claim.driver);
      if (found == single.end()) {
        refuse(
            "NoSnapshotClass",
            fmt::format(
                "claim {} of storage class {} cannot be cut: driver {} has no "
                "VolumeSnapshotClass{}",
                claim.name, claim.storage_class, claim.driver,
                group_.spec.snapshot_class.empty() ? "" : " named " + group_.spec.snapshot_class));
        return {};
      }
      claim.snapshot_class = found->second;
    }
    frozen.cut = Cut::Each;
    frozen.atomic = frozen.claims.size() == 1 && is_cut_at_once(frozen.claims.front());
    if (frozen.claims.size() == 1) return {};
    // Asked anew for each run: who installs them gets cuts of groups from then on.
    const auto served = HF_TRY(around_.group_kinds->ask());
    if (!served) return {};
    const auto together =
        HF_TRY(classes(served->classes, "groupsnapshot.storage.kubernetes.io/is-default-class",
                       group_.spec.group_snapshot_class));
    const std::string& driver = frozen.claims.front().driver;
    const bool one = std::all_of(frozen.claims.begin(), frozen.claims.end(), [&](const auto& each) {
      return each.driver == driver && is_cut_at_once(each);
    });
    if (!one || !together.contains(driver)) return {};
    frozen.cut = Cut::Group;
    frozen.group_class = together.at(driver);
    frozen.atomic = cuts_groups_at_once(driver);
    return {};
  }

  void find_containers() {
    for (const kube::Cached& pod : pods_) {
      const auto object = pod.shared_value();
      // A pod without a volume of the group has nothing to hold still for.
      const std::vector<std::string> its = claims_of(*object);
      const bool member = std::any_of(its.begin(), its.end(), [&](const std::string& each) {
        return std::any_of(out_.frozen.claims.begin(), out_.frozen.claims.end(),
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
      out_.frozen.pods.push_back(pod_record(pod, how_.container));
    }
    if (out_.frozen.pods.empty())
      refuse("NoPods", fmt::format("no pod of namespace {} has the volumes of the group: there is "
                                   "nobody to hold still",
                                   out_.frozen.ns));
  }

  std::vector<std::string> containers_asked_for() const {
    std::vector<std::string> out{how_.container};
    for (const auto* list : {&how_.pre_actions, &how_.post_actions})
      for (const Action& each : *list) out.push_back(each.container);
    return out;
  }

  Result<void> check_rights() {
    const std::string& account = out_.frozen.account;
    if (account.empty()) return {};
    const std::string& ns = out_.frozen.ns;
    const kube::Who who{.user = fmt::format("system:serviceaccount:{}:{}", ns, account),
                        .groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns,
                                   "system:authenticated"}};
    for (const PodRecord& pod : out_.frozen.pods) {
      auto allowed = kube::may(
          around_.client, who,
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
  const Surroundings& around_;
  const GroupSettings& settings_;
  const VolumeGroup& group_;
  const Quiescing& how_;
  std::vector<kube::Cached> pods_{};
  Resolution out_{};
};

}  // namespace

Result<Resolution> resolve(control::Pass& pass, const Surroundings& around,
                           const GroupSettings& settings, const std::string& ns,
                           const VolumeGroup& group, GroupAction action,
                           const std::vector<std::string>& only) {
  const bool backup = action == GroupAction::Backup;
  const Quiescing& how = backup ? group.spec.backup : group.spec.snapshot;
  return Resolving(pass, around, settings, group, how)
      .run(ns, only, backup, backup ? group.spec.backup.location : std::nullopt);
}

}  // namespace holdfast::drivers::volumegroup

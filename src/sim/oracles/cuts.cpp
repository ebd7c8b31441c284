#include "oracles/cuts.h"

#include <holdfast/protect/cut/handover.h>

#include "data/movers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace holdfast::sim {
namespace {

using model::string_at;
using model::Value;

std::string_view label(const Value& object, std::string_view name) {
  return string_at(object, {"metadata", "labels", name});
}

std::string_view annotation(const Value& object, std::string_view name) {
  return string_at(object, {"metadata", "annotations", name});
}

std::string_view kind_of(const History& history, const Commit& commit) {
  return history.resources()[commit.resource].plural;
}

/// Made by a controller on the way: of a data move, or of an object that cuts.
bool is_passing(const Value& claim, const Models& models) {
  if (!label(claim, kMoveLabel).empty()) return true;
  return std::any_of(models.begin(), models.end(), [&](const DriverModel& each) {
    return each.cuts && !label(claim, each.cuts->made.label).empty();
  });
}

std::optional<std::string> volumes_kept(const History& history, const Commit& commit,
                                        const Models& models) {
  if (kind_of(history, commit) != "persistentvolumes" || commit.kind != Commit::Kind::Deleted)
    return std::nullopt;
  const std::string_view claim = string_at(*commit.object, {"spec", "claimRef", "name"});
  for (const Commit& each : history.commits())
    if (each.kind == Commit::Kind::Created && each.key.name == claim &&
        kind_of(history, each) == "persistentvolumeclaims" && !is_passing(*each.object, models))
      return fmt::format("volume {} of claim {} was deleted", commit.key.name, claim);
  return std::nullopt;
}

std::optional<std::string> cut_twice(const History& history, const Commit& commit,
                                     const CutMarks& marks) {
  const auto of = [&marks](const Value& snapshot) {
    return std::tuple(label(snapshot, marks.made.label),
                      string_at(snapshot, {"spec", "source", "persistentVolumeClaimName"}),
                      annotation(snapshot, marks.log_of));
  };
  if (std::get<0>(of(*commit.object)).empty()) return std::nullopt;
  int count = 0;
  for (const Commit& each : history.commits())
    if (each.resource == commit.resource && each.kind == Commit::Kind::Created &&
        of(*each.object) == of(*commit.object))
      ++count;
  if (count < 2) return std::nullopt;
  return fmt::format("claim {} was cut {} times for one object", std::get<1>(of(*commit.object)),
                     count);
}

std::optional<std::string> one_cut(const History& history, const Commit& commit,
                                   const Models& models) {
  const std::string_view plural = kind_of(history, commit);
  if ((plural != "volumesnapshots" && plural != "volumegroupsnapshots") ||
      commit.kind != Commit::Kind::Created)
    return std::nullopt;
  for (const DriverModel& each : models)
    if (each.cuts)
      if (auto breach = cut_twice(history, commit, *each.cuts)) return breach;
  return std::nullopt;
}

bool is_log_pod(const History& history, const Commit& commit) {
  if (kind_of(history, commit) != "pods") return false;
  for (const Value& each : model::array_at(*commit.object, {"spec", "containers"}))
    if (string_at(each, {"name"}) == "log") return true;
  return false;
}

/// The restores of one object that cuts, as they are marked with its name.
class Restores {
 public:
  Restores(const History& history, const Commit& commit, const CutMarks& marks)
      : history_(history),
        commit_(commit),
        marks_(marks),
        owner_(annotation(*commit.object, marks.made.annotation)),
        logs_(logs_put_back()) {}

  bool puts_back_again() const {
    return is_log_pod(history_, commit_) && logs_.contains(commit_.key.name);
  }
  /// What a claim of a restore is there too early for.
  std::optional<std::string> too_early() const {
    if (restored_by(commit_).empty() || kind_of(history_, commit_) != "persistentvolumeclaims" ||
        !has_log())
      return std::nullopt;
    std::set<std::string> restores;
    for (const Commit& each : history_.commits())
      if (each.resource == commit_.resource && each.kind == Commit::Kind::Created &&
          each.key == commit_.key && is_of(each) && !restored_by(each).empty())
        restores.emplace(restored_by(each));
    if (logs_.size() >= restores.size()) return std::nullopt;
    return fmt::format("claim {} was made for restore {}, and logs were put back {} times",
                       commit_.key.name, restores.size(), logs_.size());
  }

 private:
  static std::string_view restored_by(const Commit& commit) {
    return annotation(*commit.object, protect::handover::kRestoredBy);
  }
  bool is_of(const Commit& each) const {
    return annotation(*each.object, marks_.made.annotation) == owner_;
  }
  /// Names of the pods that have put a log back: each restore has its own.
  std::set<std::string> logs_put_back() const {
    std::set<std::string> out;
    for (const Commit& each : history_.commits())
      if (is_log_pod(history_, each) && is_of(each) &&
          string_at(*each.object, {"status", "phase"}) == "Succeeded")
        out.insert(each.key.name);
    return out;
  }
  bool has_log() const {
    return std::any_of(history_.commits().begin(), history_.commits().end(),
                       [this](const Commit& each) {
                         return is_of(each) && !annotation(*each.object, marks_.log_of).empty();
                       });
  }

  const History& history_;
  const Commit& commit_;
  const CutMarks& marks_;
  const std::string_view owner_;
  const std::set<std::string> logs_;
};

std::optional<std::string> log_put_back(const History& history, const Commit& commit,
                                        const Models& models) {
  if (commit.kind != Commit::Kind::Created) return std::nullopt;
  for (const DriverModel& each : models) {
    if (!each.cuts || annotation(*commit.object, each.cuts->made.annotation).empty()) continue;
    const Restores restores(history, commit, *each.cuts);
    if (restores.puts_back_again())
      return fmt::format("pod {} puts back a log for the second time", commit.key.name);
    if (auto breach = restores.too_early()) return breach;
  }
  return std::nullopt;
}

class CutPart final : public DriverPart {
 public:
  CutPart(const Sight& sight, const CutMarks& marks) : sight_(sight), marks_(marks) {}

  std::optional<PodFate> fate(const Value& pod) override {
    if (label(pod, marks_.made.label).empty()) return std::nullopt;
    PodFate fate;
    fate.volumes = true;
    fate.exits = "0";
    return fate;
  }

  /// An application writes on all its claims as long as nobody holds it still: no two looks find
  /// the same, and none finds what belongs together.
  std::optional<std::string> written(const Value& pod) override {
    if (!label(pod, marks_.made.label).empty() || !label(pod, kMoveLabel).empty())
      return std::nullopt;
    const std::string_view name = string_at(pod, {"metadata", "name"});
    if (const auto since = sight_.held_since(uid_of(pod)))
      return fmt::format("all that {} wrote before {} us", name, since->count());
    return fmt::format("the midst of write {} of {}", ++writes_, name);
  }

  void cut(const Value& snapshot, const kube::Key& claim) override {
    const std::string owner(label(snapshot, marks_.made.label));
    // A log is cut after the application was let go.
    if (owner.empty() || !annotation(snapshot, marks_.log_of).empty()) return;
    Cuts& cuts = cuts_[owner];
    const std::string& data = cuts.data.try_emplace(claim, sight_.data_on(claim)).first->second;
    for (const auto& [key, pod] : sight_.history.now("pods"))
      for (const Value& volume : model::array_at(*pod, {"spec", "volumes"}))
        if (key.ns == claim.ns &&
            string_at(volume, {"persistentVolumeClaim", "claimName"}) == claim.name) {
          if (!sight_.held_since(uid_of(*pod))) cuts.loose = true;
          cuts.versions[uid_of(*pod)].emplace(version_in(data));
        }
  }

  std::optional<Violation> judge(const Commit& commit) override {
    const auto found = cuts_.find(commit.uid);
    if (found != cuts_.end() &&
        string_at(*commit.object, {"status", "consistency"}) == "Application")
      if (auto wrong = judge_verdict(commit, found->second)) return wrong;
    if (marks_.saved != nullptr)
      if (auto wrong = judge_saved(commit)) return wrong;
    return marks_.restored == nullptr ? std::nullopt : judge_restored(commit);
  }

 private:
  /// What was cut for one object.
  struct Cuts {
    bool loose = false;                                       ///< one was outside of any lock
    std::map<kube::Key, std::string> data{};                  ///< by the claim
    std::map<std::string, std::set<std::string>> versions{};  ///< by the pod that wrote them
  };

  static std::string uid_of(const Value& pod) {
    return std::string(string_at(pod, {"metadata", "uid"}));
  }

  static std::optional<Violation> judge_verdict(const Commit& commit, const Cuts& cuts) {
    if (cuts.loose)
      return Violation{
          "verdict",
          fmt::format("{} says Application, and was cut outside of the lock", commit.key.text())};
    for (const auto& [pod, versions] : cuts.versions)
      if (versions.size() > 1)
        return Violation{"data",
                         fmt::format("{} says Application, and has cut {} together with {}",
                                     commit.key.text(), *versions.begin(), *versions.rbegin())};
    return std::nullopt;
  }

  std::optional<Violation> judge_saved(const Commit& commit) const {
    const std::vector<CutMarks::Saved> now = marks_.saved(*commit.object);
    const auto own = cuts_.find(commit.uid);
    if (now.empty() || own == cuts_.end() || commit.before == nullptr ||
        !marks_.saved(*commit.before).empty())
      return std::nullopt;
    for (const CutMarks::Saved& each : now) {
      const auto was = own->second.data.find(each.claim);
      const std::string is = sight_.data_saved(each.snapshot_id);
      if (was != own->second.data.end() && is == was->second) continue;
      return Violation{"data", fmt::format("{} says that it is backed up: of claim {} the bucket "
                                           "holds \"{}\", and \"{}\" was cut",
                                           commit.key.text(), each.claim.text(), is,
                                           was == own->second.data.end() ? "" : was->second)};
    }
    return std::nullopt;
  }

  /// At the commit that says it first: from then on it may be written over.
  std::optional<Violation> judge_restored(const Commit& commit) const {
    const std::vector<CutMarks::Restored> now = marks_.restored(*commit.object);
    if (now.empty() || commit.before == nullptr || !marks_.restored(*commit.before).empty())
      return std::nullopt;
    const auto own = cuts_.find(commit.uid);
    std::string wrong = own == cuts_.end() ? "" : difference(own->second, now);
    // Of a backup that another object has made, and the repository alone knows.
    if (own == cuts_.end() && std::none_of(cuts_.begin(), cuts_.end(), [&](const auto& each) {
          return difference(each.second, now).empty();
        }))
      wrong = fmt::format("claim {} holds \"{}\", which was cut with none of the others",
                          now.front().claim.text(), sight_.data_on(now.front().claim));
    if (wrong.empty()) return std::nullopt;
    return Violation{"data",
                     fmt::format("{} says that it is restored: {}", commit.key.text(), wrong)};
  }

  /// Of what claims hold from what was cut of theirs; "": none.
  std::string difference(const Cuts& cuts, const std::vector<CutMarks::Restored>& claims) const {
    for (const CutMarks::Restored& each : claims) {
      const auto was = cuts.data.find(each.of);
      const std::string is = sight_.data_on(each.claim);
      if (was == cuts.data.end()) return fmt::format("claim {} was not cut", each.of.text());
      if (is != was->second)
        return fmt::format("claim {} holds \"{}\", and \"{}\" was cut", each.claim.text(), is,
                           was->second);
    }
    return "";
  }

  const Sight sight_;
  const CutMarks marks_;
  std::map<std::string, Cuts> cuts_;  ///< by the uid of the object that they were made for
  uint64_t writes_ = 0;
};

constexpr std::array kCutInvariants{
    std::pair<std::string_view, CutInvariant>{"one-cut", one_cut},
    std::pair<std::string_view, CutInvariant>{"volumes-kept", volumes_kept},
    std::pair<std::string_view, CutInvariant>{"log-put-back", log_put_back},
};

}  // namespace

CutInvariant find_cut_invariant(std::string_view name) {
  for (const auto& [known, invariant] : kCutInvariants)
    if (known == name) return invariant;
  return nullptr;
}

std::unique_ptr<DriverPart> make_cut_part(const Sight& sight, const CutMarks& marks) {
  return std::make_unique<CutPart>(sight, marks);
}

}  // namespace holdfast::sim

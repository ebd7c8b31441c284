#include "oracles/cuts.h"

#include <holdfast/protect/cut/handover.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
  if (!label(claim, "holdfast.dev/data-move").empty()) return true;
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

  void cut(const Value& snapshot, const kube::Key& claim) override {
    const std::string owner(label(snapshot, marks_.made.label));
    // A log is cut after the application was let go.
    if (owner.empty() || !annotation(snapshot, marks_.log_of).empty()) return;
    for (const auto& [key, pod] : sight_.history.now("pods"))
      for (const Value& volume : model::array_at(*pod, {"spec", "volumes"}))
        if (key.ns == claim.ns &&
            string_at(volume, {"persistentVolumeClaim", "claimName"}) == claim.name &&
            !sight_.held_still(std::string(string_at(*pod, {"metadata", "uid"}))))
          loose_.insert(owner);
  }

  std::optional<Violation> judge(const Commit& commit) override {
    if (!loose_.contains(commit.uid) ||
        string_at(*commit.object, {"status", "consistency"}) != "Application")
      return std::nullopt;
    return Violation{"verdict", fmt::format("{} says Application, and was cut outside of the lock",
                                            commit.key.text())};
  }

 private:
  const Sight sight_;
  const CutMarks marks_;
  std::set<std::string> loose_;  ///< uids of objects with a cut outside of any lock
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

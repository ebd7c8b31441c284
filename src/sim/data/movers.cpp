#include "data/movers.h"

#include <holdfast/base/text.h>
#include <holdfast/control/made_for.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/field_text.h>
#include <holdfast/model/time.h>
#include <holdfast/protect/mover.h>
#include <holdfast/protect/mover_object.h>
#include <holdfast/protect/trailer.h>

#include "world/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

namespace holdfast::sim {
namespace {

using model::Array;
using model::Object;
using model::string_at;
using model::Value;
using protect::DataMove;
using protect::Mover;
using protect::MoveReport;
using protect::MoveTask;

constexpr std::string_view kAttemptLabel = "holdfast.dev/attempt";
constexpr std::string_view kExit = "sim.holdfast.dev/exit";
/// So often a bucket that does not answer is asked again: some fifteen minutes, as movers do.
constexpr int kMostTries = 60;

/// A snapshot of the repository.
struct Point {
  std::string id{}, time{}, document{}, data{};
  std::vector<std::string> tags{};
  template <class V>
  void fields(V& v) {
    v.required("time", time, "");
    v.optional("document", document, "");
    v.optional("tags", tags, "");
  }
};

/// 64 hex digits, as the repository's are, fixed by the mover.
std::string point_id(std::string_view mover_uid) {
  std::string out;
  for (int part = 0; part < 4; ++part)
    out += fmt::format("{:016x}", control::name_hash(fmt::format("{} {}", mover_uid, part)));
  return out;
}

bool has_all(const std::vector<std::string>& tags, const std::vector<std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&tags](const std::string& each) {
    return std::find(tags.begin(), tags.end(), each) != tags.end();
  });
}

constexpr std::string_view kNonce = "sim";
constexpr int kLines = 3;

/// What the command in a pod prints, line by line, and its trailer.
std::deque<std::string> printed_in(const std::string& pod) {
  std::deque<std::string> out;
  for (int line = 1; line <= kLines; ++line)
    out.push_back(fmt::format("line {} of pod {}\n", line, pod));
  out.push_back(protect::trailer_line(kNonce, 0, {}));
  return out;
}

/// The stream of a command that says what it has to say at once and ends well.
class Printed final : public kube::ExecSession {
 public:
  Printed(std::deque<std::string> lines, std::optional<uint64_t> cut_after)
      : lines_(std::move(lines)) {
    if (cut_after && *cut_after < lines_.size()) lines_.resize(*cut_after);
    end_.code = 0;  // also where it was cut: as a kube-apiserver does it whose node is lost
  }
  std::optional<Event> next(MonoTime) override {
    if (lines_.empty()) return Event{Event::Kind::End};
    Event out{Event::Kind::Output, std::move(lines_.front())};
    lines_.pop_front();
    return out;
  }
  const kube::ExecEnd& end() const override { return end_; }
  Result<void> write(std::string_view) override { return {}; }
  Result<void> end_input() override { return {}; }
  bool can_end_input() const override { return true; }
  Result<void> resize(int, int) override { return {}; }
  void close() override {}

 private:
  std::deque<std::string> lines_;
  kube::ExecEnd end_{};
};

/// A repository in the bucket.
class Points {
 public:
  Points(blob::Store& bucket, std::string_view repository)
      : bucket_(bucket), root_(fmt::format("{:016x}/", control::name_hash(repository))) {}

  /// Its id; NotFound if there is none.
  Result<std::string> open() { return bucket_.get(root_ + "config"); }
  Result<std::string> init(const std::string& drawn) {
    const Result<void> made = bucket_.put(root_ + "config", drawn, {.exclusive = true});
    if (!made && made.error().fault() != Fault::Conflict) return made.error().copy();
    return open();
  }

  Result<void> put(const Point& point) {
    HF_TRY(bucket_.put(data_name(point.id), point.data));
    HF_TRY(bucket_.put(name(point.id), model::fields_to_json(point)));
    return ok();
  }
  Result<Point> get(const std::string& id) {
    const std::string text = HF_TRY(bucket_.get(name(id)));
    Point out = HF_TRY(model::fields_from_json<Point>(text));
    out.id = id;
    out.data = HF_TRY(bucket_.get(data_name(id)));
    return out;
  }
  /// The newest first.
  Result<std::vector<Point>> all() {
    std::vector<std::string> ids = HF_TRY(listed());
    std::vector<Point> out;
    for (const std::string& id : ids) out.push_back(HF_TRY(get(id)));
    std::sort(out.begin(), out.end(), [](const Point& a, const Point& b) {
      return std::tie(b.time, b.id) < std::tie(a.time, a.id);
    });
    return out;
  }
  Result<std::vector<std::string>> listed() {
    std::vector<std::string> ids;
    HF_TRY(bucket_.list(root_ + "snapshots/", [&ids](const blob::Info& info) {
      ids.push_back(info.name.substr(info.name.rfind('/') + 1));
    }));
    return ids;
  }
  Result<void> remove(const std::string& id) { return bucket_.remove(name(id)); }
  Result<void> forge(const std::string& id) { return bucket_.put(data_name(id), "forged"); }

 private:
  std::string name(const std::string& id) const { return root_ + "snapshots/" + id; }
  std::string data_name(const std::string& id) const { return root_ + "data/" + id; }

  blob::Store& bucket_;
  const std::string root_;
};

/// One attempt, from the task to the report (protect/mover/mover.cpp).
class Attempt {
 public:
  struct Place {
    Server& server;
    History& history;
    Network& network;
    const Clock& clock;
    Volumes& volumes;
    std::map<kube::Key, bool>& whole;  ///< of a move's last attempt: all went through the stream
  };
  Attempt(const MoveTask& task, const Value& pod, blob::Store& bucket, bool taken_up, Place place)
      : task_(task),
        points_(bucket, task.access.repository),
        place_(place),
        id_(point_id(string_at(pod, {"metadata", "uid"}))),
        account_ns_(string_at(pod, {"metadata", "namespace"})),
        account_(string_at(pod, {"spec", "serviceAccountName"})),
        taken_up_(taken_up) {
    for (const Value& each : model::array_at(pod, {"spec", "volumes"}))
      if (string_at(each, {"name"}) == "data")
        claim_ = {account_ns_,
                  std::string(string_at(each, {"persistentVolumeClaim", "claimName"}))};
  }

  Result<void> work() {
    HF_TRY(open());
    if (task_.direction == "Backup") return back_up();
    if (task_.direction == "Forget") return forget();
    return task_.document.empty() ? restore() : restore_documents();
  }

  MoveReport report{};
  /// What failed was no request to the bucket: this pod does not try it again.
  bool gives_up = false;

 private:
  /// What a command prints, of a backup as of a restore, which goes in by the same stream.
  Result<std::string> output() {
    const auto stream = protect::until_trailer(
        std::make_unique<Printed>(printed_in(task_.pod), place_.network.begin_stream()),
        protect::Counted::Nothing, kNonce);
    std::string out;
    int64_t lines = 0;
    for (auto event = stream->next(); event->kind != kube::ExecSession::Event::Kind::End;
         event = stream->next()) {
      lines += std::count(event->data.begin(), event->data.end(), '\n');
      out += event->data;
    }
    gives_up = stream->end().code != 0;
    if (gives_up) return Error(Fault::Unavailable, stream->end().message);
    place_.whole[{task_.ns, task_.name}] = lines == kLines;
    return out;
  }

  Result<void> open() {
    Result<std::string> id = points_.open();
    const bool begins = task_.direction == "Backup" && task_.access.may_init;
    if (!id && id.error().fault() == Fault::NotFound && begins) id = points_.init(id_);
    if (!id && id.error().fault() == Fault::NotFound) report.reason = "RepositoryNotFound";
    if (!id) return id.take_error();
    report.repository_id = *id;
    if (task_.access.repository_id.empty() || task_.access.repository_id == *id) return ok();
    report.reason = "RepositoryChanged";
    return Error(Fault::Invalid, "another repository is there");
  }

  Result<Mover::Spec> asked() const {
    const ObjectPtr mover = place_.history.get("movers", task_.mover_ns, task_.mover);
    if (mover == nullptr) return Error(Fault::NotFound, "the Mover is gone");
    return HF_TRY(model::decode_object<Mover>(*mover)).spec;
  }

  Result<std::string> source(const Mover::Spec& asked) {
    if (!task_.pod.empty()) return output();
    if (task_.document.empty()) return place_.volumes.read(claim_);
    return asked.document ? asked.document->content.value_or("") : "";
  }

  /// What the others have told of is there, a volume's, and as large.
  Result<void> expect(const Mover::Spec& asked) {
    for (const protect::DataMove::Expected& each : asked.expects) {
      const Result<Point> point = points_.get(each.snapshot_id);
      if (!point && point.error().transient()) return point.error().copy();
      report.reason = point ? "SnapshotDiffers" : "SnapshotMissing";
      if (!point || !has_all(point->tags, each.tags) || !point->document.empty() ||
          int64_t(point->data.size()) != each.bytes)
        return Error(Fault::Invalid, "snapshot " + each.snapshot_id + " is not what was told");
      report.reason.clear();
    }
    return ok();
  }

  /// Of an earlier attempt that could not tell of it.
  Result<std::optional<Point>> finished_before() {
    if (task_.earlier_movers.empty()) return std::optional<Point>();
    for (Point& each : HF_TRY(points_.all()))
      if (has_all(each.tags, task_.own_tags)) return std::optional(std::move(each));
    return std::optional<Point>();
  }

  Result<void> back_up() {
    Mover::Spec wanted;
    if (!task_.document.empty()) wanted = HF_TRY(asked());
    HF_TRY(expect(wanted));
    std::optional<Point> point = HF_TRY(finished_before());
    if (!point) {
      point = Point{id_, model::to_rfc3339_micro(place_.clock.now()), task_.document,
                    HF_TRY(source(wanted)), task_.tags};
      HF_TRY(points_.put(*point));
    }
    const Point stored = HF_TRY(points_.get(point->id));
    if (stored.data != point->data) return Error(Fault::Corrupt, "it does not read back");
    report.snapshot_id = point->id;
    report.files = 1;
    report.bytes_done = report.bytes_uploaded = int64_t(stored.data.size());
    report.verified = task_.document.empty() ? "Structure" : "Content";
    return task_.document.empty() && is_forged() ? points_.forge(point->id) : ok();
  }

  bool is_forged() const {
    const ObjectPtr mover = place_.history.get("movers", task_.mover_ns, task_.mover);
    if (mover == nullptr) return false;
    const ObjectPtr location = place_.history.get("backuplocations", task_.mover_ns,
                                                  string_at(*mover, {"spec", "location"}));
    return location != nullptr &&
           !string_at(*location, {"metadata", "annotations", kForges}).empty();
  }

  Result<void> restore() {
    if (task_.earlier_movers.empty() && !taken_up_ && !place_.volumes.on(claim_).empty()) {
      report.reason = "VolumeNotEmpty";
      return Error(Fault::Invalid, "the volume holds data already");
    }
    if (!task_.pod.empty()) return restore_in_pod();
    // Who dies now leaves it so.
    place_.volumes.write(claim_, "a part of " + task_.snapshot);
    const Point point = HF_TRY(chosen());
    report.snapshot_id = point.id;
    report.verified = "Content";
    place_.volumes.write(claim_, point.data);
    return ok();
  }

  Result<void> restore_in_pod() {
    const Point point = HF_TRY(chosen());
    HF_TRY(output());
    report.snapshot_id = point.id;
    report.verified = "Stream";
    return ok();
  }

  Result<Point> chosen() {
    if (task_.snapshot != "latest") return points_.get(task_.snapshot);
    std::vector<Point> all = HF_TRY(points_.all());
    if (all.empty()) return Error(Fault::NotFound, "the repository has no snapshot");
    return std::move(all.front());
  }

  Result<void> restore_documents() {
    std::vector<Point> found;
    if (!task_.find) found.push_back(HF_TRY(points_.get(task_.snapshot)));
    if (task_.find) found = HF_TRY(points_.all());
    if (task_.find) {
      const auto before = model::parse_rfc3339(task_.find->before);
      std::erase_if(found, [&](const Point& each) {
        return !has_all(each.tags, task_.find->tags) ||
               (before && model::parse_rfc3339(each.time) > before);
      });
    }
    Array documents;
    for (const Point& each : found)
      if (each.document == task_.document &&
          (!task_.find || documents.size() < size_t(task_.find->limit)))
        documents.push_back(
            Object{{"snapshotID", each.id}, {"time", each.time}, {"content", each.data}});
    report.count = int64_t(documents.size());
    if (!task_.find) report.snapshot_id = task_.snapshot;
    report.verified = "Content";
    return tell(Object{{"documents", std::move(documents)}});
  }

  Result<void> forget() {
    std::vector<std::string> named = task_.snapshots;
    if (task_.all_tagged)
      for (const Point& each : HF_TRY(points_.all()))
        if (has_all(each.tags, task_.tags)) named.push_back(each.id);
    const std::vector<std::string> there = HF_TRY(points_.listed());
    Array forgotten;
    for (const std::string& id : named) {
      forgotten.emplace_back(id);
      if (std::find(there.begin(), there.end(), id) == there.end()) continue;
      const Point point = HF_TRY(points_.get(id));
      const auto time = model::parse_rfc3339(point.time).value_or(WallTime());
      if (!has_all(point.tags, task_.tags))
        report.reason = "TagMissing";
      else if (place_.clock.now() - time < std::chrono::seconds(task_.access.keep_seconds))
        report.reason = "MinimumRetention";
      if (!report.reason.empty())
        return Error(Fault::Invalid, fmt::format("snapshot {} may not go", id));
    }
    for (const std::string& id : named) HF_TRY(points_.remove(id));
    report.count = int64_t(forgotten.size());
    report.verified = "Listing";
    return tell(Object{{"forgotten", std::move(forgotten)}});
  }

  Result<void> tell(Object status) {
    status["pod"] = task_.pod_name;
    const Caller self{fmt::format("system:serviceaccount:{}:{}", account_ns_, account_),
                      {"system:serviceaccounts", "system:serviceaccounts:" + account_ns_,
                       "system:authenticated"}};
    const auto told = place_.server.ask(
        self, "PATCH", kube::resource_of<Mover>().path(task_.mover_ns, task_.mover, "status"),
        Object{{"status", std::move(status)}}, "application/merge-patch+json");
    place_.history.catch_up();
    if (!told) return told.error().copy();
    return ok();
  }

  const MoveTask& task_;
  Points points_;
  const Place place_;
  const std::string id_, account_ns_, account_;
  const bool taken_up_;  ///< by this very pod
  kube::Key claim_{};    ///< that it mounts
};

class Movers final : public DriverPart {
 public:
  Movers(Server& server, History& history, Network& network, const Clock& clock, Volumes& volumes)
      : place_{server, history, network, clock, volumes, whole_} {}

  std::optional<PodFate> fate(const Value& pod) override {
    const std::string_view move = string_at(pod, {"metadata", "labels", kMoveLabel});
    if (move.empty()) return std::nullopt;
    PodFate out;
    out.volumes = true;
    const std::string code = exit_code(pod, move);
    out.works = code == "0";
    if (out.works || code.empty()) return out;
    out.exits = code;
    out.message = protect::to_text(MoveReport{
        .bytes_done = 1, .reason = "Unavailable", .message = "no answer", .again = true});
    return out;
  }

  PodExit work(const Value& pod, blob::Store& bucket) override {
    const Result<MoveTask> task = task_of(pod);
    if (!task) return {1, task.error().what()};
    int& tries = tries_[std::string(string_at(pod, {"metadata", "uid"}))];
    Attempt attempt(*task, pod, bucket, tries > 0, place_);
    const Result<void> done = attempt.work();
    const bool transient = !done && done.error().transient();
    if (transient && !attempt.gives_up && ++tries < kMostTries) return {.again = true};
    if (!done) {
      if (attempt.report.reason.empty())
        attempt.report.reason = transient ? "Unavailable" : "NotFound";
      attempt.report.message = done.error().what();
      attempt.report.again = transient;
    }
    return {done ? 0 : 1, protect::to_text(attempt.report)};
  }

  std::optional<Violation> judge(const Commit& commit) override {
    const Value& move = *commit.object;
    const auto found = whole_.find(commit.key);
    if (found == whole_.end() || found->second ||
        string_at(move, {"kind"}) != DataMove::kKind.kind ||
        string_at(move, {"status", "phase"}) != "Completed")
      return std::nullopt;
    return Violation{"whole",
                     fmt::format("{} is Completed, and its stream with pod {} was cut",
                                 commit.key.text(), string_at(move, {"spec", "pod", "name"}))};
  }

 private:
  static Result<MoveTask> task_of(const Value& pod) {
    for (const Value& container : model::array_at(pod, {"spec", "containers"}))
      for (const Value& each : model::array_at(container, {"env"}))
        if (string_at(each, {"name"}) == "HOLDFAST_MOVE")
          return protect::parse_move_task(string_at(each, {"value"}));
    return Error(Fault::Invalid, "the mover was told nothing");
  }

  /// Of its attempt.
  std::string exit_code(const Value& pod, std::string_view move) const {
    for (const auto& [key, each] : place_.history.now("datamoves")) {
      if (string_at(*each, {"metadata", "uid"}) != move ||
          model::find(*each, {"metadata", "annotations", kExit}) == nullptr)
        continue;
      const auto codes = split(string_at(*each, {"metadata", "annotations", kExit}), ',');
      const int attempt = number_in(string_at(pod, {"metadata", "labels", kAttemptLabel}));
      return std::string(codes[std::min(size_t(std::max(attempt, 1)), codes.size()) - 1]);
    }
    return "0";
  }

  std::map<kube::Key, bool> whole_;
  const Attempt::Place place_;
  std::map<std::string, int> tries_;  ///< that ended without an answer, by the pod's uid
};

}  // namespace

std::string saved_data(blob::Store& bucket, const std::string& snapshot_id) {
  std::string found;
  const std::string ending = "/data/" + snapshot_id;
  static_cast<void>(bucket.list("", [&](const blob::Info& each) {
    if (each.name.ends_with(ending)) found = each.name;
  }));
  return found.empty() ? "" : bucket.get(found).take();
}

std::unique_ptr<DriverPart> make_movers(Server& server, History& history, Network& network,
                                        const Clock& clock, Volumes& volumes) {
  return std::make_unique<Movers>(server, history, network, clock, volumes);
}

}  // namespace holdfast::sim

#include "oracles/judge.h"

#include <holdfast/base/text.h>
#include <holdfast/control/operation.h>

#include <fmt/format.h>

#include <charconv>

namespace holdfast::sim {
namespace {

using model::string_at;

// A back-off of 5 ms doubling gives about fifteen tries in the first minute; a roll of ten pods
// writes its status some dozen times.
constexpr size_t kWritesPerMinute = 120;
constexpr MonoTime kMinute = std::chrono::minutes(1);

template <class Number>
Number number(std::string_view text) {
  Number value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// "/apis/batch/v1/namespaces/default/jobs/x/status" → "jobs.batch"; what a basis calls it.
std::string resource_in(std::string_view target) {
  target = target.substr(0, target.find('?'));
  std::vector<std::string_view> parts = split(target.substr(1), '/');
  const bool core = parts[0] == "api";
  size_t at = core ? 2 : 3;
  if (parts.size() > at + 2 && parts[at] == "namespaces") at += 2;
  if (parts.size() <= at) return "";
  return core ? std::string(parts[at]) : fmt::format("{}.{}", parts[at], parts[1]);
}

std::string path_of(std::string_view target) {
  return std::string(target.substr(0, target.find('?')));
}

bool is_status(const model::Value& answer) { return string_at(answer, {"kind"}) == "Status"; }

std::string_view uid_of(const model::Value& answer) {
  return is_status(answer) ? string_at(answer, {"details", "uid"})
                           : string_at(answer, {"metadata", "uid"});
}

}  // namespace

void Judge::report(std::string oracle, std::string text) {
  violations_.push_back({std::move(oracle), std::move(text)});
}

Judge::Pass Judge::read(const std::string& header) {
  Pass pass;
  for (const std::string_view part : split(header, ';')) {
    const std::string_view field = trim(part);
    const size_t equal = field.find('=');
    if (equal == std::string_view::npos) continue;
    const std::string_view name = field.substr(0, equal), value = field.substr(equal + 1);
    if (name == "controller") pass.controller = value;
    if (name == "key") pass.key = value;
    if (name == "uid") pass.uid = value;
    if (name == "epoch") pass.epoch = number<int64_t>(value);
    if (name != "basis") continue;
    for (const std::string_view each : split(value, ',')) {
      const size_t colon = each.rfind(':');
      if (colon == std::string_view::npos) continue;
      pass.basis[std::string(each.substr(0, colon))] = number<uint64_t>(each.substr(colon + 1));
    }
  }
  return pass;
}

void Judge::observe(const Exchange& exchange) {
  if (exchange.method == "GET") return;
  check_rate(exchange);
  if (exchange.pass.empty()) return;
  const Pass pass = read(exchange.pass);
  check_basis(exchange, pass);
  if (exchange.write == 0) return;
  check_epoch(exchange, pass);
  Result<model::Parsed> answer = model::parse_json(exchange.body);
  if (!answer) return;
  check_uid(exchange, pass, answer->value);
  if (exchange.replied) remember(exchange, pass, answer->value);
}

namespace {

std::string who(const Exchange& exchange, const std::string& controller, const std::string& key) {
  return fmt::format("{}/{} {} {}", exchange.slot, exchange.incarnation, controller, key);
}

}  // namespace

void Judge::check_basis(const Exchange& exchange, const Pass& pass) {
  const auto known = acknowledged_.find(who(exchange, pass.controller, pass.key));
  if (known == acknowledged_.end()) return;
  for (const auto& [resource, version] : pass.basis) {
    const auto own = known->second.find(resource);
    if (own != known->second.end() && version < own->second)
      report(
          "stale-basis",
          fmt::format("{} of {} {}: decided on {} at version {}, but its own write at {} had "
                      "been acknowledged",
                      exchange.method, pass.controller, pass.key, resource, version, own->second));
  }
}

void Judge::check_uid(const Exchange& exchange, const Pass& pass, const model::Value& answer) {
  const std::string_view landed = uid_of(answer);
  if (pass.uid.empty() || landed.empty() || landed == pass.uid) return;
  report("other-uid",
         fmt::format("{} {} by {} was decided on uid {} and changed uid {}", exchange.method,
                     exchange.target, pass.controller, pass.uid, landed));
}

void Judge::check_epoch(const Exchange& exchange, const Pass& pass) {
  if (pass.epoch < newest_epoch_)
    report(
        "old-epoch",
        fmt::format("{} {} by {} of epoch {} was committed after the first write of epoch {}",
                    exchange.method, exchange.target, pass.controller, pass.epoch, newest_epoch_));
  newest_epoch_ = std::max(newest_epoch_, pass.epoch);
}

void Judge::check_rate(const Exchange& exchange) {
  if (exchange.method == "POST") return;  // the name is in the body; counts catch those
  std::string path = path_of(exchange.target);
  if (path.find("/leases/") != std::string::npos) return;
  std::deque<MonoTime>& times = rates_[path];
  times.push_back(exchange.at);
  while (times.front() + kMinute < exchange.at) times.pop_front();
  if (times.size() > kWritesPerMinute && hot_.insert(path).second)
    report("hot-loop", fmt::format("{} writes within a minute to {}", times.size(), path));
}

// Of an object that went at once the answer says no version: the history does.
uint64_t Judge::version_of(const model::Value& answer) const {
  if (!is_status(answer))
    return number<uint64_t>(string_at(answer, {"metadata", "resourceVersion"}));
  const std::string_view uid = uid_of(answer);
  const auto& commits = history_.commits();
  for (size_t i = commits.size(); i > 0 && i + 20 > commits.size(); --i)
    if (commits[i - 1].uid == uid && commits[i - 1].kind == Commit::Kind::Deleted)
      return commits[i - 1].version;
  return 0;
}

void Judge::remember(const Exchange& exchange, const Pass& pass, const model::Value& answer) {
  uint64_t& newest =
      acknowledged_[who(exchange, pass.controller, pass.key)][resource_in(exchange.target)];
  newest = std::max(newest, version_of(answer));
}

void Judge::witness(const kube::Key& ledger, const std::string& uid, const std::string& operation,
                    int64_t attempt) {
  const ObjectPtr object = history_.get("ledgers", ledger.ns, ledger.name);
  const bool same = object != nullptr && string_at(*object, {"metadata", "uid"}) == uid;
  const auto record = same ? control::find_operation(*object, operation) : std::nullopt;
  if (record && record->attempt == attempt && record->begun_and_unknown()) return;
  report("effect-unrecorded", fmt::format("attempt {} of {} of {} began without a record of it",
                                          attempt, operation, ledger.text()));
}

}  // namespace holdfast::sim

#include "runtime/parts.h"

#include <holdfast/base/log.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::control {
namespace {

std::string_view reason_of(const Unheard& unheard) {
  switch (unheard.trouble.code) {
    case 0:
      return unheard.trouble.text.empty() ? "CachesFilling" : "ServerAway";
    case 401:
    case 403:
      return "Forbidden";
    case 404:
      return "KindNotServed";
    default:
      return "ServerAway";
  }
}

std::string text_of(const Unheard& unheard) {
  if (!unheard.trouble.text.empty()) return unheard.trouble.text;
  return fmt::format("the first list of {} is not complete", unheard.scope.text());
}

}  // namespace

Part part_of(std::string name, bool leads, const std::vector<Unheard>& unheard) {
  // What a person has to mend is told before what mends itself.
  for (const std::string_view reason :
       {"KindNotServed", "Forbidden", "ServerAway", "CachesFilling"})
    for (const Unheard& each : unheard)
      if (reason_of(each) == reason)
        return {std::move(name), false, std::string(reason), text_of(each)};
  if (!leads) return {std::move(name), false, "NotLeading", "another instance leads"};
  return {std::move(name), true, "Running", "all its controllers run"};
}

std::string PartsWatch::served_instead(std::string_view group, std::string_view version) const {
  const kube::Reply<model::Value> answer =
      client_.raw("GET", fmt::format("/apis/{}", group), nullptr);
  if (!answer) return {};
  std::string served;
  for (const model::Value& each : model::array_at(*answer, {"versions"})) {
    const std::string_view found = model::string_at(each, {"version"});
    if (found == version) return {};
    served += fmt::format("{}{}", served.empty() ? "" : ", ", found);
  }
  if (served.empty()) return {};
  return fmt::format("; the server has {} as {}, this build needs {}", group, served, version);
}

void PartsWatch::tell(const Part* before, Part& now) const {
  metrics_.count("holdfast_driver_running", "1 while all controllers of a driver run.",
                 {{"driver", now.name}}, now.running ? 1 : 0);
  const bool same = before != nullptr && before->reason == now.reason;
  if (same) {
    now.message = before->message;
    return;
  }
  if (now.reason == "Running") return log::info(fmt::format("driver {}: running", now.name));
  if (now.reason == "NotLeading" || now.reason == "CachesFilling")
    return log::debug(fmt::format("driver {}: {}", now.name, now.message));
  log::warn(fmt::format("driver {} waits: {}: {}", now.name, now.reason, now.message));
}

void PartsWatch::look(bool leads) {
  std::vector<std::string> names;
  for (const auto& each : controllers_)
    if (!each->part().empty() && std::find(names.begin(), names.end(), each->part()) == names.end())
      names.push_back(each->part());
  const std::vector<Part> before = parts();
  std::vector<Part> now;
  for (const std::string& name : names) {
    std::vector<Unheard> unheard;
    for (const auto& each : controllers_)
      if (each->part() == name)
        for (Unheard& one : each->unheard()) unheard.push_back(std::move(one));
    now.push_back(part_of(name, leads, unheard));
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const Part& each) { return each.name == name; });
    const bool news = old == before.end() || old->reason != now.back().reason;
    if (news && now.back().reason == "KindNotServed")
      for (const Unheard& each : unheard)
        if (each.trouble.code == 404 && text_of(each) == now.back().message)
          now.back().message +=
              served_instead(each.scope.resource.group, each.scope.resource.version);
    tell(old == before.end() ? nullptr : &*old, now.back());
  }
  const Lock lock(mutex_);
  parts_ = std::move(now);
}

std::vector<Part> PartsWatch::parts() const {
  const Lock lock(mutex_);
  return parts_;
}

}  // namespace holdfast::control

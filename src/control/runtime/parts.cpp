#include "runtime/parts.h"

#include <holdfast/base/log.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::control {
namespace {

/// Looks come once a second.
constexpr int kLooksBetweenQuestions = 30;

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

std::string_view way_out(std::string_view reason) {
  if (reason == "KindNotServed") return "; to mend it: holdfast crds | kubectl apply -f -";
  if (reason == "Forbidden") return "; to mend it: holdfast rbac | kubectl apply -f -";
  return "";
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

/// "" if nothing else is; nothing if the server cannot be asked.
std::optional<std::string> PartsWatch::served_instead(const kube::Resource& wanted) const {
  const kube::Reply<model::Value> answer =
      client_.raw("GET", fmt::format("/apis/{}", wanted.group), nullptr);
  if (!answer) return answer.error().not_found() ? std::optional("") : std::nullopt;
  std::string served;
  for (const model::Value& each : model::array_at(*answer, {"versions"})) {
    const std::string_view found = model::string_at(each, {"version"});
    if (found == wanted.version) return "";
    served += fmt::format("{}{}", served.empty() ? "" : ", ", found);
  }
  if (served.empty()) return "";
  return fmt::format("; the server has {} as {}, this build needs {}", wanted.group, served,
                     wanted.version);
}

void PartsWatch::log(const Told* before, const Told& told) const {
  const Part& now = told.part;
  const bool turned = before == nullptr || before->part.reason != now.reason;
  const bool news = turned || before->part.message != now.message;
  if (turned && now.running) return log::info(fmt::format("driver {}: running", now.name));
  // A person mends these, and wants to see what is left; the words of others change by themselves.
  const bool to_mend = now.reason == "KindNotServed" || now.reason == "Forbidden";
  if (to_mend ? news : turned && now.reason == "ServerAway")
    return log::warn(fmt::format("driver {} waits: {}: {}{}", now.name, now.reason, now.message,
                                 way_out(now.reason)));
  if (turned) log::debug(fmt::format("driver {}: {}", now.name, now.message));
}

PartsWatch::Told PartsWatch::look_at(const std::string& name, bool leads,
                                     const Told* before) const {
  std::vector<Unheard> unheard;
  for (const auto& each : controllers_)
    if (each->part() == name)
      for (Unheard& one : each->unheard()) unheard.push_back(std::move(one));
  Told now{{}, part_of(name, leads, unheard)};
  now.cause = now.part.message;
  const bool same =
      before != nullptr && before->part.reason == now.part.reason && before->cause == now.cause;
  if (same) now.part.message = before->part.message;
  if (now.part.reason != "KindNotServed" || (same && looks_ % kLooksBetweenQuestions != 0))
    return now;
  for (const Unheard& each : unheard)
    if (each.trouble.code == 404 && text_of(each) == now.cause) {
      if (const auto instead = served_instead(each.scope.resource))
        now.part.message = now.cause + *instead;
      break;
    }
  return now;
}

void PartsWatch::look(bool leads) {
  std::vector<std::string> names;
  for (const auto& each : controllers_)
    if (!each->part().empty() && std::find(names.begin(), names.end(), each->part()) == names.end())
      names.push_back(each->part());
  ++looks_;
  std::vector<Told> now;
  std::vector<Part> parts;
  for (const std::string& name : names) {
    const auto old = std::find_if(told_.begin(), told_.end(),
                                  [&](const Told& each) { return each.part.name == name; });
    const Told* before = old == told_.end() ? nullptr : &*old;
    now.push_back(look_at(name, leads, before));
    parts.push_back(now.back().part);
    metrics_.count("holdfast_driver_running", "1 while all controllers of a driver run.",
                   {{"driver", name}}, parts.back().running ? 1 : 0);
    log(before, now.back());
  }
  told_ = std::move(now);
  const Lock lock(mutex_);
  parts_ = std::move(parts);
}

std::vector<Part> PartsWatch::parts() const {
  const Lock lock(mutex_);
  return parts_;
}

}  // namespace holdfast::control

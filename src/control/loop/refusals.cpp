#include "loop/refusals.h"

#include <holdfast/model/time.h>

#include <chrono>

namespace holdfast::control {

namespace {

using model::Object;
using model::string_at;
using model::Value;

constexpr MonoTime kGrace = std::chrono::seconds(1);
/// Servers quote what they refuse, and that may be long.
constexpr size_t kLongest = 1000;

/// No longer than that, and no character cut in two.
std::string shortened(std::string text) {
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  return text + "…";
}

const Value* find_condition(const Value& object, std::string_view type) {
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    if (string_at(each, {"type"}) == type) return &each;
  return nullptr;
}

model::Array others(const Value& object, std::string_view type) {
  model::Array out;
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    if (string_at(each, {"type"}) != type) out.push_back(each);
  return out;
}

Write conditions_of(const kube::Resource& resource, const kube::Cached& object,
                    model::Array conditions) {
  return patch(resource, object, Object{{"status", Object{{"conditions", std::move(conditions)}}}},
               Decides::Yes, "status");
}

}  // namespace

void Refusals::refused(const kube::Key& key, Refused how, MonoTime now) {
  if (condition_.empty()) return;
  how.message = shortened(std::move(how.message));
  const Lock lock(mutex_);
  const auto [at, is_new] = known_.try_emplace(key, Known{{}, now});
  at->second.how = std::move(how);
}

void Refusals::accepted(const kube::Key& key, std::string_view what) {
  const Lock lock(mutex_);
  const auto found = known_.find(key);
  if (found == known_.end()) return;
  if (found->second.how.what.empty() || found->second.how.what == what) known_.erase(found);
}

void Refusals::rested(const kube::Key& key) {
  const Lock lock(mutex_);
  known_.erase(key);
}

std::optional<Write> Refusals::tell(const kube::Key& key, const kube::Cached& object, WallTime now,
                                    MonoTime mono) const {
  Refused how;
  {
    const Lock lock(mutex_);
    const auto found = known_.find(key);
    if (!object || found == known_.end() || mono - found->second.since < kGrace) return {};
    how = found->second.how;
  }
  const std::shared_ptr<const Value> seen = object.shared_value();
  const Value* told = find_condition(*seen, condition_);
  const bool stands = told != nullptr && string_at(*told, {"status"}) == "True";
  if (stands && string_at(*told, {"reason"}) == how.reason &&
      string_at(*told, {"message"}) == how.message)
    return {};
  const std::string since =
      stands ? std::string(string_at(*told, {"lastTransitionTime"})) : model::to_rfc3339(now);
  model::Array conditions = others(*seen, condition_);
  conditions.push_back(Object{{"type", condition_},
                              {"status", "True"},
                              {"reason", how.reason},
                              {"message", how.message},
                              {"lastTransitionTime", since},
                              {"observedGeneration", object.meta().generation}});
  return conditions_of(resource_, object, std::move(conditions));
}

std::optional<Write> Refusals::take_back(const kube::Cached& object) const {
  // Most objects are well, and not worth a parse.
  if (condition_.empty() || !object || object.text().find(condition_) == std::string_view::npos)
    return {};
  const std::shared_ptr<const Value> seen = object.shared_value();
  if (find_condition(*seen, condition_) == nullptr) return {};
  return conditions_of(resource_, object, others(*seen, condition_));
}

}  // namespace holdfast::control

#include "server/shares.h"

#include <algorithm>

namespace holdfast::net {

Shares::Limits Shares::of(size_t all) {
  const size_t strangers = std::max<size_t>(all / 4, 1);
  const size_t users = std::max<size_t>(all - strangers, 1);
  return {.strangers = strangers, .users = users, .user = std::max<size_t>(users / 2, 1)};
}

std::optional<Shares::Id> Shares::oldest(const Ids& ids, const Waits& waits) {
  const auto at = std::find_if(ids.begin(), ids.end(), waits);
  return at == ids.end() ? std::nullopt : std::optional(*at);
}

Shares::Ids* Shares::largest() {
  const auto at = std::max_element(
      users_.begin(), users_.end(),
      [](const auto& one, const auto& other) { return one.second.size() < other.second.size(); });
  return at == users_.end() ? nullptr : &at->second;
}

Shares::Verdict Shares::enter(Id id, const Waits& waits) {
  Verdict verdict;
  if (strangers_.size() >= limits_.strangers) {
    verdict.goes = oldest(strangers_, waits);
    if (!verdict.goes) return {.stays = false};
    leave(*verdict.goes);
  }
  places_[id] = {.at = strangers_.insert(strangers_.end(), id)};
  return verdict;
}

Shares::Verdict Shares::prove(Id id, const std::string& user, const Waits& waits) {
  const auto place = places_.find(id);
  if (place == places_.end() || place->second.user != nullptr) return {};
  Verdict verdict;
  const size_t own = of_user(user);
  const bool all_full = of_users_ >= limits_.users;
  if (own >= limits_.user || all_full) {
    Ids* const most = largest();
    // Only who has more than the newcomer would have gives way to it, and then in any case.
    const bool others = own < limits_.user && most->size() > own + 1;
    const Ids& from = others || own == 0 ? *most : users_.find(user)->second;
    verdict.goes = oldest(from, waits);
    if (!verdict.goes && others) verdict.goes = from.front();
    if (!verdict.goes) return {.stays = false};
    leave(*verdict.goes);
  }
  strangers_.erase(place->second.at);
  const auto [entry, fresh] = users_.try_emplace(user);
  place->second = {.at = entry->second.insert(entry->second.end(), id), .user = &entry->first};
  ++of_users_;
  return verdict;
}

void Shares::leave(Id id) {
  const auto place = places_.find(id);
  if (place == places_.end()) return;
  if (place->second.user == nullptr) {
    strangers_.erase(place->second.at);
  } else {
    const auto user = users_.find(*place->second.user);
    user->second.erase(place->second.at);
    if (user->second.empty()) users_.erase(user);
    --of_users_;
  }
  places_.erase(place);
}

size_t Shares::of_user(const std::string& user) const {
  const auto at = users_.find(user);
  return at == users_.end() ? 0 : at->second.size();
}

}  // namespace holdfast::net

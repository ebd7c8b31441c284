#include "structural/props.h"

#include <algorithm>

namespace holdfast::model::structural {

const Value* Props::get(std::string_view name) const {
  if (!node_) return nullptr;
  const Value* found = node_->if_contains(name);
  return found && !found->is_null() ? found : nullptr;
}

std::string Props::text(std::string_view name) const {
  const Value* found = get(name);
  return found && found->is_string() ? std::string(view(found->get_string())) : std::string();
}

bool Props::flag(std::string_view name) const {
  const Value* found = get(name);
  return found && found->is_bool() && found->get_bool();
}

std::optional<double> Props::number(std::string_view name) const {
  const Value* found = get(name);
  if (!found || !found->is_number()) return {};
  if (found->is_double()) return found->get_double();
  return found->is_int64() ? double(found->get_int64()) : double(found->get_uint64());
}

std::optional<int64_t> Props::integer(std::string_view name) const {
  const Value* found = get(name);
  if (!found || !found->is_int64()) return {};
  return found->get_int64();
}

std::vector<std::string> Props::strings(std::string_view name) const {
  std::vector<std::string> out;
  const Value* found = get(name);
  if (!found || !found->is_array()) return out;
  for (const Value& item : found->get_array())
    if (item.is_string()) out.emplace_back(view(item.get_string()));
  return out;
}

std::vector<Props> Props::list(std::string_view name) const {
  std::vector<Props> out;
  const Value* found = get(name);
  if (!found || !found->is_array()) return out;
  for (const Value& item : found->get_array())
    if (item.is_object()) out.emplace_back(item);
  return out;
}

std::vector<std::pair<std::string, Props>> Props::members(std::string_view name) const {
  std::vector<std::pair<std::string, Props>> out;
  const Value* found = get(name);
  if (!found || !found->is_object()) return out;
  for (const auto& member : found->get_object())
    out.emplace_back(std::string(member.key()), Props(member.value()));
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

std::optional<Props> Props::child(std::string_view name) const {
  const Value* found = get(name);
  if (!found || !found->is_object()) return {};
  return Props(*found);
}

}  // namespace holdfast::model::structural

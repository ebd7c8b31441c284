#include "kinds/place.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace holdfast::apiserver {

namespace {

const model::Value kAbsent;

std::vector<std::string> strings(std::initializer_list<std::string_view> texts) {
  return {texts.begin(), texts.end()};
}

bool is_zero(const model::Value& value) {
  if (const auto* text = value.if_string()) return text->empty();
  if (const auto* number = value.if_int64()) return *number == 0;
  if (const auto* list = value.if_array()) return list->empty();
  if (const auto* object = value.if_object()) return object->empty();
  return value.is_null();
}

}  // namespace

Place Place::operator[](std::string_view member) const {
  const model::Object* object = value_ == nullptr ? nullptr : value_->if_object();
  return {object == nullptr ? nullptr : object->if_contains(member), model::child(path_, member),
          *errors_};
}

Place Place::item(size_t index) const {
  return {&items()[index], model::at(path_, index), *errors_};
}

Place Place::entry(std::string_view name) const {
  return {members().if_contains(name), model::key(path_, name), *errors_};
}

bool Place::empty() const { return value_ == nullptr || is_zero(*value_); }
const model::Value& Place::value() const { return value_ == nullptr ? kAbsent : *value_; }
std::string_view Place::text() const { return model::string_at(value(), {}); }
int64_t Place::number(int64_t otherwise) const { return model::int_at(value(), {}, otherwise); }
bool Place::flag(bool otherwise) const { return model::bool_at(value(), {}, otherwise); }
const model::Array& Place::items() const { return model::array_at(value(), {}); }
const model::Object& Place::members() const { return model::object_at(value(), {}); }

void Place::required(std::string detail) const {
  errors_->push_back(model::required_field(path_, std::move(detail)));
}
void Place::invalid(std::string detail) const {
  errors_->push_back(model::invalid_field(path_, value(), std::move(detail)));
}
void Place::invalid(model::Value shown, std::string detail) const {
  errors_->push_back(model::invalid_field(path_, std::move(shown), std::move(detail)));
}
void Place::invalid_unshown(std::string detail) const {
  model::FieldError error = model::invalid_field(path_, nullptr, std::move(detail));
  error.omit_value = true;
  errors_->push_back(std::move(error));
}
void Place::forbidden(std::string detail) const {
  errors_->push_back(model::forbidden_field(path_, std::move(detail)));
}
void Place::duplicate() const { duplicate(value()); }
void Place::duplicate(model::Value shown) const {
  errors_->push_back(model::duplicate_field(path_, std::move(shown)));
}
void Place::not_found() const { errors_->push_back(model::not_found_field(path_, value())); }
void Place::unsupported(std::initializer_list<std::string_view> valid) const {
  unsupported(present() ? value() : model::Value(""), valid);
}
void Place::unsupported(model::Value shown, std::initializer_list<std::string_view> valid) const {
  errors_->push_back(model::unsupported_field(path_, std::move(shown), strings(valid)));
}
void Place::too_long(int64_t max_bytes) const {
  errors_->push_back(model::too_long_field(path_, max_bytes));
}
void Place::too_many(int64_t actual, int64_t max) const {
  errors_->push_back(model::too_many_field(path_, actual, max));
}

bool Place::need(std::string detail) const {
  if (!empty()) return true;
  required(std::move(detail));
  return false;
}

void Place::one_of(std::initializer_list<std::string_view> valid) const {
  if (std::find(valid.begin(), valid.end(), text()) == valid.end()) unsupported(valid);
}
void Place::one_of_if_present(std::initializer_list<std::string_view> valid) const {
  if (present()) one_of(valid);
}
void Place::need_one_of(std::initializer_list<std::string_view> valid) const {
  if (need()) one_of(valid);
}

void Place::accept(const model::Complaints& complaints) const {
  for (const std::string& complaint : complaints)
    invalid(present() ? value() : model::Value(""), complaint);
}

void Place::non_negative() const {
  if (number() < 0) invalid("must be greater than or equal to 0");
}
void Place::positive() const {
  if (number() <= 0) invalid(model::Value(number()), "must be greater than zero");
}
void Place::between(int64_t low, int64_t high) const {
  if (present() && (number() < low || number() > high))
    invalid(fmt::format("must be between {} and {}, inclusive", low, high));
}

void immutable(const Place& now, const model::Value& before) {
  if (!model::equal(now.value(), before)) now.invalid("field is immutable");
}

model::Value go_form(const model::Value& value, std::initializer_list<std::string_view> go_names) {
  model::Object out;
  for (std::string_view go_name : go_names) {
    std::string name(go_name);
    name[0] = static_cast<char>(name[0] | 0x20);
    const model::Value* member = model::find(value, {name});
    out.emplace(go_name, member == nullptr ? model::Value(nullptr) : *member);
  }
  return out;
}

void default_member(model::Value& object, std::string_view name, model::Value value) {
  model::Object& members = object.get_object();
  auto [found, inserted] = members.emplace(name, nullptr);
  if (!inserted && !found->value().is_null() &&
      !(found->value().is_string() && found->value().get_string().empty()))
    return;
  found->value() = std::move(value);
}

void sort_members(model::Value& object) {
  model::Object& members = object.get_object();
  std::vector<std::string> names;
  for (const auto& member : members) names.emplace_back(member.key());
  std::sort(names.begin(), names.end());
  model::Object sorted;
  for (const std::string& name : names) sorted.emplace(name, std::move(members[name]));
  members = std::move(sorted);
}

model::Value& object_member(model::Value& object, std::string_view name) {
  model::Value& member = object.get_object()[name];
  if (!member.is_object()) member = model::Object();
  return member;
}

}  // namespace holdfast::apiserver

/// A place in an object under validation: its value, its path in the words of an error, and where
/// errors go.
///
/// Rules walk an object with it: `spec["replicas"].non_negative()`. A step to a member that is not
/// there gives a place that is absent; asking it anything is safe. A place borrows the object and
/// the error list and lives no longer than they do.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/names.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::apiserver {

class Place {
 public:
  Place(const model::Value& root, model::FieldErrors& errors) : value_(&root), errors_(&errors) {}
  Place(const model::Value* value, std::string path, model::FieldErrors& errors)
      : value_(value), path_(std::move(path)), errors_(&errors) {}

  Place operator[](std::string_view member) const;
  Place item(size_t index) const;
  /// The member of a map, whose path is `parent[name]`.
  Place entry(std::string_view name) const;
  /// This value under another path: the real server names some places oddly, and clients compare.
  Place as(std::string path) const { return {value_, std::move(path), *errors_}; }
  /// `as` a child of the same parent path.
  Place as_child(std::string_view name) const { return as(model::child(path_, name)); }

  const std::string& path() const { return path_; }
  model::FieldErrors& errors() const { return *errors_; }
  /// There and not null.
  bool present() const { return value_ != nullptr && !value_->is_null(); }
  /// Absent, null, "", [], {} or 0.
  bool empty() const;
  const model::Value& value() const;  ///< null if absent
  std::string_view text() const;
  int64_t number(int64_t otherwise = 0) const;
  bool flag(bool otherwise = false) const;
  const model::Array& items() const;
  const model::Object& members() const;

  /// `visit(Place)` for each element of a list.
  template <class Visit>
  void each(Visit visit) const {
    for (size_t i = 0; i < items().size(); ++i) visit(item(i));
  }
  /// `visit(name, Place)` for each member of a map.
  template <class Visit>
  void each_entry(Visit visit) const {
    for (const auto& member : members()) visit(std::string_view(member.key()), entry(member.key()));
  }

  void required(std::string detail = {}) const;
  void invalid(std::string detail) const;  ///< shows this place's value
  void invalid(model::Value shown, std::string detail) const;
  /// `Invalid value: DETAIL`, where the real server leaves the value out.
  void invalid_unshown(std::string detail) const;
  void forbidden(std::string detail) const;
  void duplicate() const;
  void duplicate(model::Value shown) const;
  void not_found() const;
  void unsupported(std::initializer_list<std::string_view> valid) const;
  void unsupported(model::Value shown, std::initializer_list<std::string_view> valid) const;
  void too_long(int64_t max_bytes) const;
  void too_many(int64_t actual, int64_t max) const;

  /// Required if empty. Says whether it is there.
  bool need(std::string detail = {}) const;
  /// Unsupported unless one of these; absent is unsupported too.
  void one_of(std::initializer_list<std::string_view> valid) const;
  /// As `one_of`, but only if present.
  void one_of_if_present(std::initializer_list<std::string_view> valid) const;
  /// As `one_of`, but Required if empty.
  void need_one_of(std::initializer_list<std::string_view> valid) const;
  /// Invalid with each complaint.
  void accept(const model::Complaints& complaints) const;
  void dns_label() const { accept(model::check_dns1123_label(text())); }
  void dns_subdomain() const { accept(model::check_dns1123_subdomain(text())); }
  void qualified_name() const { accept(model::check_qualified_name(text())); }
  /// Number checks; absent counts as 0 for the first two and is fine for the third.
  void non_negative() const;
  void positive() const;
  void between(int64_t low, int64_t high) const;

 private:
  const model::Value* value_;
  std::string path_;
  model::FieldErrors* errors_;
};

/// Invalid("field is immutable") if the two differ.
void immutable(const Place& now, const model::Value& before);
/// The value in the form of the real server's internal Go struct, which has no JSON names: each
/// field by its Go name (the JSON name with the first letter raised), null if absent.
model::Value go_form(const model::Value& value, std::initializer_list<std::string_view> go_names);

/// Members by name, as the server prints maps. For maps that we add to; types know their own order.
void sort_members(model::Value& object);
/// Sets `object[name]` unless it is there with a value that Go would not take for unset.
void default_member(model::Value& object, std::string_view name, model::Value value);
/// The member as an object, made if missing.
model::Value& object_member(model::Value& object, std::string_view name);
/// Runs on each element of the list member; nothing if there is none.
template <class Visit>
void each_element(model::Value& object, std::string_view name, Visit visit) {
  model::Value* list = model::find(object, {name});
  if (list == nullptr || !list->is_array()) return;
  for (model::Value& element : list->get_array()) visit(element);
}

}  // namespace holdfast::apiserver

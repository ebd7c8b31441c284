/// Reading and changing members by path, and equality of values.
#include <holdfast/model/json.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <cmath>
#include <utility>

namespace holdfast::model {
namespace {

using Path = std::initializer_list<std::string_view>;

boost::json::string_view boosted(std::string_view text) { return {text.data(), text.size()}; }

/// The whole number that a value is, if it is one that fits.
bool as_int64(const Value& value, int64_t& out) {
  if (value.is_int64()) return out = value.get_int64(), true;
  if (value.is_uint64()) {
    if (value.get_uint64() > uint64_t(INT64_MAX)) return false;
    return out = int64_t(value.get_uint64()), true;
  }
  if (!value.is_double()) return false;
  const double d = value.get_double();
  if (!(d >= -0x1p63 && d < 0x1p63) || std::trunc(d) != d) return false;
  return out = int64_t(d), true;
}

bool equal_numbers(const Value& a, const Value& b) {
  int64_t x = 0;
  int64_t y = 0;
  const bool a_fits = as_int64(a, x);
  const bool b_fits = as_int64(b, y);
  if (a_fits || b_fits) return a_fits && b_fits && x == y;
  if (a.is_double() && b.is_double()) return a.get_double() == b.get_double();
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() == b.get_uint64();
  const double d = a.is_double() ? a.get_double() : b.get_double();
  const uint64_t u = a.is_uint64() ? a.get_uint64() : b.get_uint64();
  return d >= 0 && d < 0x1p64 && std::trunc(d) == d && uint64_t(d) == u;
}

bool equal_objects(const Object& a, const Object& b) {
  if (a.size() != b.size()) return false;
  for (const auto& member : a) {
    const Value* other = b.if_contains(member.key());
    if (!other || !equal(member.value(), *other)) return false;
  }
  return true;
}

bool equal_arrays(const Array& a, const Array& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!equal(a[i], b[i])) return false;
  return true;
}

}  // namespace

const Value* find(const Value& root, Path path) {
  const Value* here = &root;
  for (const std::string_view step : path) {
    const Object* object = here->if_object();
    if (!object) return nullptr;
    here = object->if_contains(boosted(step));
    if (!here) return nullptr;
  }
  return here;
}

Value* find(Value& root, Path path) { return const_cast<Value*>(find(std::as_const(root), path)); }

std::string_view string_at(const Value& root, Path path) {
  const Value* found = find(root, path);
  return found && found->is_string() ? view(found->get_string()) : std::string_view();
}

int64_t int_at(const Value& root, Path path, int64_t otherwise) {
  const Value* found = find(root, path);
  int64_t out = 0;
  return found && as_int64(*found, out) ? out : otherwise;
}

bool bool_at(const Value& root, Path path, bool otherwise) {
  const Value* found = find(root, path);
  return found && found->is_bool() ? found->get_bool() : otherwise;
}

const Array& array_at(const Value& root, Path path) {
  static const Array none;
  const Value* found = find(root, path);
  return found && found->is_array() ? found->get_array() : none;
}

const Object& object_at(const Value& root, Path path) {
  static const Object none;
  const Value* found = find(root, path);
  return found && found->is_object() ? found->get_object() : none;
}

Object& ensure_object(Value& root, Path path) {
  Value* here = &root;
  for (const std::string_view step : path) {
    Object& object = here->is_object() ? here->get_object() : here->emplace_object();
    here = &object[boosted(step)];
  }
  return here->is_object() ? here->get_object() : here->emplace_object();
}

void erase(Value& root, Path path) {
  if (path.size() == 0) return;
  Value* here = &root;
  for (auto step = path.begin(); step != path.end() - 1; ++step) {
    here = find(*here, {*step});
    if (!here) return;
  }
  Object* object = here->if_object();
  if (!object) return;
  if (const auto it = object->find(boosted(*(path.end() - 1))); it != object->end())
    object->stable_erase(it);
}

bool equal(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return equal_numbers(a, b);
  if (a.kind() != b.kind()) return false;
  if (a.is_object()) return equal_objects(a.get_object(), b.get_object());
  if (a.is_array()) return equal_arrays(a.get_array(), b.get_array());
  if (a.is_string()) return a.get_string() == b.get_string();
  return a.is_null() || a.get_bool() == b.get_bool();
}

}  // namespace holdfast::model

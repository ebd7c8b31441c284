/// Merge patch (RFC 7386). As on the real server, nulls are also dropped from objects inside lists
/// that the patch brings in anew.
#include <holdfast/model/patch.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace holdfast::model {
namespace {

void prune_nulls(Value& value) {
  if (Array* array = value.if_array())
    for (Value& item : *array) prune_nulls(item);
  Object* object = value.if_object();
  if (!object) return;
  for (auto it = object->begin(); it != object->end();) {
    if (it->value().is_null()) {
      it = object->stable_erase(it);
    } else {
      prune_nulls(it->value());
      ++it;
    }
  }
}

void merge(Object& into, const Object& patch);

void merge_member(Value& current, const Value& patch) {
  if (current.is_object() && patch.is_object())
    return merge(current.get_object(), patch.get_object());
  const bool replaces_object = current.is_object();
  current = patch;
  if (!replaces_object) prune_nulls(current);
}

void merge(Object& into, const Object& patch) {
  for (const auto& member : patch) {
    const auto found = into.find(member.key());
    if (!member.value().is_null())
      merge_member(into[member.key()], member.value());
    else if (found != into.end())
      into.stable_erase(found);
  }
}

}  // namespace

Value apply_merge_patch(Value object, const Value& patch) {
  merge_member(object, patch);
  return object;
}

Value make_merge_patch(const Value& from, const Value& to) {
  if (!from.is_object() || !to.is_object()) return to;
  Object patch;
  for (const auto& member : from.get_object())
    if (!to.get_object().contains(member.key())) patch[member.key()] = nullptr;
  for (const auto& member : to.get_object()) {
    const Value* old = from.get_object().if_contains(member.key());
    if (!old || !equal(*old, member.value()))
      patch[member.key()] = old ? make_merge_patch(*old, member.value()) : member.value();
  }
  return patch;
}

}  // namespace holdfast::model

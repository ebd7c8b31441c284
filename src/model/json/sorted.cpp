#include <holdfast/model/sorted.h>

#include <map>

namespace holdfast::model {

Value sorted(const Value& value) {
  if (const Array* list = value.if_array()) {
    Array out;
    for (const Value& item : *list) out.push_back(sorted(item));
    return out;
  }
  const Object* object = value.if_object();
  if (!object) return value;
  std::map<std::string_view, const Value*> members;
  for (const auto& member : *object) members.emplace(member.key(), &member.value());
  Object out;
  for (const auto& [name, member] : members) out.emplace(name, sorted(*member));
  return out;
}

}  // namespace holdfast::model

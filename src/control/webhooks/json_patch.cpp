// JSON patches of mutating webhooks: members are compared one by one; a list that differs is
// replaced whole, since positions in it mean nothing to the one who reads the patch.
#include <holdfast/control/webhooks.h>

namespace holdfast::control {
namespace {

std::string pointer(const std::string& path, std::string_view member) {
  std::string out = path + "/";
  for (const char c : member) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

void differ(const std::string& path, const model::Value& from, const model::Value& to,
            model::Array& out) {
  if (model::equal(from, to)) return;
  if (!from.is_object() || !to.is_object()) {
    out.push_back(model::Object{{"op", "replace"}, {"path", path}, {"value", to}});
    return;
  }
  for (const auto& member : from.get_object())
    if (!to.get_object().contains(member.key()))
      out.push_back(model::Object{{"op", "remove"}, {"path", pointer(path, member.key())}});
  for (const auto& member : to.get_object()) {
    const std::string at = pointer(path, member.key());
    if (const model::Value* old = from.get_object().if_contains(member.key()))
      differ(at, *old, member.value(), out);
    else
      out.push_back(model::Object{{"op", "add"}, {"path", at}, {"value", member.value()}});
  }
}

}  // namespace

model::Array json_patch(const model::Value& from, const model::Value& to) {
  model::Array out;
  differ("", from, to, out);
  return out;
}

}  // namespace holdfast::control

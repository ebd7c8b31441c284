#include "config/section.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>

#include <fmt/format.h>

namespace holdfast::kube {
namespace {

std::string_view kind_of(const model::Value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "nothing";
    case boost::json::kind::bool_:
      return "true or false";
    case boost::json::kind::string:
      return "a string";
    case boost::json::kind::array:
      return "a list";
    case boost::json::kind::object:
      return "a mapping";
    default:
      return "a number";
  }
}

}  // namespace

Error Section::wrong(std::string_view name, std::string_view what) const {
  const std::string_view dot = path_.empty() || name.empty() ? "" : ".";
  const std::string member = fmt::format("{}{}{}", path_, dot, name);
  return {Fault::Invalid,
          fmt::format("{}: {}{}{}", file_->name, member, member.empty() ? "" : ": ", what)};
}

Error Section::not_a(std::string_view wanted, std::string_view name, const model::Value& is) const {
  return wrong(name, fmt::format("must be {}, is {}", wanted, kind_of(is)));
}

const model::Value* Section::find(std::string_view name) const {
  const model::Value* const member = model::find(*value_, {name});
  return member != nullptr && member->is_null() ? nullptr : member;
}

Result<std::string> Section::text(std::string_view name) const {
  const model::Value* const member = find(name);
  if (member == nullptr) return std::string();
  if (!member->is_string()) return not_a("a string", name, *member);
  return std::string(model::view(member->get_string()));
}

Result<bool> Section::flag(std::string_view name) const {
  const model::Value* const member = find(name);
  if (member == nullptr) return false;
  if (!member->is_bool()) return not_a("true or false", name, *member);
  return member->get_bool();
}

Result<std::vector<std::string>> Section::texts(std::string_view name) const {
  std::vector<std::string> out;
  const model::Value* const member = find(name);
  if (member == nullptr) return out;
  if (!member->is_array()) return not_a("a list", name, *member);
  for (const model::Value& item : member->get_array()) {
    if (!item.is_string()) return not_a("a string", fmt::format("{}[{}]", name, out.size()), item);
    out.emplace_back(model::view(item.get_string()));
  }
  return out;
}

Result<std::string> Section::bytes(std::string_view name) const {
  std::string text = HF_TRY(this->text(name));
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  std::optional<std::string> decoded = from_base64(text);
  if (!decoded) return wrong(name, "is no base64");
  return std::move(*decoded);
}

Result<std::filesystem::path> Section::path_member(std::string_view name) const {
  const std::string text = HF_TRY(this->text(name));
  if (text.empty()) return std::filesystem::path();
  if (text.find('\0') != std::string::npos) return wrong(name, "is no path: it has a NUL byte");
  return (file_->folder / text).lexically_normal();
}

Result<std::vector<Section>> Section::list(std::string_view name) const {
  std::vector<Section> out;
  const model::Value* const member = find(name);
  if (member == nullptr) return out;
  if (!member->is_array()) return not_a("a list", name, *member);
  for (const model::Value& item : member->get_array()) {
    const std::string at = fmt::format("{}[{}]", name, out.size());
    if (!item.is_object()) return not_a("a mapping", at, item);
    out.emplace_back(*file_, path_.empty() ? at : path_ + "." + at, item);
  }
  return out;
}

Result<Section> Section::section(std::string_view name) const {
  static const model::Value nothing = model::Object{};
  const model::Value* member = find(name);
  if (member == nullptr) member = &nothing;
  if (!member->is_object()) return not_a("a mapping", name, *member);
  return Section(*file_, path_.empty() ? std::string(name) : path_ + "." + std::string(name),
                 *member);
}

}  // namespace holdfast::kube

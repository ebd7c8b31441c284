// The names that writers go by, and the checks on entries that a client sent.

#include <holdfast/model/apply.h>

#include <fmt/format.h>

namespace holdfast::model {
namespace {

constexpr size_t kMaxManager = 128;
constexpr size_t kMaxSubresource = 256;

struct Rune {
  uint32_t code = 0xfffd;
  size_t bytes = 1;
};

// The next code point; a byte that is not UTF-8 is U+FFFD, as in Go.
Rune next_rune(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 0;
  if (bytes == 0 || lead > 0xf4 || text.size() < bytes) return {};
  uint32_t code = lead & (0xffU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3fU);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (surrogate || overlong || code > 0x10ffff) return {};
  return {code, bytes};
}

// Go's unicode.IsPrint for what can stand in a header or a JSON string: no controls, no separators
// but the space, no format characters, no private or unassigned planes.
bool is_print(uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0xad) return false;
  if (code == 0x1680 || (code >= 0x2000 && code <= 0x200f)) return false;
  if ((code >= 0x2028 && code <= 0x202f) || (code >= 0x205f && code <= 0x206f)) return false;
  if (code == 0x3000 || code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb)) return false;
  if ((code >= 0xd800 && code <= 0xf8ff) || (code & 0xfffeU) == 0xfffeU) return false;
  return code < 0xe0000;
}

void check_manager(const std::string& manager, const std::string& path, FieldErrors& errors) {
  if (manager.size() > kMaxManager) errors.push_back(too_long_field(path, kMaxManager));
  for (size_t i = 0; i < manager.size();) {
    const Rune rune = next_rune(std::string_view(manager).substr(i));
    if (!is_print(rune.code))
      errors.push_back(
          invalid_field(path, Value(manager),
                        fmt::format("invalid character U+{:04X} (at position {})", rune.code, i)));
    i += rune.bytes;
  }
}

std::string text_of(const Value& entry, std::string_view name) {
  return std::string(string_at(entry, {name}));
}

}  // namespace

std::string manager_from_user_agent(std::string_view user_agent) {
  std::string_view rest = user_agent.substr(0, user_agent.find('/'));
  std::string out;
  while (!rest.empty()) {
    const Rune rune = next_rune(rest);
    const std::string_view bytes =
        rune.code == 0xfffd ? std::string_view("\xef\xbf\xbd") : rest.substr(0, rune.bytes);
    rest.remove_prefix(rune.bytes);
    if (!is_print(rune.code)) continue;
    if (out.size() + bytes.size() > kMaxManager) break;
    out += bytes;
  }
  return out;
}

FieldErrors validate_managed_fields(const Value& managed_fields, std::string_view path) {
  FieldErrors errors;
  if (!managed_fields.is_array()) return errors;
  size_t i = 0;
  for (const Value& entry : managed_fields.get_array()) {
    const std::string here = at(path, i++);
    const std::string operation = text_of(entry, "operation");
    const std::string fields_type = text_of(entry, "fieldsType");
    if (operation != "Apply" && operation != "Update")
      errors.push_back(
          invalid_field(child(here, "operation"), Value(operation), "must be `Apply` or `Update`"));
    if (!fields_type.empty() && fields_type != "FieldsV1")
      errors.push_back(
          invalid_field(child(here, "fieldsType"), Value(fields_type), "must be `FieldsV1`"));
    check_manager(text_of(entry, "manager"), child(here, "manager"), errors);
    if (text_of(entry, "subresource").size() > kMaxSubresource)
      errors.push_back(too_long_field(child(here, "subresource"), kMaxSubresource));
  }
  return errors;
}

}  // namespace holdfast::model

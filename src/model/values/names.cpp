/// The grammars of names. The sentences carry their regular expression, so each is written out here
/// as text; the checks themselves are plain loops.
#include <holdfast/base/text.h>
#include <holdfast/model/names.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;
constexpr size_t kMaxPortName = 15;
constexpr size_t kRandomPart = 5;

#define HF_LABEL "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
#define HF_QUALIFIED "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool upper(char c) { return c >= 'A' && c <= 'Z'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool lower_alnum(char c) { return lower(c) || digit(c); }
bool alnum(char c) { return lower_alnum(c) || upper(c); }
bool name_char(char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; }

template <class Test>
bool all(std::string_view text, Test test) {
  return std::all_of(text.begin(), text.end(), test);
}

bool is_label(std::string_view text) {
  return !text.empty() && lower_alnum(text.front()) && lower_alnum(text.back()) &&
         all(text, [](char c) { return lower_alnum(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  const auto labels = split(text, '.');
  return std::all_of(labels.begin(), labels.end(), is_label);
}

bool is_qualified_part(std::string_view text) {
  return !text.empty() && alnum(text.front()) && alnum(text.back()) && all(text, name_char);
}

std::string too_long(size_t most) {
  return fmt::format("must be no more than {} characters", most);
}

std::string mismatch(std::string_view rule, std::string_view pattern,
                     const std::vector<std::string_view>& examples) {
  std::string out = fmt::format("{} (e.g. ", rule);
  for (size_t i = 0; i < examples.size(); ++i)
    out += fmt::format("{}'{}', ", i > 0 ? " or " : "", examples[i]);
  return out + fmt::format("regex used for validation is '{}')", pattern);
}

std::string not_qualified() {
  return mismatch(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character",
      HF_QUALIFIED, {"MyName", "my.name", "123-abc"});
}

/// A key becomes a file name in a volume; these would leave the folder or hide the volume's own
/// links.
void check_dots(std::string_view value, Complaints& out) {
  if (value == ".")
    out.emplace_back("must not be '.'");
  else if (value == "..")
    out.emplace_back("must not be '..'");
  else if (value.starts_with(".."))
    out.emplace_back("must not start with '..'");
}

}  // namespace

Complaints check_dns1123_label(std::string_view value) {
  Complaints out;
  if (value.size() > kMaxLabel) out.push_back(too_long(kMaxLabel));
  if (is_label(value)) return out;
  if (is_subdomain(value))
    out.emplace_back("must not contain dots");
  else
    out.push_back(mismatch(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
        "must start and end with an alphanumeric character",
        HF_LABEL, {"my-name", "123-abc"}));
  return out;
}

Complaints check_dns1123_subdomain(std::string_view value) {
  Complaints out;
  if (value.size() > kMaxSubdomain) out.push_back(too_long(kMaxSubdomain));
  if (!is_subdomain(value))
    out.push_back(mismatch(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
        "'.', and must start and end with an alphanumeric character",
        HF_LABEL "(\\." HF_LABEL ")*", {"example.com"}));
  return out;
}

Complaints check_dns1035_label(std::string_view value) {
  Complaints out;
  if (value.size() > kMaxLabel) out.push_back(too_long(kMaxLabel));
  if (!is_label(value) || !lower(value.front()))
    out.push_back(mismatch(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
        "alphabetic character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  return out;
}

Complaints check_qualified_name(std::string_view value) {
  Complaints out;
  const auto parts = split(value, '/');
  if (parts.size() > 2)
    return {"a qualified name " + not_qualified() +
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"};
  if (parts.size() == 2 && parts[0].empty()) out.emplace_back("prefix part must be non-empty");
  if (parts.size() == 2 && !parts[0].empty())
    for (const std::string& complaint : check_dns1123_subdomain(parts[0]))
      out.push_back("prefix part " + complaint);
  const std::string_view name = parts.back();
  if (name.empty()) out.emplace_back("name part must be non-empty");
  if (name.size() > kMaxLabel) out.push_back("name part " + too_long(kMaxLabel));
  if (!is_qualified_part(name)) out.push_back("name part " + not_qualified());
  return out;
}

Complaints check_label_value(std::string_view value) {
  Complaints out;
  if (value.size() > kMaxLabel) out.push_back(too_long(kMaxLabel));
  if (!value.empty() && !is_qualified_part(value))
    out.push_back(mismatch(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
        "'.', and must start and end with an alphanumeric character",
        "(" HF_QUALIFIED ")?", {"MyValue", "my_value", "12345"}));
  return out;
}

Complaints check_path_segment(std::string_view value) {
  if (value == "." || value == "..") return {fmt::format("may not be '{}'", value)};
  Complaints out;
  for (const char bad : {'/', '%'})
    if (value.find(bad) != std::string_view::npos)
      out.push_back(fmt::format("may not contain '{}'", bad));
  return out;
}

Complaints check_env_var_name(std::string_view value) {
  Complaints out;
  if (value.empty()) out.emplace_back("environment variable name must be non-empty");
  if (!all(value, [](char c) { return c >= 0x20 && c < 0x7f && c != '='; }))
    out.emplace_back(
        "a valid environment variable name must consist only of printable ASCII characters other "
        "than '='");
  return out;
}

Complaints check_config_map_key(std::string_view value) {
  Complaints out;
  if (value.size() > kMaxSubdomain) out.push_back(too_long(kMaxSubdomain));
  if (value.empty() || !all(value, name_char))
    out.push_back(
        mismatch("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                 "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  check_dots(value, out);
  return out;
}

Complaints check_port_name(std::string_view value) {
  Complaints out;
  if (value.size() > kMaxPortName) out.push_back(too_long(kMaxPortName));
  if (value.empty() || !all(value, [](char c) { return lower_alnum(c) || c == '-'; }))
    out.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  if (std::none_of(value.begin(), value.end(), lower))
    out.emplace_back("must contain at least one letter (a-z)");
  if (value.find("--") != std::string_view::npos)
    out.emplace_back("must not contain consecutive hyphens");
  if (value.starts_with('-') || value.ends_with('-'))
    out.emplace_back("must not begin or end with a hyphen");
  return out;
}

Complaints check_port_number(int64_t value) {
  if (value >= 1 && value <= 65535) return {};
  return {"must be between 1 and 65535, inclusive"};
}

Complaints check_c_identifier(std::string_view value) {
  const auto inner = [](char c) { return alnum(c) || c == '_'; };
  if (!value.empty() && !digit(value.front()) && all(value, inner)) return {};
  return {mismatch(
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_'",
      "[A-Za-z_][A-Za-z0-9_]*", {"my_name", "MY_NAME", "MyName"})};
}

std::string generate_name(std::string_view base, Random& random) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string name(base.substr(0, kMaxLabel - kRandomPart));
  for (size_t i = 0; i < kRandomPart; ++i) name += kAlphabet[random.below(kAlphabet.size())];
  return name;
}

#undef HF_LABEL
#undef HF_QUALIFIED

}  // namespace holdfast::model

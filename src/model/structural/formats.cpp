/// The string formats that CRD schemas can ask for (those of go-openapi/strfmt that Kubernetes
/// keeps). The names are compared without dashes; other formats are documentation.
#include <holdfast/base/text.h>
#include <holdfast/model/structural.h>
#include <holdfast/model/time.h>

#include "structural/validate.h"

#include <arpa/inet.h>
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace holdfast::model::structural {
namespace {

using Check = std::function<bool(std::string_view)>;

Check pattern(const char* expression) {
  auto compiled = std::make_shared<const re2::RE2>(expression);
  return [compiled](std::string_view text) {
    return re2::RE2::PartialMatch({text.data(), text.size()}, *compiled);
  };
}

bool inet(int family, std::string_view text) {
  unsigned char address[16];
  return inet_pton(family, std::string(text).c_str(), address) == 1;
}

/// Leading zeros are tolerated, as Go did before 1.17: 010.0.0.1 is 10.0.0.1.
bool is_dotted(std::string_view text) {
  const auto parts = split(text, '.');
  return parts.size() == 4 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           if (part.empty() || part.size() > 8) return false;
           int number = 0;
           for (char c : part) {
             if (c < '0' || c > '9') return false;
             number = number * 10 + (c - '0');
           }
           return number <= 255;
         });
}

bool is_ipv6(std::string_view text) { return text.find(':') != text.npos && inet(AF_INET6, text); }

/// Any address with a dot in it counts, ::ffff:1.2.3.4 too.
bool is_ipv4(std::string_view text) {
  return is_dotted(text) || (text.find('.') != text.npos && is_ipv6(text));
}

bool is_cidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == text.npos) return false;
  const std::string_view bits = text.substr(slash + 1);
  if (bits.empty() || bits.size() > 3) return false;
  int length = 0;
  for (char c : bits) {
    if (c < '0' || c > '9') return false;
    length = length * 10 + (c - '0');
  }
  const std::string_view address = text.substr(0, slash);
  return (is_dotted(address) && length <= 32) || (is_ipv6(address) && length <= 128);
}

bool is_date(std::string_view text) {
  return text.size() == 10 && parse_rfc3339(std::string(text) + "T00:00:00Z").has_value();
}

bool is_date_time(std::string_view text) {
  static const Check clock =
      pattern("^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$");
  const std::string lower = to_lower(text);
  const auto parts = split(lower, 't');
  return parts.size() >= 2 && is_date(parts[0]) && clock(parts[1]);
}

/// Go's durations, and any text that holds a number with a unit ("2 weeks").
bool is_duration(std::string_view text) {
  if (parse_duration(text)) return true;
  static const re2::RE2 piece(
      "(?i)([0-9]+)\\s*(ns|nano[a-z]*|us|µs|micro[a-zµ]*|ms|milli[a-zµ]*|s|"
      "sec[a-zµ]*|m|min[a-zµ]*|h|hr|hour[a-zµ]*|d|day[a-zµ]*|w|wk|"
      "week[a-zµ]*)(?:[^a-zµ]|$)");
  return re2::RE2::PartialMatch({text.data(), text.size()}, piece);
}

/// One label, or labels that end in letters. Lengths are counted here: repetitions with bounds make
/// RE2 give up on classes of this size.
bool is_hostname(std::string_view text) {
  static const Check shape = pattern(
      "^([a-zA-Z0-9\\p{S}\\p{L}]-?[a-zA-Z0-9\\p{S}\\p{L}]*|"
      "([a-zA-Z0-9\\p{S}\\p{L}]([a-zA-Z0-9\\p{S}\\p{L}-]*[a-zA-Z0-9\\p{S}\\p{L}])?\\.)+"
      "[a-zA-Z\\p{L}]{2,})$");
  const auto parts = split(text, '.');
  return text.size() <= 255 &&
         std::all_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return part.size() <= 63; }) &&
         shape(text);
}

/// The digits of an ISBN, with the check digit that makes the weighted sum divisible.
bool is_isbn(std::string_view text, size_t length) {
  std::string digits;
  for (char c : text)
    if (c != '-' && c != ' ') digits += c;
  if (digits.size() != length) return false;
  int sum = 0;
  for (size_t i = 0; i < length; ++i) {
    const bool check = i == 9 && length == 10 && digits[i] == 'X';
    if (!check && (digits[i] < '0' || digits[i] > '9')) return false;
    const int digit = check ? 10 : digits[i] - '0';
    sum += digit * (length == 10 ? int(i) + 1 : (i % 2 ? 3 : 1));
  }
  return sum % (length == 10 ? 11 : 10) == 0;
}

bool is_credit_card(std::string_view text) {
  static const Check shape = pattern(
      "^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|"
      "3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\\d{3})\\d{11})$");
  std::string digits;
  for (char c : text)
    if (c >= '0' && c <= '9') digits += c;
  if (!shape(digits)) return false;
  int sum = 0;
  for (size_t i = 0; i < digits.size(); ++i) {
    const int digit = digits[digits.size() - 1 - i] - '0';
    sum += i % 2 == 0 ? digit : (digit * 2 > 9 ? digit * 2 - 9 : digit * 2);
  }
  return sum % 10 == 0;
}

/// Is what follows the host a port, or nothing?
bool has_good_port(std::string_view authority) {
  const size_t user = authority.rfind('@');
  std::string_view host = user == authority.npos ? authority : authority.substr(user + 1);
  if (const size_t bracket = host.rfind(']'); bracket != host.npos) host = host.substr(bracket + 1);
  const size_t colon = host.rfind(':');
  if (colon == host.npos) return true;
  const std::string_view port = host.substr(colon + 1);
  return std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What Go's url.ParseRequestURI takes: an absolute path, or a scheme and what follows it.
bool is_uri(std::string_view text) {
  static const Check shape =
      pattern("^(/|[a-zA-Z][a-zA-Z0-9+.-]*:)([^%\\x00-\\x20\\x7f]|%[0-9a-fA-F]{2})*$");
  if (!shape(text)) return false;
  const size_t scheme = text.find("://");
  if (scheme == text.npos) return true;
  const std::string_view rest = text.substr(scheme + 3);
  return has_good_port(rest.substr(0, std::min(rest.find_first_of("/?#"), rest.size())));
}

bool is_email(std::string_view text) {
  static const Check shape = pattern(
      "^(([^<>@]*<)?[^\\s<>@,;:\\\\\"\\[\\]().]+(\\.[^\\s<>@,;:\\\\\"\\[\\]().]+)*|"
      "\"([^\"\\\\]|\\\\.)+\")@([^\\s<>@,;:\\\\\"\\[\\]().]+(\\.[^\\s<>@,;:\\\\\"\\[\\]().]+)*|\\[["
      "^\\]]+\\])>?$");
  return shape(trim(text)) && (text.find('<') != text.npos) == (text.find('>') != text.npos);
}

bool is_mac(std::string_view text) {
  static const Check shape = pattern(
      "^([0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}|[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){7}|"
      "[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){19}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){5}|"
      "[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){7}|[0-9a-fA-F]{2}(-[0-9a-fA-F]{2}){19}|"
      "[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){2}|[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){3}|"
      "[0-9a-fA-F]{4}(\\.[0-9a-fA-F]{4}){9})$");
  return shape(text);
}

constexpr const char* kByte = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";

const std::unordered_map<std::string, Check>& formats() {
  static const std::unordered_map<std::string, Check> table{
      {"bsonobjectid", pattern("^[0-9a-fA-F]{24}$")},
      {"uri", is_uri},
      {"email", is_email},
      {"hostname", is_hostname},
      {"ipv4", is_ipv4},
      {"ipv6", is_ipv6},
      {"cidr", is_cidr},
      {"mac", is_mac},
      {"uuid", pattern("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$")},
      {"uuid3", pattern("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$")},
      {"uuid4",
       pattern("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")},
      {"uuid5",
       pattern("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")},
      {"isbn", [](std::string_view text) { return is_isbn(text, 10) || is_isbn(text, 13); }},
      {"isbn10", [](std::string_view text) { return is_isbn(text, 10); }},
      {"isbn13", [](std::string_view text) { return is_isbn(text, 13); }},
      {"creditcard", is_credit_card},
      {"ssn", pattern("^\\d{3}[- ]\\d{2}[- ]\\d{4}$")},
      {"hexcolor", pattern("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")},
      {"rgbcolor", pattern(("^rgb\\(\\s*" + std::string(kByte) + "\\s*,\\s*" + kByte + "\\s*,\\s*" +
                            kByte + "\\s*\\)$")
                               .c_str())},
      // The last group cannot be absent: the empty string is no base64 here.
      {"byte", pattern("^(?:[A-Za-z0-9+\\\\/]{4})*(?:[A-Za-z0-9+\\\\/]{2}==|[A-Za-z0-9+\\\\/]{3}=|"
                       "[A-Za-z0-9+\\\\/]{4})$")},
      {"password", [](std::string_view) { return true; }},
      {"date", is_date},
      {"duration", is_duration},
      {"datetime", is_date_time}};
  return table;
}

const Check* find_format(std::string_view format) {
  if (format.empty()) return nullptr;
  std::string name(format);
  std::erase(name, '-');
  const auto found = formats().find(name);
  return found == formats().end() ? nullptr : &found->second;
}

}  // namespace

bool has_format(std::string_view text, std::string_view format) {
  const Check* check = find_format(format);
  return !check || (*check)(text);
}

}  // namespace holdfast::model::structural

namespace holdfast::model {

bool knows_format(std::string_view format) { return structural::find_format(format) != nullptr; }

}  // namespace holdfast::model

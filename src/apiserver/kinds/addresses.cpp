#include "kinds/addresses.h"

#include <holdfast/base/text.h>

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::apiserver {

using model::Value;

namespace {

constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr std::string_view kNoIp = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
constexpr std::string_view kNoCidr =
    "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

std::optional<int> parse_number(std::string_view text, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() || text[0] == '-')
    return std::nullopt;
  return number <= most ? std::optional(number) : std::nullopt;
}

std::optional<IpAddress> parse_v4(std::string_view text) {
  const auto parts = split(text, '.');
  if (parts.size() != 4) return std::nullopt;
  IpAddress out;
  std::copy(kMapped.begin(), kMapped.end(), out.bytes.begin());
  for (size_t i = 0; i < 4; ++i) {
    const auto octet = parse_number(parts[i], 255);
    if (!octet) return std::nullopt;
    out.bytes[12 + i] = static_cast<uint8_t>(*octet);
  }
  return out;
}

bool has_leading_zeros(std::string_view text) {
  const std::string_view tail = text.substr(text.rfind(':') + 1);  // npos + 1 is 0
  if (tail.find('.') == std::string_view::npos) return false;
  const auto parts = split(tail, '.');
  return std::any_of(parts.begin(), parts.end(),
                     [](std::string_view part) { return part.size() > 1 && part[0] == '0'; });
}

bool is_mapped_form(std::string_view text) {
  const auto ip = parse_ip(text);
  return ip && ip->is_v4() && text.find(':') != std::string_view::npos;
}

bool among(const model::Array& words, std::string_view word) {
  return std::any_of(words.begin(), words.end(),
                     [&](const Value& each) { return model::string_at(each, {}) == word; });
}

}  // namespace

bool IpAddress::is_v4() const { return std::equal(kMapped.begin(), kMapped.end(), bytes.begin()); }

std::string IpAddress::text() const {
  char buffer[INET6_ADDRSTRLEN] = {};
  if (is_v4())
    inet_ntop(AF_INET, bytes.data() + 12, buffer, sizeof buffer);
  else
    inet_ntop(AF_INET6, bytes.data(), buffer, sizeof buffer);
  return buffer;
}

std::string Cidr::text() const { return fmt::format("{}/{}", network.text(), bits); }

std::optional<IpAddress> parse_ip(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return parse_v4(text);
  std::string plain(text);
  const size_t tail = plain.rfind(':') + 1;
  if (const auto v4 = parse_v4(std::string_view(plain).substr(tail)))
    plain = plain.substr(0, tail) + v4->text();  // without leading zeros
  IpAddress out;
  if (inet_pton(AF_INET6, plain.c_str(), out.bytes.data()) != 1) return std::nullopt;
  return out;
}

std::optional<Cidr> parse_cidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto address = parse_ip(text.substr(0, slash));
  if (!address) return std::nullopt;
  const bool v4 = text.substr(0, slash).find(':') == std::string_view::npos;
  const auto bits = parse_number(text.substr(slash + 1), v4 ? 32 : 128);
  if (!bits) return std::nullopt;
  Cidr out{*address, *address, *bits};
  for (int bit = *bits + (v4 ? 96 : 0); bit < 128; ++bit)
    out.network.bytes[static_cast<size_t>(bit / 8)] &= static_cast<uint8_t>(~(0x80 >> (bit % 8)));
  return out;
}

bool is_ipv6(std::string_view text) {
  const auto ip = parse_ip(text);
  return ip && !ip->is_v4();
}

void check_ip(const Place& address, const model::Array& accepted_before) {
  if (among(accepted_before, address.text()) || parse_ip(address.text())) return;
  address.invalid(Value(address.text()), std::string(kNoIp));
}

void check_cidr(const Place& cidr, std::string_view text, const model::Array& accepted_before) {
  if (among(accepted_before, text) || parse_cidr(text)) return;
  cidr.invalid(Value(text), std::string(kNoCidr));
}

void check_strict_ip(const Place& address) {
  const Value shown(address.text());
  const auto ip = parse_ip(address.text());
  if (!ip) return address.invalid(shown, std::string(kNoIp));
  if (has_leading_zeros(address.text())) return address.invalid(shown, "must not have leading 0s");
  if (is_mapped_form(address.text()))
    return address.invalid(shown, "must not be an IPv4-mapped IPv6 address");
  if (ip->text() != address.text())
    address.invalid(shown, fmt::format("must be in canonical form ({})", quoted(ip->text())));
}

void check_strict_cidr(const Place& place) {
  const Value shown(place.text());
  const auto cidr = parse_cidr(place.text());
  if (!cidr) return place.invalid(shown, std::string(kNoCidr));
  const std::string_view address = place.text().substr(0, place.text().find('/'));
  const std::string_view bits = place.text().substr(address.size() + 1);
  if (has_leading_zeros(address) || (bits.size() > 1 && bits[0] == '0'))
    return place.invalid(shown, "must not have leading 0s in IP or prefix length");
  if (is_mapped_form(address))
    return place.invalid(shown, "must not have an IPv4-mapped IPv6 address");
  if (cidr->address != cidr->network)
    return place.invalid(shown, "must not have bits set beyond the prefix length");
  if (cidr->text() != place.text())
    place.invalid(shown, fmt::format("must be in canonical form ({})", quoted(cidr->text())));
}

void check_endpoint_ip(const Place& address) {
  const Value shown(address.text());
  const auto ip = parse_ip(address.text());
  if (!ip) return address.invalid(shown, "must be a valid IP address");
  const auto& b = ip->bytes;
  const bool v4 = ip->is_v4();
  const bool zeros =
      std::all_of(b.begin() + (v4 ? 12 : 0), b.end() - 1, [](uint8_t x) { return x == 0; });
  if (zeros && b[15] == 0)
    address.invalid(shown, fmt::format("may not be unspecified ({})", address.text()));
  // 127.64.0.0/10 are the pods of an embedded node: there they are the way to them, not back home.
  const bool embedded_pod = v4 && b[12] == 127 && (b[13] & 0xc0) == 0x40;
  if (v4 ? b[12] == 127 && !embedded_pod : zeros && b[15] == 1)
    address.invalid(shown, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
  if (v4 ? b[12] == 169 && b[13] == 254 : b[0] == 0xfe && (b[1] & 0xc0) == 0x80)
    address.invalid(shown, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
  if (v4 ? b[12] == 224 && b[13] == 0 && b[14] == 0 : b[0] == 0xff && (b[1] & 0x0f) == 0x02)
    address.invalid(shown,
                    "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
}

void warn_about_ip(const std::string& path, std::string_view text,
                   std::vector<std::string>& warnings) {
  const auto ip = parse_ip(text);
  if (!ip) return;
  if (has_leading_zeros(text) || is_mapped_form(text))
    warnings.push_back(
        fmt::format("{}: non-standard IP address {} will be considered invalid in a "
                    "future Kubernetes release: use {}",
                    path, quoted(text), quoted(ip->text())));
  else if (!ip->is_v4() && ip->text() != text)
    warnings.push_back(
        fmt::format("{}: IPv6 address {} should be in RFC 5952 canonical format ({})", path,
                    quoted(text), quoted(ip->text())));
}

void warn_about_cidr(const std::string& path, std::string_view text,
                     std::vector<std::string>& warnings) {
  const auto cidr = parse_cidr(text);
  if (!cidr) return;
  const size_t before = warnings.size();
  const std::string_view address = text.substr(0, text.find('/'));
  const std::string_view bits = text.substr(address.size() + 1);
  if (cidr->address != cidr->network)
    warnings.push_back(fmt::format(
        "{}: CIDR value {} is ambiguous in this context (should be {} or {}?)", path, quoted(text),
        quoted(cidr->text()),
        quoted(fmt::format("{}/{}", cidr->address.text(), cidr->address.is_v4() ? 32 : 128))));
  if (has_leading_zeros(address) || is_mapped_form(address) || (bits.size() > 1 && bits[0] == '0'))
    warnings.push_back(
        fmt::format("{}: non-standard CIDR value {} will be considered invalid in a "
                    "future Kubernetes release: use {}",
                    path, quoted(text), quoted(cidr->text())));
  if (warnings.size() == before && !cidr->address.is_v4() && cidr->text() != text)
    warnings.push_back(
        fmt::format("{}: IPv6 CIDR value {} should be in RFC 5952 canonical format ({})", path,
                    quoted(text), quoted(cidr->text())));
}

}  // namespace holdfast::apiserver

/// IP addresses and CIDRs as the older fields of Kubernetes take them: octets may have leading
/// zeros, IPv4 may come mapped into IPv6. Such forms are accepted and warned of.
#pragma once

#include "kinds/place.h"

#include <array>
#include <cstdint>
#include <optional>

namespace holdfast::apiserver {

struct IpAddress {
  std::array<uint8_t, 16> bytes{};  ///< IPv4 as ::ffff:a.b.c.d
  bool operator==(const IpAddress&) const = default;
  bool is_v4() const;
  std::string text() const;  ///< canonical
};

struct Cidr {
  IpAddress address;  ///< as written
  IpAddress network;
  int bits = 0;
  std::string text() const;  ///< network/bits
};

std::optional<IpAddress> parse_ip(std::string_view text);
std::optional<Cidr> parse_cidr(std::string_view text);
bool is_ipv6(std::string_view text);  ///< false if it is no address at all

/// Invalid unless an address, or one of `accepted_before` (an update keeps what it had).
void check_ip(const Place& address, const model::Array& accepted_before = {});
void check_cidr(const Place& cidr, std::string_view text, const model::Array& accepted_before = {});
/// Strict forms, for fields that came later.
void check_strict_ip(const Place& address);
void check_strict_cidr(const Place& cidr);
/// Neither unspecified nor loopback nor link-local.
void check_endpoint_ip(const Place& address);

void warn_about_ip(const std::string& path, std::string_view text,
                   std::vector<std::string>& warnings);
void warn_about_cidr(const std::string& path, std::string_view text,
                     std::vector<std::string>& warnings);

}  // namespace holdfast::apiserver

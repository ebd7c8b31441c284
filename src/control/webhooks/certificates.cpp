// A webhook's own CA and certificates: made, and renewed before they end.
#include <holdfast/control/webhooks.h>
#include <holdfast/net/pki.h>

namespace holdfast::control {
namespace {

constexpr std::chrono::hours kServingLife{24 * 90};
constexpr std::chrono::hours kCaLife{24 * 365};

/// Two thirds of what is left from `now` on.
WallTime two_thirds(WallTime now, WallTime end) { return now + (end - now) * 2 / 3; }

Result<void> new_ca(ServingCertificate& out, const Clock& clock, Random& random) {
  const net::KeyPair key = HF_TRY(net::make_key());
  const std::string ca = HF_TRY(net::make_certificate(
      {.common_name = "holdfast-webhooks-ca", .ca = true, .lifetime = kCaLife}, key.private_pem, "",
      "", clock, random));
  // Servers that still show a certificate of the old CA stay trusted until theirs is renewed.
  out.ca_bundle = ca + out.ca;
  out.ca = ca;
  out.ca_key = key.private_pem;
  return ok();
}

}  // namespace

Result<ServingCertificate> renew(const ServingCertificate& current,
                                 const std::vector<std::string>& dns_names, const Clock& clock,
                                 Random& random) {
  const WallTime now = clock.now();
  if (!current.certificate.empty() && now < current.renew_at) return current;
  ServingCertificate next = current;
  // A serving certificate must not outlive what signed it.
  bool fresh_ca = current.ca.empty();
  if (!fresh_ca) {
    const WallTime end = HF_TRY(net::certificate_expiry(current.ca));
    fresh_ca = end < now + kServingLife;
  }
  if (fresh_ca) HF_TRY(new_ca(next, clock, random));
  const net::KeyPair key = HF_TRY(net::make_key());
  next.key = key.private_pem;
  next.certificate =
      HF_TRY(net::make_certificate({.common_name = dns_names.empty() ? "holdfast" : dns_names[0],
                                    .dns_names = dns_names,
                                    .ip_addresses = {"127.0.0.1"},
                                    .server = true,
                                    .lifetime = kServingLife},
                                   key.private_pem, next.ca, next.ca_key, clock, random));
  next.renew_at = two_thirds(now, now + kServingLife);
  return next;
}

}  // namespace holdfast::control

#include "pods/surroundings.h"

#include <holdfast/base/bytes.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

namespace holdfast::node {
namespace {

// 127.64.0.0/10: far from what people bind by hand, and room for four million.
constexpr uint32_t kFirst = 0x7f400001, kLast = 0x7f7ffffe;

uint32_t number_of(const std::string& address) {
  in_addr parsed{};
  return inet_pton(AF_INET, address.c_str(), &parsed) == 1 ? ntohl(parsed.s_addr) : 0;
}

std::string text_of(uint32_t number) {
  return fmt::format("{}.{}.{}.{}", number >> 24, number >> 16 & 255, number >> 8 & 255,
                     number & 255);
}

}  // namespace

Addresses::Addresses(std::string_view place) {
  const std::string digest = sha256(place);
  const auto byte = [&digest](size_t at) {
    return uint32_t(static_cast<unsigned char>(digest[at]));
  };
  // A run of 256 of the 16384 that there are.
  last_ = kFirst - 1 + ((byte(0) << 8 | byte(1)) % ((kLast - kFirst) / 256)) * 256;
}

Result<std::string> Addresses::take() {
  const Lock lock(mutex_);
  for (uint32_t tries = 0; tries <= kLast - kFirst; ++tries) {
    last_ = last_ < kFirst || last_ >= kLast ? kFirst : last_ + 1;
    if ((last_ & 255) == 0 || (last_ & 255) == 255) continue;
    if (taken_.insert(last_).second) return text_of(last_);
  }
  return Error(Fault::Unavailable, "all addresses for pods are taken");
}

void Addresses::keep(const std::string& address) {
  const Lock lock(mutex_);
  const uint32_t number = number_of(address);
  taken_.insert(number);
}

void Addresses::give_back(const std::string& address) {
  const Lock lock(mutex_);
  taken_.erase(number_of(address));
}

std::filesystem::path log_file_of(const std::filesystem::path& log_folder,
                                  const std::string& container, int64_t attempt) {
  return log_folder / container / fmt::format("{}.log", attempt);
}

std::string make_container_id(const std::string& uid, const std::string& container,
                              int64_t attempt) {
  return hex(sha256(fmt::format("{}/{}/{}", uid, container, attempt)));
}

std::string hostname_of(const Pod& pod) {
  const std::string_view own = model::string_at(*pod.object, {"spec", "hostname"});
  // A name of the kernel has at most 64 letters, one of DNS 63.
  std::string name = own.empty() ? pod.name.substr(0, 63) : std::string(own);
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name;
}

std::string hosts_text(const Pod& pod, const std::string& ip, const std::string& names) {
  std::string text =
      "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost "
      "ip6-loopback\n"
      "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-"
      "allrouters\n";
  const std::string hostname = hostname_of(pod);
  const std::string_view subdomain = model::string_at(*pod.object, {"spec", "subdomain"});
  if (subdomain.empty())
    text += fmt::format("{}\t{}\n", ip, hostname);
  else
    text += fmt::format("{}\t{}.{}.{}.svc.cluster.local\t{}\n", ip, hostname, subdomain, pod.ns,
                        hostname);
  const model::Array& aliases = model::array_at(*pod.object, {"spec", "hostAliases"});
  if (!aliases.empty()) text += "\n# Entries added by HostAliases.\n";
  for (const model::Value& alias : aliases) {
    text += model::string_at(alias, {"ip"});
    for (const model::Value& name : model::array_at(alias, {"hostnames"}))
      if (name.is_string()) text += "\t" + std::string(model::view(name.get_string()));
    text += '\n';
  }
  if (!names.empty()) text += "\n# Services and their pods.\n" + names;
  return text;
}

}  // namespace holdfast::node

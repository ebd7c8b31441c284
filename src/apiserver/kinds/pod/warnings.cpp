/// Warnings about pod specs that the real server accepts.
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>

#include "kinds/pod/pod.h"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

using Warnings = std::vector<std::string>;
using Pairs = std::pair<std::string_view, std::string_view>;

constexpr Pairs kOldLabels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone",
     "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type",
     "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods",
     "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

constexpr Pairs kOldAnnotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
};

constexpr Pairs kOldVolumes[] = {
    {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    {"gitRepo", "deprecated in v1.11, and disabled by default in v1.33+"},
    {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
    {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
    {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd", "deprecated in v1.28, non-functional in v1.31+"},
};

template <size_t N>
std::string_view lookup(const Pairs (&table)[N], std::string_view key) {
  for (const auto& [known, text] : table)
    if (known == key) return text;
  return {};
}

void warn_scheduling(const Place& spec, Warnings& warnings) {
  spec["nodeSelector"].each_entry([&](std::string_view key, const Place& at) {
    const std::string_view text = lookup(kOldLabels, key);
    if (!text.empty()) warnings.push_back(fmt::format("{}: {}", at.path(), text));
  });
  spec["topologySpreadConstraints"].each([&](const Place& constraint) {
    const Place key = constraint["topologyKey"];
    const std::string_view text = lookup(kOldLabels, key.text());
    if (!text.empty())
      warnings.push_back(fmt::format("{}: {} is {}", key.path(), key.text(), text));
    if (!constraint["labelSelector"].present())
      warnings.push_back(fmt::format("{}: a null labelSelector results in matching no pod",
                                     constraint["labelSelector"].path()));
  });
}

void warn_affinity(const Place& affinity, Warnings& warnings) {
  const auto check = [&](const Place& term) {
    if (!term["labelSelector"].present())
      warnings.push_back(fmt::format("{}: a null labelSelector results in matching no pod",
                                     term["labelSelector"].path()));
  };
  for (std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    affinity[kind]["requiredDuringSchedulingIgnoredDuringExecution"].each(check);
    affinity[kind]["preferredDuringSchedulingIgnoredDuringExecution"].each(
        [&](const Place& weighted) { check(weighted["podAffinityTerm"]); });
  }
}

void warn_repeated(const Place& list, std::string_view member, std::string_view what,
                   Warnings& warnings) {
  std::set<std::string, std::less<>> seen;
  list.each([&](const Place& each) {
    const Place at = each[member];
    if (!seen.emplace(at.text()).second)
      warnings.push_back(fmt::format("{}: duplicate {} {}", at.path(), what, quoted(at.text())));
  });
}

void warn_fraction(const Place& list, Warnings& warnings) {
  for (std::string_view name : {"memory", "ephemeral-storage"}) {
    const Place amount = list.entry(name);
    auto parsed = model::Quantity::parse(amount.text());
    if (amount.present() && parsed && parsed->milli_value() % 1000 != 0)
      warnings.push_back(fmt::format("{}: fractional byte value {} is invalid, must be an integer",
                                     amount.path(), quoted(parsed->text())));
  }
}

void warn_env(const Place& env, Warnings& warnings) {
  std::set<std::string, std::less<>> seen;
  env.each([&](const Place& variable) {
    const std::string_view name = variable["name"].text();
    if (seen.emplace(name).second) return;
    const std::string reference = fmt::format("$({})", name);
    const std::string_view value = variable["value"].text();
    if (variable["valueFrom"].present() || value == reference ||
        value.find(reference) == std::string_view::npos)
      warnings.push_back(
          fmt::format("{}: hides previous definition of {}, which may be dropped when using apply",
                      variable.path(), quoted(name)));
  });
}

struct Port {
  std::string path, name, address;
  int64_t number, host;
  std::string protocol;
};

std::vector<Port> all_ports(const Place& spec) {
  std::vector<Port> ports;
  each_container(spec, [&](const Place& container) {
    container["ports"].each([&](const Place& port) {
      ports.push_back({port.path(), std::string(port["name"].text()),
                       std::string(port["hostIP"].text()), port["containerPort"].number(),
                       port["hostPort"].number(), std::string(port["protocol"].text())});
    });
  });
  return ports;
}

void warn_ports(const Place& spec, Warnings& warnings) {
  const std::vector<Port> ports = all_ports(spec);
  for (size_t i = 0; i < ports.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Port& port = ports[i];
      const Port& other = ports[j];
      if (port.number != other.number || port.protocol != other.protocol) continue;
      std::string_view what;
      if (port.address == other.address && port.host == other.host)
        what = "duplicate";
      else if (port.host == 0 || other.host == 0)
        what = "overlapping";
      else if (port.host == other.host && port.address.empty() != other.address.empty())
        what = "dangerously ambiguous";
      if (!what.empty())
        warnings.push_back(
            fmt::format("{}: {} port definition with {}", port.path, what, other.path));
    }
  for (size_t i = 0; i < ports.size(); ++i)
    for (size_t j = 0; j < i && !ports[i].name.empty(); ++j) {
      if (ports[i].name != ports[j].name) continue;
      warnings.push_back(
          fmt::format("{}: duplicate port name {} with {}, services and probes that select ports "
                      "by name will use {}",
                      ports[i].path, quoted(ports[i].name), ports[j].path, ports[j].path));
      break;
    }
}

/// An address in a form that the next releases will refuse, or that has a better one.
void warn_address(const Place& address, Warnings& warnings) {
  const std::string text(address.text());
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) == 1) {
    char canonical[INET6_ADDRSTRLEN] = {};
    inet_ntop(AF_INET6, &six, canonical, sizeof canonical);
    if (IN6_IS_ADDR_V4MAPPED(&six))
      warnings.push_back(
          fmt::format("{}: non-standard IP address {} will be considered invalid in a future "
                      "Kubernetes release: use {}",
                      address.path(), quoted(text), quoted(std::string_view(canonical).substr(7))));
    else if (text != canonical)
      warnings.push_back(
          fmt::format("{}: IPv6 address {} should be in RFC 5952 canonical format ({})",
                      address.path(), quoted(text), quoted(canonical)));
    return;
  }
  std::string plain;
  for (std::string_view part : split(text, '.')) {
    while (part.size() > 1 && part.front() == '0') part.remove_prefix(1);
    plain.append(plain.empty() ? "" : ".").append(part);
  }
  if (plain != text)
    warnings.push_back(
        fmt::format("{}: non-standard IP address {} will be considered invalid in a future "
                    "Kubernetes release: use {}",
                    address.path(), quoted(text), quoted(plain)));
}

}  // namespace

void warn_about(const Value& pod_or_template, std::string_view path, Warnings& warnings) {
  model::FieldErrors unused;
  const Place root(&pod_or_template, std::string(path), unused);
  const Place spec = root["spec"];
  warn_scheduling(spec, warnings);
  root["metadata"]["annotations"].each_entry([&](std::string_view key, const Place& at) {
    const std::string_view text = lookup(kOldAnnotations, key);
    if (!text.empty()) warnings.push_back(fmt::format("{}: {}", at.path(), text));
  });
  spec["volumes"].each([&](const Place& volume) {
    for (const auto& [source, text] : kOldVolumes)
      if (volume[source].present())
        warnings.push_back(fmt::format(
            "{}: {}", volume[source == "storageos" ? "storageOS" : source].path(), text));
  });
  warn_repeated(spec["hostAliases"], "ip", "ip", warnings);
  warn_repeated(spec["imagePullSecrets"], "name", "name", warnings);
  spec["imagePullSecrets"].each([&](const Place& secret) {
    if (secret["name"].empty())
      warnings.push_back(fmt::format("{}: invalid empty name \"\"", secret["name"].path()));
  });
  warn_fraction(spec["overhead"], warnings);
  each_container(spec, [&](const Place& container) {
    warn_fraction(container["resources"]["limits"], warnings);
    warn_fraction(container["resources"]["requests"], warnings);
    warn_env(container["env"], warnings);
  });
  warn_ports(spec, warnings);
  if (spec["terminationGracePeriodSeconds"].number() < 0)
    warnings.push_back(
        fmt::format("{}: must be >= 0; negative values are invalid and will be treated as 1",
                    spec["terminationGracePeriodSeconds"].path()));
  warn_affinity(spec["affinity"], warnings);
  spec["dnsConfig"]["nameservers"].each(
      [&](const Place& server) { warn_address(server, warnings); });
  spec["hostAliases"].each([&](const Place& alias) { warn_address(alias["ip"], warnings); });
}

void warn_about_name(const Value& object, std::string_view use, Warnings& warnings) {
  const model::Complaints complaints =
      model::check_dns1123_label(model::string_at(object, {"metadata", "name"}));
  if (complaints.empty()) return;
  warnings.push_back(fmt::format(
      "metadata.name: this is used in {}, which can result in surprising behavior; a DNS label is "
      "recommended: [{}]",
      use, join(complaints, " ")));
}

}  // namespace holdfast::apiserver::pod

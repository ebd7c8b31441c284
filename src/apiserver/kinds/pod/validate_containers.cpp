/// The three lists of containers.
#include "kinds/pod/pod.h"

#include <fmt/format.h>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

using Names = std::set<std::string, std::less<>>;

void check_ports(const Place& ports) {
  Names names;
  ports.each([&](const Place& port) {
    const Place name = port["name"];
    if (!name.empty()) {
      const model::Complaints complaints = model::check_port_name(name.text());
      name.accept(complaints);
      if (complaints.empty() && !names.emplace(name.text()).second) name.duplicate();
    }
    const Place number = port["containerPort"];
    if (number.need()) number.accept(model::check_port_number(number.number()));
    const Place host = port["hostPort"];
    if (host.number() != 0) host.accept(model::check_port_number(host.number()));
    port["protocol"].need_one_of({"SCTP", "TCP", "UDP"});
  });
}

/// The real server reports a taken port as `PROTOCOL/ADDRESS/PORT`.
void check_host_port_conflicts(const Place& container, Names& taken) {
  container["ports"].each([&](const Place& port) {
    if (port["hostPort"].number() == 0) return;
    const std::string used = fmt::format("{}/{}/{}", port["protocol"].text(), port["hostIP"].text(),
                                         port["hostPort"].number());
    if (!taken.insert(used).second) port["hostPort"].duplicate(Value(used));
  });
}

void check_resize_policy(const Place& policies, const Surroundings& around) {
  Names seen;
  policies.each([&](const Place& policy) {
    const Place resource = policy["resourceName"].as(policies.path());
    const Place restart = policy["restartPolicy"].as(policies.path());
    if (!seen.emplace(resource.text()).second) policy.duplicate(resource.value());
    resource.need_one_of({"cpu", "memory"});
    restart.need_one_of({"NotRequired", "RestartContainer"});
    if (around.restart_policy == "Never" && restart.text() != "NotRequired")
      restart.invalid("must be 'NotRequired' when `restartPolicy` is 'Never'");
  });
}

void check_common(const Place& container, const Surroundings& around) {
  if (container["name"].need()) container["name"].dns_label();
  container["image"].need();
  container["terminationMessagePolicy"].need_one_of({"File", "FallbackToLogsOnError"});
  check_ports(container["ports"]);
  check_env(container);
  check_mounts(container, around);
  container["imagePullPolicy"].need_one_of({"Always", "IfNotPresent", "Never"});
  check_container_resources(container["resources"], around);
  check_resize_policy(container["resizePolicy"], around);
  check_container_security(container["securityContext"], around);
}

void check_image_spaces(const Place& container) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const std::string_view image = container["image"].text();
  if (image.empty()) return;
  if (kSpaces.find(image.front()) != std::string_view::npos ||
      kSpaces.find(image.back()) != std::string_view::npos)
    container["image"].invalid("must not have leading or trailing whitespace");
}

/// Members of an ephemeral container that only make sense for one that starts with the pod.
constexpr std::string_view kNotEphemeral[] = {"ports",         "resources",      "resizePolicy",
                                              "livenessProbe", "readinessProbe", "startupProbe",
                                              "lifecycle"};

void check_ephemeral_members(const Place& container) {
  constexpr std::string_view kWhy = "cannot be set for an Ephemeral Container";
  for (std::string_view name : kNotEphemeral)
    if (!container[name].empty()) container[name].forbidden(std::string(kWhy));
  container["volumeMounts"].each([&](const Place& mount) {
    for (std::string_view name : {"subPath", "subPathExpr"})
      if (!mount[name].empty()) mount[name].forbidden(std::string(kWhy));
  });
}

}  // namespace

void check_containers(const Place& spec, const Surroundings& around) {
  const Place containers = spec["containers"];
  if (!containers.need()) return;
  Names names;
  containers.each([&](const Place& container) {
    check_common(container, around);
    if (!names.emplace(container["name"].text()).second) container["name"].duplicate();
    if (container["lifecycle"].present()) check_lifecycle(container["lifecycle"], around);
    check_probes(container, around);
    if (container["restartPolicy"].present())
      container["restartPolicy"].forbidden("may not be set for non-init containers");
  });
  Names taken;
  containers.each([&](const Place& container) { check_host_port_conflicts(container, taken); });
}

void check_init_containers(const Place& spec, const Surroundings& around) {
  constexpr std::string_view kOnlySidecars =
      "may not be set for init containers without restartPolicy=Always";
  const Place list = spec["initContainers"];
  Names names;
  for (const Value& container : spec["containers"].items())
    names.emplace(model::string_at(container, {"name"}));
  list.each([&](const Place& container) {
    check_common(container, around);
    const Place restart = container["restartPolicy"];
    if (restart.present() && restart.text() != "Always") restart.unsupported({"Always"});
    const Place name = container["name"];
    if (names.contains(name.text()))
      name.duplicate();
    else if (!name.empty())
      names.emplace(name.text());
    Names taken;
    check_host_port_conflicts(container, taken);
    if (restart.text() == "Always") {
      if (container["lifecycle"].present()) check_lifecycle(container["lifecycle"], around);
      check_probes(container, around);
      return;
    }
    for (std::string_view member : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"})
      if (container[member].present()) container[member].forbidden(std::string(kOnlySidecars));
  });
}

void check_ephemeral_containers(const Place& spec, const Surroundings& around) {
  const Place list = spec["ephemeralContainers"];
  Names others;
  for (std::string_view member : {"containers", "initContainers"})
    for (const Value& container : spec[member].items())
      others.emplace(model::string_at(container, {"name"}));
  Names names = others;
  list.each([&](const Place& container) {
    check_common(container, around);
    check_image_spaces(container);
    if (!names.emplace(container["name"].text()).second) container["name"].duplicate();
    const Place target = container["targetContainerName"];
    if (!target.empty() && !others.contains(target.text())) target.not_found();
    check_ephemeral_members(container);
  });
}

void check_images_have_no_spaces(const Place& spec) {
  for (std::string_view list : {"containers", "initContainers"})
    spec[list].each(check_image_spaces);
}

}  // namespace holdfast::apiserver::pod

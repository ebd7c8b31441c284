/// Environment variables and mounts of a container, and references to fields of the pod.
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>

#include "kinds/pod/pod.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

using Words = std::initializer_list<std::string_view>;

constexpr std::string_view kPodFields[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs"};

bool contains(Words words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void check_variable_name(const Place& name) {
  const std::string_view text = name.text();
  const bool good = std::all_of(text.begin(), text.end(),
                                [](char c) { return c >= ' ' && c <= '~' && c != '='; });
  if (!good)
    name.invalid(
        "a valid environment variable name must consist only of printable ASCII characters other "
        "than '='");
}

void check_key_ref(const Place& ref) {
  ref["name"].dns_subdomain();
  if (ref["key"].need()) ref["key"].accept(model::check_config_map_key(ref["key"].text()));
}

void check_value_from(const Place& variable) {
  const Place from = variable["valueFrom"];
  if (!from.present()) return;
  int count = 0;
  const auto take = [&](std::string_view name, auto check) {
    if (!from[name].present()) return;
    ++count;
    check(from[name]);
  };
  take("fieldRef", [](const Place& ref) { check_field_ref(ref, false); });
  take("resourceFieldRef", [](const Place& ref) { check_resource_field_ref(ref, false); });
  take("configMapKeyRef", check_key_ref);
  take("secretKeyRef", check_key_ref);
  if (count == 0)
    from.invalid(
        Value(""),
        "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
  else if (!variable["value"].empty())
    from.invalid(Value(""), "may not be specified when `value` is not empty");
  else if (count > 1)
    from.invalid(Value(""), "may not have more than one field specified at a time");
}

void check_env_from(const Place& list) {
  list.each([&](const Place& source) {
    if (!source["prefix"].empty()) check_variable_name(source["prefix"]);
    int count = 0;
    for (std::string_view name : {"configMapRef", "secretRef"}) {
      if (!source[name].present()) continue;
      ++count;
      if (source[name]["name"].need()) {
        // A name that ends in "-" counts as the prefix of one here.
        std::string text(source[name]["name"].text());
        if (text.ends_with('-')) text.back() = 'a';
        for (std::string& complaint : model::check_dns1123_subdomain(text))
          source[name]["name"].invalid(std::move(complaint));
      }
    }
    if (count == 0) list.invalid(Value(""), "must specify one of: `configMapRef` or `secretRef`");
    if (count > 1) list.invalid(Value(""), "may not have more than one field specified at a time");
  });
}

void check_divisor(const Place& ref) {
  auto divisor = model::Quantity::parse(ref["divisor"].text());
  if (!divisor || *divisor == model::Quantity()) return;
  const std::string text = divisor->text();
  const std::string_view resource = ref["resource"].text();
  if (resource == "limits.cpu" || resource == "requests.cpu") {
    if (text != "1" && text != "1m")
      ref["divisor"].invalid(Value(resource),
                             "only divisor's values 1m and 1 are supported with the cpu resource");
    return;
  }
  if (contains({"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"},
               text))
    return;
  std::string_view what;
  if (resource == "limits.memory" || resource == "requests.memory") what = "memory";
  if (resource == "limits.ephemeral-storage" || resource == "requests.ephemeral-storage")
    what = "local ephemeral storage";
  if (resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-"))
    what = "hugepages";
  if (what.empty()) return;
  ref["divisor"].invalid(Value(resource),
                         fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, "
                                     "1Gi, 1Ti, 1Pi, 1Ei are supported with the {} resource",
                                     what));
}

void check_propagation(const Place& mount, const Place& container, const std::string& mounts_path) {
  const Place mode = mount["mountPropagation"].as(model::child(mounts_path, "mountPropagation"));
  if (!mode.present()) return;
  mode.one_of({"Bidirectional", "HostToContainer", "None"});
  if (mode.text() == "Bidirectional" && !container["securityContext"]["privileged"].flag())
    mode.forbidden("Bidirectional mount propagation is available only to privileged containers");
}

void check_recursive_read_only(const Place& mount, const std::string& mounts_path) {
  const Place mode = mount["recursiveReadOnly"].as(model::child(mounts_path, "recursiveReadOnly"));
  if (!mode.present()) return;
  mode.one_of({"Disabled", "Enabled", "IfPossible"});
  if (mode.text() != "Enabled" && mode.text() != "IfPossible") return;
  if (!mount["readOnly"].flag()) mode.forbidden("may only be specified when readOnly is true");
  const Place propagation = mount["mountPropagation"];
  if (propagation.present() && propagation.text() != "None")
    mode.forbidden("may only be specified when mountPropagation is None or not specified");
}

bool used_by(const Place& list, std::string_view member, std::string_view value) {
  for (const Value& each : list.items())
    if (model::string_at(each, {member}) == value) return true;
  return false;
}

void check_mount(const Place& mount, const Place& container, const Surroundings& around,
                 std::set<std::string, std::less<>>& points) {
  const Place name = mount["name"];
  const Place path = mount["mountPath"];
  const Place devices = container["volumeDevices"];
  const std::string mounts_path = container["volumeMounts"].path();
  name.need();
  if (around.volume(name.text()) == nullptr) name.not_found();
  path.need();
  if (!points.emplace(path.text()).second) path.invalid("must be unique");
  if (used_by(devices, "name", name.text()))
    name.invalid("must not already exist in volumeDevices");
  if (used_by(devices, "devicePath", path.text()))
    path.invalid("must not already exist as a path in volumeDevices");
  check_relative_path(mount["subPath"].as(model::child(mounts_path, "subPath")));
  const Place expression = mount["subPathExpr"];
  if (!expression.empty() && !mount["subPath"].empty())
    expression.invalid("subPathExpr and subPath are mutually exclusive");
  check_relative_path(expression.as(model::child(mounts_path, "subPathExpr")));
  check_propagation(mount, container, mounts_path);
  check_recursive_read_only(mount, mounts_path);
}

void check_device(const Place& device, const Place& container, const Surroundings& around,
                  std::set<std::string, std::less<>>& names,
                  std::set<std::string, std::less<>>& paths) {
  const Place name = device["name"];
  const Place path = device["devicePath"];
  const Place mounts = container["volumeMounts"];
  const Value* volume = around.volume(name.text());
  name.need();
  if (names.contains(name.text())) name.invalid("must be unique");
  if (volume == nullptr)
    name.not_found();
  else if (model::find(*volume, {"persistentVolumeClaim"}) == nullptr &&
           model::find(*volume, {"ephemeral"}) == nullptr)
    name.invalid(
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
  path.need();
  if (paths.contains(path.text())) path.invalid("must be unique");
  const auto parts = split(path.text(), '/');
  if (std::find(parts.begin(), parts.end(), "..") != parts.end())
    path.invalid("can not contain backsteps ('..')");
  else
    paths.emplace(path.text());
  if (used_by(mounts, "name", name.text())) name.invalid("must not already exist in volumeMounts");
  if (used_by(mounts, "mountPath", path.text()))
    path.invalid("must not already exist as a path in volumeMounts");
  if (!name.empty()) names.emplace(name.text());
}

}  // namespace

void check_field_ref(const Place& ref, bool in_volume) {
  if (!ref["apiVersion"].need() || !ref["fieldPath"].need()) return;
  const Place path = ref["fieldPath"];
  std::string_view name = path.text();
  const size_t bracket = name.find("['");
  const bool subscript = name.ends_with("']") && bracket != std::string_view::npos && bracket > 0;
  std::string_view key;
  if (subscript) {
    key = name.substr(bracket + 2, name.size() - bracket - 4);
    name = name.substr(0, bracket);
  }
  const bool has_keys = name == "metadata.annotations" || name == "metadata.labels";
  if (ref["apiVersion"].text() != "v1")
    return path.invalid(fmt::format("error converting fieldPath: unsupported pod version: {}",
                                    ref["apiVersion"].text()));
  if (subscript && !has_keys)
    return path.invalid(fmt::format(
        "error converting fieldPath: field label does not support subscript: {}", path.text()));
  if (subscript) {
    const std::string checked = name == "metadata.annotations" ? to_lower(key) : std::string(key);
    for (std::string& complaint : model::check_qualified_name(checked))
      ref.invalid(Value(checked), std::move(complaint));
    return;
  }
  if (std::find(std::begin(kPodFields), std::end(kPodFields), name) == std::end(kPodFields) &&
      name != "spec.host")
    return path.invalid(
        fmt::format("error converting fieldPath: field label not supported: {}", path.text()));
  if (in_volume)
    path.one_of({"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
                 "metadata.uid"});
  else
    path.one_of({"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                 "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
                 "status.podIPs"});
}

void check_resource_field_ref(const Place& ref, bool in_volume) {
  const Place resource = ref["resource"];
  if (in_volume && ref["containerName"].empty())
    ref["containerName"].required();
  else if (resource.empty())
    resource.required();
  else if (!resource.text().starts_with("limits.hugepages-") &&
           !resource.text().starts_with("requests.hugepages-"))
    resource.one_of({"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
                     "requests.ephemeral-storage", "requests.memory"});
  check_divisor(ref);
}

void check_env(const Place& container) {
  container["env"].each([](const Place& variable) {
    if (variable["name"].need()) check_variable_name(variable["name"]);
    check_value_from(variable);
  });
  check_env_from(container["envFrom"]);
}

void check_mounts(const Place& container, const Surroundings& around) {
  std::set<std::string, std::less<>> points;
  container["volumeMounts"].each(
      [&](const Place& mount) { check_mount(mount, container, around, points); });
  std::set<std::string, std::less<>> names;
  std::set<std::string, std::less<>> paths;
  container["volumeDevices"].each(
      [&](const Place& device) { check_device(device, container, around, names, paths); });
}

}  // namespace holdfast::apiserver::pod

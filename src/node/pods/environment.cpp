#include "pods/environment.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>

#include <fmt/format.h>

namespace holdfast::node {
namespace {

using model::array_at;
using model::string_at;
using model::Value;

void set(Variables& variables, std::string_view name, std::string value) {
  for (auto& [known, old] : variables)
    if (known == name) {
      old = std::move(value);
      return;
    }
  variables.emplace_back(name, std::move(value));
}

const std::string* find(const Variables& variables, std::string_view name) {
  for (const auto& [known, value] : variables)
    if (known == name) return &value;
  return nullptr;
}

/// The entry `key` of a ConfigMap or Secret; nothing if there is none.
std::optional<std::string> entry_of(const Value& object, std::string_view key, bool secret) {
  const Value* value = model::find(object, {"data", key});
  if (value != nullptr && value->is_string()) {
    const std::string_view text = model::view(value->get_string());
    return secret ? from_base64(text) : std::optional(std::string(text));
  }
  value = secret ? nullptr : model::find(object, {"binaryData", key});
  return value != nullptr && value->is_string() ? from_base64(model::view(value->get_string()))
                                                : std::nullopt;
}

bool is_variable_name(std::string_view name) {
  if (name.empty()) return false;
  return std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return c >= 0x20 && c < 0x7f && c != '='; });
}

struct Source {
  bool secret = false;
  std::string name{};
  bool optional = false;
  const char* word() const { return secret ? "secret" : "configmap"; }
};

/// The object, or null if it need not be there and is not.
Result<Value> object_of(const Source& source, const EnvSources& sources) {
  Result<Value> object =
      source.secret ? sources.secret(source.name) : sources.config_map(source.name);
  if (object || object.error().fault() != Fault::NotFound) return object;
  if (source.optional) return Value(nullptr);
  return Error(Fault::Invalid, fmt::format("{} \"{}\" not found", source.word(), source.name));
}

Result<void> add_all_of(Variables& variables, const Value& from, const EnvSources& sources) {
  for (const bool secret : {false, true}) {
    const Value* ref = model::find(from, {secret ? "secretRef" : "configMapRef"});
    if (ref == nullptr) continue;
    const Value object = HF_TRY(object_of(
        {secret, std::string(string_at(*ref, {"name"})), model::bool_at(*ref, {"optional"}, false)},
        sources));
    for (const auto& entry : model::object_at(object, {"data"})) {
      const std::string name =
          fmt::format("{}{}", string_at(from, {"prefix"}), std::string_view(entry.key()));
      std::optional<std::string> value = entry_of(object, std::string_view(entry.key()), secret);
      if (value && is_variable_name(name)) set(variables, name, std::move(*value));
    }
  }
  return {};
}

/// Nothing: the variable is left out, since what it refers to need not be there.
Result<std::optional<std::string>> keyed_value(const Pod& pod, const Value& ref, bool secret,
                                               const EnvSources& sources) {
  const Source source{secret, std::string(string_at(ref, {"name"})),
                      model::bool_at(ref, {"optional"}, false)};
  const std::string_view key = string_at(ref, {"key"});
  const Value object = HF_TRY(object_of(source, sources));
  std::optional<std::string> value = entry_of(object, key, secret);
  if (!value && !source.optional)
    return Error(Fault::Invalid, fmt::format("couldn't find key {} in {} {}/{}", key,
                                             secret ? "Secret" : "ConfigMap", pod.ns, source.name));
  return value;
}

Result<std::optional<std::string>> value_from(const Pod& pod, const ContainerDef& container,
                                              const Value& from, const EnvSources& sources) {
  if (const Value* ref = model::find(from, {"configMapKeyRef"}))
    return keyed_value(pod, *ref, false, sources);
  if (const Value* ref = model::find(from, {"secretKeyRef"}))
    return keyed_value(pod, *ref, true, sources);
  if (const Value* ref = model::find(from, {"fieldRef"})) {
    const std::string_view path = string_at(*ref, {"fieldPath"});
    std::optional<std::string> value = field_of(pod, path, sources);
    if (!value) return Error(Fault::Invalid, fmt::format("field {} is not known to the pod", path));
    return value;
  }
  if (const Value* ref = model::find(from, {"resourceFieldRef"})) {
    const std::string_view other = string_at(*ref, {"containerName"});
    const ContainerDef* whose = other.empty() ? &container : pod.find(other);
    if (whose == nullptr)
      return Error(Fault::Invalid, fmt::format("container {} not found", other));
    const Value* divisor = model::find(*ref, {"divisor"});
    return std::optional(HF_TRY(resource_of(
        *whose, string_at(*ref, {"resource"}),
        divisor != nullptr && divisor->is_string() ? model::view(divisor->get_string()) : "1",
        sources)));
  }
  return std::optional<std::string>();
}

std::string text_of_map(const Value& pod, std::string_view member) {
  std::string out;
  for (const auto& entry : model::object_at(pod, {"metadata", member}))
    out += fmt::format(
        "{}={}\n", std::string_view(entry.key()),
        entry.value().is_string() ? quoted(model::view(entry.value().get_string())) : "\"\"");
  if (!out.empty()) out.pop_back();
  return out;
}

}  // namespace

std::string expand(std::string_view text, const Variables& variables) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$' || at + 1 == text.size()) {
      out += text[at];
      continue;
    }
    if (text[at + 1] == '$') {
      out += '$';
      ++at;
      continue;
    }
    const size_t end = text[at + 1] == '(' ? text.find(')', at) : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += '$';
      continue;
    }
    const std::string_view name = text.substr(at + 2, end - at - 2);
    const std::string* value = find(variables, name);
    out += value != nullptr ? *value : std::string(text.substr(at, end - at + 1));
    at = end;
  }
  return out;
}

std::optional<std::string> field_of(const Pod& pod, std::string_view path,
                                    const EnvSources& sources) {
  const Value& object = *pod.object;
  if (path == "metadata.name") return pod.name;
  if (path == "metadata.namespace") return pod.ns;
  if (path == "metadata.uid") return pod.uid;
  if (path == "spec.nodeName") return sources.node_name;
  if (path == "spec.serviceAccountName")
    return std::string(string_at(object, {"spec", "serviceAccountName"}));
  if (path == "status.hostIP" || path == "status.hostIPs") return sources.host_ip;
  if (path == "status.podIP" || path == "status.podIPs") return sources.pod_ip;
  if (path == "metadata.labels") return text_of_map(object, "labels");
  if (path == "metadata.annotations") return text_of_map(object, "annotations");
  for (const std::string_view member : {"labels", "annotations"}) {
    const std::string begin = fmt::format("metadata.{}['", member);
    if (!path.starts_with(begin) || !path.ends_with("']")) continue;
    const std::string_view key = path.substr(begin.size(), path.size() - begin.size() - 2);
    return std::string(string_at(object, {"metadata", member, key}));
  }
  return std::nullopt;
}

Result<std::string> resource_of(const ContainerDef& container, std::string_view resource,
                                std::string_view divisor, const EnvSources& sources) {
  const size_t dot = resource.find('.');
  const std::string_view list = resource.substr(0, dot), name = resource.substr(dot + 1);
  const Value* amount = model::find(*container.object, {"resources", list, name});
  std::string text = amount != nullptr && amount->is_string()
                         ? std::string(model::view(amount->get_string()))
                         : "0";
  // Who has no limit has the machine's.
  if (amount == nullptr && list == "limits" && name == "cpu")
    text = fmt::format("{}m", sources.cpu_millis);
  if (amount == nullptr && list == "limits" && name == "memory")
    text = std::to_string(sources.memory_bytes);
  const model::Quantity value = HF_TRY(model::Quantity::parse(text));
  const model::Quantity unit =
      HF_TRY(model::Quantity::parse(divisor.empty() || divisor == "0" ? "1" : divisor));
  if (name == "cpu") {
    const int64_t by = std::max<int64_t>(1, unit.milli_value());
    return std::to_string((value.milli_value() + by - 1) / by);
  }
  const int64_t by = std::max<int64_t>(1, unit.value());
  return std::to_string((value.value() + by - 1) / by);
}

Result<Variables> environment_of(const Pod& pod, const ContainerDef& container,
                                 const EnvSources& sources) {
  // Variables of services may be referred to and be overridden.
  Variables known = sources.services, own;
  for (const Value& from : array_at(*container.object, {"envFrom"}))
    HF_TRY(add_all_of(own, from, sources));
  for (const Value& entry : array_at(*container.object, {"env"})) {
    Variables seen = known;
    for (const auto& [name, value] : own) set(seen, name, value);
    const std::string_view name = string_at(entry, {"name"});
    if (const Value* from = model::find(entry, {"valueFrom"});
        from != nullptr && from->is_object()) {
      std::optional<std::string> value = HF_TRY(value_from(pod, container, *from, sources));
      if (value) set(own, name, std::move(*value));
      continue;
    }
    set(own, name, expand(string_at(entry, {"value"}), seen));
  }
  for (auto& [name, value] : own) set(known, name, std::move(value));
  return known;
}

}  // namespace holdfast::node

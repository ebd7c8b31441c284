#include <holdfast/control/made_for.h>
#include <holdfast/control/sabotage.h>

#include <fmt/format.h>

namespace holdfast::control {

model::Object made_metadata(const Mark& mark, const Owner& owner, std::string_view ns,
                            std::string_view name) {
  model::Object labels{{"app.kubernetes.io/managed-by", "holdfast"}};
  labels[mark.label] = owner.uid;
  model::Object out{{"name", name}, {"labels", std::move(labels)}};
  if (!ns.empty()) out["namespace"] = ns;
  if (mark.annotation.empty()) return out;
  model::Object annotations;
  annotations[mark.annotation] = fmt::format("{}/{}", owner.ns, owner.name);
  out["annotations"] = std::move(annotations);
  return out;
}

model::Value made_object(const kube::Resource& resource, model::Object metadata,
                         model::Object spec) {
  return model::Object{{"apiVersion", resource.api_version()},
                       {"kind", resource.kind},
                       {"metadata", std::move(metadata)},
                       {"spec", std::move(spec)}};
}

bool is_made_for(const kube::Cached& object, const Mark& mark, std::string_view owner_uid) {
  if (!object) return false;
  for (const auto& [label, value] : object.labels())
    if (label == mark.label) return value == owner_uid;
  return false;
}

Result<std::map<std::string, kube::Cached>> list_made(Pass& pass, const kube::Resource& resource,
                                                      std::string_view ns, const Mark& mark,
                                                      std::string_view owner_uid) {
  std::map<std::string, kube::Cached> out;
  for (const kube::Cached& each :
       HF_TRY(list_live(pass, resource, ns, fmt::format("{}={}", mark.label, owner_uid))))
    out.emplace(each.name(), each);
  return out;
}

kube::IndexFunction by_owner(const Mark& mark) {
  return [label = std::string(mark.label)](const kube::Cached& object,
                                           std::vector<std::string>& values) {
    for (const auto& [key, value] : object.labels())
      if (key == label) values.push_back(value);
  };
}

Mapper owner_marked(const Mark& mark) {
  return [annotation = std::string(mark.annotation)](const kube::Change& change) -> Keys {
    const kube::Cached& object = change.object();
    // Most objects that are watched are not ours, and not worth a parse.
    if (object.metadata().find(annotation) == std::string_view::npos) return {};
    const std::shared_ptr<const model::Value> value = object.shared_value();
    const std::string_view of = model::string_at(*value, {"metadata", "annotations", annotation});
    const size_t slash = of.find('/');
    if (slash == std::string_view::npos) return {};
    return {kube::Key{std::string(of.substr(0, slash)), std::string(of.substr(slash + 1))}};
  };
}

std::string made_name(std::string_view prefix, std::string_view owner_uid, std::string_view part,
                      std::string_view step) {
  if (sabotage().no_names) return fmt::format("{}-{}", prefix, draw_number());
  return fmt::format("{}-{:016x}", prefix,
                     name_hash(fmt::format("{}/{}/{}", owner_uid, part, step)));
}

uint64_t name_hash(std::string_view text) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : text) hash = (hash ^ uint8_t(c)) * 1099511628211U;
  return hash;
}

}  // namespace holdfast::control

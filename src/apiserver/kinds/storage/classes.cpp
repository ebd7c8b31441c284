/// StorageClass and VolumeAttributesClass.
#include <holdfast/base/text.h>

#include "kinds/storage/storage.h"

#include <fmt/format.h>

#include <map>
#include <set>

namespace holdfast::apiserver::storage {

using model::Value;

namespace {

constexpr int64_t kMaxParameters = 512;
constexpr int64_t kMaxParameterBytes = int64_t(256) << 10;

void check_provisioner(const Place& name) {
  if (name.empty()) return name.required();
  for (std::string& complaint : model::check_qualified_name(to_lower(name.text())))
    name.invalid(Value(to_lower(name.text())), std::move(complaint));
}

void check_parameters(const Place& parameters, bool may_be_empty) {
  if (parameters.members().size() > size_t{kMaxParameters})
    return parameters.too_long(kMaxParameters);
  size_t total = 0;
  for (const auto& parameter : parameters.members()) {
    if (parameter.key().empty()) parameters.invalid(Value(""), "field can not be empty.");
    total += parameter.key().size() + model::string_at(parameter.value(), {}).size();
  }
  if (total > size_t{kMaxParameterBytes}) parameters.too_long(kMaxParameterBytes);
  if (!may_be_empty) parameters.need("must contain at least one key/value pair");
}

using Topology = std::map<std::string_view, std::set<std::string_view>>;

Topology check_topology(const Place& term) {
  Topology topology;
  term["matchLabelExpressions"].each([&](const Place& requirement) {
    std::set<std::string_view> values;
    requirement["values"].need();
    requirement["values"].each([&](const Place& value) {
      if (!values.insert(value.text()).second) value.duplicate();
    });
    requirement["key"].qualified_name();
    if (topology.contains(requirement["key"].text())) requirement["key"].duplicate();
    topology[requirement["key"].text()] = std::move(values);
  });
  return topology;
}

/// An empty term is refused with as many duplicates as there are terms: the real server compares
/// with a list that begins with that many empty ones.
void check_topologies(const Place& topologies) {
  std::vector<Topology> seen(topologies.items().size());
  topologies.each([&](const Place& term) {
    Topology topology = check_topology(term);
    for (const Topology& earlier : seen)
      if (earlier == topology) term["matchLabelExpressions"].duplicate(Value(""));
    seen.push_back(std::move(topology));
  });
}

void default_class(Value& object) {
  default_member(object, "reclaimPolicy", "Delete");
  default_member(object, "volumeBindingMode", "Immediate");
}

void validate_class(const Value& object, model::FieldErrors& errors) {
  const Place storage_class(object, errors);
  check_provisioner(storage_class["provisioner"]);
  check_parameters(storage_class["parameters"], true);
  if (!storage_class["reclaimPolicy"].empty())
    storage_class["reclaimPolicy"].one_of({"Delete", "Retain"});
  storage_class["volumeBindingMode"].one_of({"Immediate", "WaitForFirstConsumer"});
  check_topologies(storage_class["allowedTopologies"]);
}

void check_kept(const Place& object, const Value& old,
                std::initializer_list<std::string_view> names) {
  for (std::string_view name : names)
    if (!model::equal(object[name].value(), member(old, name)))
      object[name].forbidden(fmt::format("updates to {} are forbidden.", name));
}

void validate_class_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  validate_class(object, errors);
  const Place storage_class(object, errors);
  check_kept(storage_class, old, {"parameters", "provisioner", "reclaimPolicy"});
  immutable(storage_class["volumeBindingMode"], member(old, "volumeBindingMode"));
}

void validate_attributes(const Value& object, model::FieldErrors& errors) {
  const Place attributes(object, errors);
  check_provisioner(attributes["driverName"]);
  check_parameters(attributes["parameters"], false);
}

/// The real server looks at the object twice, and says twice what is wrong with it.
void validate_attributes_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  validate_attributes(object, errors);
  check_kept(Place(object, errors), old, {"driverName", "parameters"});
  validate_attributes(object, errors);
}

}  // namespace

const Value& member(const Value& object, std::string_view name) {
  static const Value absent;
  const Value* found = model::find(object, {name});
  return found == nullptr ? absent : *found;
}

constinit const KindRules kStorageClass = {
    .group = "storage.k8s.io",
    .kind = "StorageClass",
    .set_defaults = default_class,
    .validate = validate_class,
    .validate_update = validate_class_update,
};

constinit const KindRules kVolumeAttributesClass = {
    .group = "storage.k8s.io",
    .kind = "VolumeAttributesClass",
    .validate = validate_attributes,
    .validate_update = validate_attributes_update,
};

}  // namespace holdfast::apiserver::storage

#include "kinds/selectors.h"

#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>
#include <holdfast/model/selector.h>

namespace holdfast::apiserver {

namespace {

constexpr int64_t kMaxAnnotationBytes = int64_t(256) << 10;

void check_requirement(const Place& requirement, bool allow_invalid_values) {
  const std::string_view op = requirement["operator"].text();
  const Place values = requirement["values"];
  if (op == "In" || op == "NotIn") {
    values.need("must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty())
      values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else {
    requirement["operator"].invalid(model::Value(op), "not a valid selector operator");
  }
  requirement["key"].qualified_name();
  if (allow_invalid_values) return;
  values.each([](const Place& value) { value.accept(model::check_label_value(value.text())); });
}

model::Labels labels_of(const model::Value& labels) {
  model::Labels out;
  for (const auto& label : model::object_at(labels, {}))
    out.emplace_back(std::string(label.key()), std::string(model::string_at(label.value(), {})));
  std::sort(out.begin(), out.end());
  return out;
}

void check_source(const Place& source) {
  source["name"].need();
  source["kind"].need();
  const std::string_view group = source["apiGroup"].text();
  if (group.empty()) {
    if (source["kind"].text() != "PersistentVolumeClaim")
      source.invalid(model::Value(source["kind"].text()),
                     "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  } else {
    source["apiGroup"].dns_subdomain();
  }
}

void check_sources(const Place& spec) {
  const Place source = spec["dataSource"];
  const Place reference = spec["dataSourceRef"];
  if (source.present()) check_source(source);
  if (reference.present()) {
    check_source(reference);
    if (!reference["namespace"].empty()) reference["namespace"].dns_label();
  }
  if (!source.present() || !reference.present()) return;
  if (!reference["namespace"].empty())
    spec.invalid(go_form({}, {}), "may not be specified when dataSourceRef.namespace is specified");
  else if (source["apiGroup"].text() != reference["apiGroup"].text() ||
           source["kind"].text() != reference["kind"].text() ||
           source["name"].text() != reference["name"].text())
    spec.invalid(go_form({}, {}), "must match dataSourceRef");
}

void check_storage_request(const Place& spec) {
  const Place storage =
      spec["resources"]["requests"]["storage"].as(model::key(spec["resources"].path(), "storage"));
  if (!storage.present()) return storage.required();
  auto quantity = model::Quantity::parse(storage.text());
  if (quantity && (quantity->negative() || *quantity == model::Quantity()))
    storage.invalid("must be greater than zero");
}

}  // namespace

void check_labels(const Place& labels) {
  for (const auto& label : labels.members()) {
    const std::string_view name = label.key();
    for (std::string& complaint : model::check_qualified_name(name))
      labels.invalid(model::Value(name), std::move(complaint));
    for (std::string& complaint : model::check_label_value(model::string_at(label.value(), {})))
      labels.invalid(label.value(), std::move(complaint));
  }
}

void check_annotations(const Place& annotations) {
  size_t total = 0;
  for (const auto& annotation : annotations.members()) {
    const std::string_view name = annotation.key();
    for (std::string& complaint : model::check_qualified_name(to_lower(name)))
      annotations.invalid(model::Value(name), std::move(complaint));
    total += name.size() + model::string_at(annotation.value(), {}).size();
  }
  if (total > size_t{kMaxAnnotationBytes}) annotations.too_long(kMaxAnnotationBytes);
}

void check_label_selector(const Place& selector, bool allow_invalid_values) {
  check_labels(selector["matchLabels"]);
  selector["matchExpressions"].each(
      [&](const Place& requirement) { check_requirement(requirement, allow_invalid_values); });
}

bool has_invalid_label_value(const model::Value& selector) {
  for (const model::Value& requirement : model::array_at(selector, {"matchExpressions"}))
    for (const model::Value& value : model::array_at(requirement, {"values"}))
      if (!model::check_label_value(model::string_at(value, {})).empty()) return true;
  return false;
}

Match match_labels(const model::Value& selector, const model::Value& labels) {
  if (!selector.is_object()) return Match::No;
  auto parsed = model::LabelSelector::from_object(selector);
  if (!parsed) return Match::Unparsable;
  return parsed->matches(labels_of(labels)) ? Match::Yes : Match::No;
}

bool selects_everything(const model::Value& selector) {
  return model::object_at(selector, {"matchLabels"}).empty() &&
         model::array_at(selector, {"matchExpressions"}).empty();
}

void check_claim_spec(const Place& spec) {
  const Place modes = spec["accessModes"];
  modes.need("at least 1 access mode is required");
  check_label_selector(spec["selector"]);
  bool only_one_pod = false;
  bool others = false;
  modes.each([&](const Place& mode) {
    mode.as(modes.path())
        .one_of({"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
    if (mode.text() == "ReadWriteOncePod") only_one_pod = true;
    if (mode.text() == "ReadOnlyMany" || mode.text() == "ReadWriteMany" ||
        mode.text() == "ReadWriteOnce")
      others = true;
  });
  if (only_one_pod && others)
    modes.forbidden("may not use ReadWriteOncePod with other access modes");
  check_storage_request(spec);
  for (std::string_view name : {"storageClassName", "volumeAttributesClassName"})
    if (!spec[name].empty()) spec[name].dns_subdomain();
  spec["volumeMode"].one_of_if_present({"Block", "Filesystem"});
  check_sources(spec);
}

}  // namespace holdfast::apiserver

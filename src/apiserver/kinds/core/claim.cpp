/// PersistentVolumeClaim.
#include "kinds/core/core.h"
#include "kinds/core/resources.h"
#include "kinds/go_struct.h"
#include "kinds/pod/amounts.h"
#include "kinds/pod/pod.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

namespace holdfast::apiserver::core {

using model::Object;
using model::Value;

namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

void set_defaults(Value& claim) {
  pod::default_claim_spec(object_member(claim, "spec"));
  default_member(object_member(claim, "status"), "phase", "Pending");
}

bool is_claim_or_snapshot(const Value& source) {
  const std::string_view kind = model::string_at(source, {"kind"});
  const std::string_view group = model::string_at(source, {"apiGroup"});
  return (kind == "PersistentVolumeClaim" && group.empty()) ||
         (kind == "VolumeSnapshot" && group == "snapshot.storage.k8s.io");
}

Value reference_from(const Value& source) {
  Object out;
  for (std::string_view name : {"apiGroup", "kind", "name"})
    if (const Value* member = model::find(source, {name})) out.emplace(name, *member);
  return out;
}

/// dataSource and dataSourceRef say the same thing in an old and a new field; a source that the
/// old field never took is dropped from it in silence.
void align_sources(Value& spec, const Value* old_spec) {
  const auto had = [&](std::string_view name) {
    return old_spec != nullptr && model::find(*old_spec, {name}) != nullptr;
  };
  Object& members = spec.get_object();
  if (!model::string_at(spec, {"dataSourceRef", "namespace"}).empty() && !had("dataSourceRef"))
    members.erase("dataSourceRef");
  const Value* source = members.if_contains("dataSource");
  const Value* reference = members.if_contains("dataSourceRef");
  if (source != nullptr && reference == nullptr && !had("dataSource") && !had("dataSourceRef") &&
      !is_claim_or_snapshot(*source)) {
    members.erase("dataSource");
    return;
  }
  if (source != nullptr && reference == nullptr) {
    Value made = reference_from(*source);
    members["dataSourceRef"] = std::move(made);
  } else if (reference != nullptr && source == nullptr &&
             model::string_at(*reference, {"namespace"}).empty()) {
    Value made = reference_from(*reference);
    members["dataSource"] = std::move(made);
  }
}

void prepare_create(Value& claim) {
  claim.get_object()["status"] = Object{{"phase", "Pending"}};
  align_sources(object_member(claim, "spec"), nullptr);
}

void prepare_update(Value& claim, const Value& old) {
  align_sources(object_member(claim, "spec"), model::find(old, {"spec"}));
}

void validate(const Value& claim, model::FieldErrors& errors) {
  check_claim_spec(Place(claim, errors)["spec"]);
}

Value member(const Value& object, std::string_view name) {
  const Value* found = model::find(object, {name});
  return found == nullptr ? Value() : *found;
}

/// core.PersistentVolumeClaimSpec
Value shown_spec(const Value& spec) {
  Value out =
      go_struct(spec, {{"AccessModes", "accessModes", Zero::Null},
                       {"Selector", "selector", Zero::Null},
                       {"Resources", "resources"},
                       {"VolumeName", "volumeName"},
                       {"StorageClassName", "storageClassName", Zero::Null},
                       {"VolumeMode", "volumeMode", Zero::Null},
                       {"DataSource", "dataSource", Zero::Null},
                       {"DataSourceRef", "dataSourceRef", Zero::Null},
                       {"VolumeAttributesClassName", "volumeAttributesClassName", Zero::Null}});
  Object& fields = out.get_object();
  fields["Resources"] =
      go_struct(member(spec, "resources"),
                {{"Limits", "limits", Zero::Null}, {"Requests", "requests", Zero::Null}});
  fields["DataSource"] =
      go_pointer(member(spec, "dataSource"),
                 {{"APIGroup", "apiGroup", Zero::Null}, {"Kind", "kind"}, {"Name", "name"}});
  fields["DataSourceRef"] =
      go_pointer(member(spec, "dataSourceRef"), {{"APIGroup", "apiGroup", Zero::Null},
                                                 {"Kind", "kind"},
                                                 {"Name", "name"},
                                                 {"Namespace", "namespace", Zero::Null}});
  return out;
}

/// Sets `to[name]` to what `from` has there, be it nothing.
void take_over(Value& to, const Value& from, std::string_view name) {
  if (const Value* value = model::find(from, {name}))
    to.get_object()[name] = *value;
  else
    to.get_object().erase(name);
}

/// Whether the class only moved from the annotation of old into the field.
bool class_left_annotation(const Value& now, const Value& old) {
  const auto noted = [](const Value& claim) {
    return model::find(claim, {"metadata", "annotations", kClassAnnotation});
  };
  const Value* before = noted(old);
  const Value* name = model::find(now, {"spec", "storageClassName"});
  return before != nullptr && model::find(old, {"spec", "storageClassName"}) == nullptr &&
         name != nullptr && *name == *before && (noted(now) == nullptr || *noted(now) == *before);
}

/// The two specs with what an update may change made equal; then they must not differ.
void check_spec_kept(const Place& claim, const Value& old) {
  Value now = claim["spec"].value();
  Value before = member(old, "spec");
  if (!now.is_object() || !before.is_object()) return;
  if (model::string_at(before, {"volumeName"}).empty()) take_over(before, now, "volumeName");
  if (class_left_annotation(claim.value(), old)) {
    now.get_object().erase("storageClassName");
  } else {
    const Value* noted = model::find(old, {"metadata", "annotations", kClassAnnotation});
    const Place annotation = claim["metadata"]["annotations"][kClassAnnotation];
    if (annotation.text() != (noted == nullptr ? "" : model::string_at(*noted, {})))
      annotation.invalid(Value(annotation.text()), "field is immutable");
    const Value* name = model::find(now, {"storageClassName"});
    if (name != nullptr && model::find(before, {"storageClassName"}) == nullptr &&
        (noted == nullptr || *noted == *name))
      take_over(now, before, "storageClassName");
  }
  if (claim["status"]["phase"].text() == "Bound") {
    if (model::find(now, {"resources", "requests"}) != nullptr &&
        model::find(before, {"resources", "requests"}) != nullptr)
      take_over(*model::find(now, {"resources", "requests"}),
                *model::find(before, {"resources", "requests"}), "storage");
    take_over(now, before, "volumeAttributesClassName");
  }
  if (!model::equal(now, before))
    claim["spec"].forbidden(
        "spec is immutable after creation except resources.requests and "
        "volumeAttributesClassName for bound claims\n" +
        go_diff(shown_spec(before), shown_spec(now)));
}

void check_size_kept(const Place& claim, const Value& old) {
  const Place storage = claim["spec"]["resources"]["requests"]["storage"];
  const auto size = [&](const Value* text) {
    auto parsed =
        model::Quantity::parse(text == nullptr ? std::string_view() : model::string_at(*text, {}));
    return parsed ? *parsed : model::Quantity();
  };
  const model::Quantity now = size(&storage.value());
  if (now < size(model::find(old, {"spec", "resources", "requests", "storage"})) &&
      now <= size(model::find(old, {"status", "capacity", "storage"})))
    storage.forbidden("field can not be less than status.capacity");
}

void check_attributes_class_kept(const Place& claim, const Value& old) {
  const Place now = claim["spec"]["volumeAttributesClassName"];
  const Value* before = model::find(old, {"spec", "volumeAttributesClassName"});
  if (model::equal(now.value(), before == nullptr ? Value() : *before) ||
      model::find(old, {"status", "currentVolumeAttributesClassName"}) == nullptr)
    return;
  if (!now.present())
    now.forbidden(
        "update to nil is forbidden when status.currentVolumeAttributesClassName is not nil");
  else if (now.text().empty())
    now.forbidden(
        "update to empty string is forbidden when status.currentVolumeAttributesClassName is not "
        "nil");
}

/// The real server looks at the spec twice, and says twice what is wrong with it.
void validate_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  validate(object, errors);
  validate(object, errors);
  const Place claim(object, errors);
  check_spec_kept(claim, old);
  check_size_kept(claim, old);
  const Value* mode = model::find(old, {"spec", "volumeMode"});
  immutable(claim["spec"]["volumeMode"].as("volumeMode"), mode == nullptr ? Value() : *mode);
  check_attributes_class_kept(claim, old);
}

void check_status_resource(std::string_view name, const Place& place) {
  const model::Complaints complaints = model::check_qualified_name(name);
  for (const std::string& complaint : complaints) place.invalid(Value(name), complaint);
  if (complaints.empty() && pod::is_native(name) && name != "storage")
    place.unsupported(Value(name), {"storage"});
}

void check_not_negative(const Place& entry) {
  const auto amount = quantity_of(entry);
  if (amount && amount->negative())
    entry.invalid(Value(amount->value()), "must be a valid resource quantity");
}

void validate_status(const Value& object, const Value&, model::FieldErrors& errors) {
  const Place claim(object, errors);
  const Place status = claim["status"];
  if (claim["spec"]["accessModes"].empty()) claim.as("Spec.accessModes").required();
  status["capacity"].each_entry(
      [](std::string_view, const Place& entry) { check_not_negative(entry); });
  const Place states = status["allocatedResourceStatuses"];
  states.each_entry([&](std::string_view name, const Place& state) {
    check_status_resource(name, states);
    for (std::string_view known :
         {"ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizePending",
          "NodeResizeInProgress", "NodeResizeInfeasible"})
      if (state.text() == known) return;
    states.unsupported(Value(name),
                       {"ControllerResizeInProgress", "ControllerResizeInfeasible",
                        "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"});
  });
  const Place allocated = status["allocatedResources"];
  allocated.each_entry([&](std::string_view name, const Place& entry) {
    check_status_resource(name, allocated);
    check_not_negative(entry);
  });
}

void warn(const Value& claim, std::vector<std::string>& warnings) {
  if (model::find(claim, {"metadata", "annotations", kClassAnnotation}) != nullptr)
    warnings.push_back(
        fmt::format("metadata.annotations[{}]: deprecated since v1.8; use \"storageClassName\" "
                    "attribute instead",
                    kClassAnnotation));
  for (std::string_view list : {"requests", "limits"}) {
    const auto amount =
        model::Quantity::parse(model::string_at(claim, {"spec", "resources", list, "storage"}));
    if (amount && amount->milli_value() % 1000 != 0)
      warnings.push_back(fmt::format(
          "spec.resources.{}[storage]: fractional byte value \"{}\" is invalid, must be an integer",
          list, amount->text()));
  }
}

}  // namespace

constinit const KindRules kPersistentVolumeClaim = {
    .group = "",
    .kind = "PersistentVolumeClaim",
    .set_defaults = set_defaults,
    .prepare_create = prepare_create,
    .prepare_update = prepare_update,
    .validate = validate,
    .validate_update = validate_update,
    .validate_status = validate_status,
    .warn = warn,
};

}  // namespace holdfast::apiserver::core

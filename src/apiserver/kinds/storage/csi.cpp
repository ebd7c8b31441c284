/// Kinds that CSI drivers and their sidecars write: CSIDriver, CSINode, CSIStorageCapacity,
/// VolumeAttachment.
#include <holdfast/base/text.h>
#include <holdfast/model/quantity.h>

#include "kinds/go_struct.h"
#include "kinds/selectors.h"
#include "kinds/storage/storage.h"

#include <fmt/format.h>

#include <set>

namespace holdfast::apiserver::storage {

using model::Value;

namespace {

constexpr int64_t kMaxNodeId = 256;
constexpr int64_t kMinTokenSeconds = 600;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;
constexpr int64_t kMaxMetadataBytes = int64_t(256) << 10;
constexpr size_t kMaxErrorMessage = 1024;

void default_driver(Value& driver) {
  Value& spec = object_member(driver, "spec");
  default_member(spec, "attachRequired", true);
  default_member(spec, "podInfoOnMount", false);
  default_member(spec, "storageCapacity", false);
  default_member(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
  if (model::array_at(spec, {"volumeLifecycleModes"}).empty())
    spec.get_object()["volumeLifecycleModes"] = model::Array{Value("Persistent")};
  default_member(spec, "requiresRepublish", false);
  default_member(spec, "seLinuxMount", false);
}

/// Belongs to a feature that is off in 1.34.
void drop_update_period(Value& driver, const Value* old) {
  constexpr std::string_view kPeriod = "nodeAllocatableUpdatePeriodSeconds";
  if (old == nullptr || model::find(*old, {"spec", kPeriod}) == nullptr)
    model::erase(driver, {"spec", kPeriod});
}

void check_token_requests(const Place& requests) {
  std::set<std::string_view> audiences;
  requests.each([&](const Place& request) {
    if (!audiences.insert(request["audience"].text()).second)
      return request["audience"].duplicate(Value(request["audience"].text()));
    const Place seconds = request["expirationSeconds"];
    if (!seconds.present()) return;
    if (seconds.number() < kMinTokenSeconds)
      seconds.invalid("may not specify a duration less than 10 minutes");
    if (seconds.number() > kMaxTokenSeconds)
      seconds.invalid("may not specify a duration larger than 2^32 seconds");
  });
}

void validate_driver(const Value& driver, model::FieldErrors& errors) {
  const Place spec = Place(driver, errors)["spec"];
  spec["fsGroupPolicy"].one_of_if_present({"File", "None", "ReadWriteOnceWithFSType"});
  check_token_requests(spec["tokenRequests"]);
  const Place modes = spec["volumeLifecycleModes"];
  modes.each([&](const Place& mode) { mode.as(modes.path()).one_of({"Persistent", "Ephemeral"}); });
  const Place period = spec["nodeAllocatableUpdatePeriodSeconds"];
  if (period.present() && period.number() < 10)
    period.invalid("must be greater than or equal to 10 seconds");
}

void validate_driver_update(const Value& driver, const Value& old, model::FieldErrors& errors) {
  validate_driver(driver, errors);
  const Place spec = Place(driver, errors)["spec"];
  const Value& before = member(old, "spec");
  immutable(spec["attachRequired"].as("spec.attachedRequired"), member(before, "attachRequired"));
  immutable(spec["volumeLifecycleModes"], member(before, "volumeLifecycleModes"));
}

void check_node_driver(const Place& driver, std::set<std::string_view>& names) {
  check_driver_name(driver["name"]);
  const Place id = driver["nodeID"];
  id.need();
  if (id.text().size() > size_t{kMaxNodeId})
    id.invalid(fmt::format("must be {} characters or less", kMaxNodeId));
  driver["allocatable"]["count"].non_negative();
  if (!names.insert(driver["name"].text()).second) driver["name"].duplicate();
  std::set<std::string_view> keys;
  driver["topologyKeys"].each([&](const Place& item) {
    const Place key = item.as(driver.path());
    key.need();
    if (!keys.insert(key.text()).second) key.duplicate();
    key.qualified_name();
  });
}

void validate_node(const Value& node, model::FieldErrors& errors) {
  std::set<std::string_view> names;
  Place(node, errors)["spec"]["drivers"].each(
      [&](const Place& driver) { check_node_driver(driver, names); });
}

Value shown_driver(const Value& driver) {
  Value out = go_struct(driver, {{"Name", "name"},
                                 {"NodeID", "nodeID"},
                                 {"TopologyKeys", "topologyKeys", Zero::Null},
                                 {"Allocatable", "allocatable", Zero::Null}});
  out.get_object()["Allocatable"] =
      go_pointer(member(driver, "allocatable"), {{"Count", "count", Zero::Null}});
  return out;
}

/// The real server looks at the object twice, and says twice what is wrong with it.
void validate_node_update(const Value& node, const Value& old, model::FieldErrors& errors) {
  for (int i = 0; i < 2; ++i) validate_node(node, errors);
  const Place drivers = Place(node, errors)["spec"]["drivers"];
  for (const Value& before : model::array_at(old, {"spec", "drivers"}))
    drivers.each([&](const Place& now) {
      if (now["name"].text() == model::string_at(before, {"name"}) &&
          !model::equal(now.value(), before))
        drivers.invalid(shown_driver(now.value()), "field is immutable");
    });
}

void validate_capacity(const Value& object, model::FieldErrors& errors) {
  const Place capacity(object, errors);
  check_label_selector(capacity["nodeTopology"]);
  capacity["storageClassName"].dns_subdomain();
  const Place amount = capacity["capacity"];
  if (!amount.present()) return;
  const auto quantity = model::Quantity::parse(amount.text());
  if (quantity && quantity->negative()) amount.invalid("must be greater than or equal to 0");
}

void validate_capacity_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  validate_capacity(object, errors);
  const Place capacity(object, errors);
  immutable(capacity["nodeTopology"], member(old, "nodeTopology"));
  immutable(capacity["storageClassName"], member(old, "storageClassName"));
}

void prepare_attachment(Value& attachment) {
  attachment.get_object()["status"] = model::Object{{"attached", false}};
}

void check_error(const Place& error) {
  if (error["message"].text().size() > kMaxErrorMessage)
    error["message"].too_long(kMaxMetadataBytes);
  if (error["errorCode"].number() < 0)
    error["errorCode"].invalid("must be between 0 and 2147483647, inclusive");
}

void check_attachment(const Place& attachment) {
  const Place spec = attachment["spec"];
  spec["attacher"].need();
  const Place source = spec["source"];
  const Place name = source["persistentVolumeName"];
  const bool inlined = source["inlineVolumeSpec"].present();
  if (!inlined && !name.present())
    source.required("must specify exactly one of inlineVolumeSpec and persistentVolumeName");
  else if (inlined && name.present())
    source.forbidden("must specify exactly one of inlineVolumeSpec and persistentVolumeName");
  else if (name.present())
    name.need("must specify non empty persistentVolumeName");
  spec["nodeName"].dns_subdomain();
  const Place status = attachment["status"];
  size_t total = 0;
  for (const auto& entry : status["attachmentMetadata"].members())
    total += entry.key().size() + model::string_at(entry.value(), {}).size();
  if (total > size_t{kMaxMetadataBytes}) status["attachmentMetadata"].too_long(kMaxMetadataBytes);
  check_error(status["attachError"]);
  check_error(status["detachError"]);
}

void validate_attachment(const Value& object, model::FieldErrors& errors) {
  const Place attachment(object, errors);
  check_attachment(attachment);
  check_driver_name(attachment["spec"]["attacher"]);
  const Place name = attachment["spec"]["source"]["persistentVolumeName"];
  if (name.present()) name.dns_subdomain();
}

/// core.VolumeAttachmentSpec; an inline volume is shown as it was sent.
Value shown_attachment(const Value& spec) {
  Value out =
      go_struct(spec, {{"Attacher", "attacher"}, {"Source", "source"}, {"NodeName", "nodeName"}});
  out.get_object()["Source"] = go_struct(
      member(spec, "source"), {{"PersistentVolumeName", "persistentVolumeName", Zero::Null},
                               {"InlineVolumeSpec", "inlineVolumeSpec", Zero::Null}});
  return out;
}

void validate_attachment_update(const Value& object, const Value& old, model::FieldErrors& errors) {
  const Place attachment(object, errors);
  for (int i = 0; i < 2; ++i) check_attachment(attachment);
  if (!model::equal(attachment["spec"].value(), member(old, "spec")))
    attachment["spec"].invalid(shown_attachment(attachment["spec"].value()), "field is immutable");
}

}  // namespace

void check_driver_name(const Place& name) {
  name.need();
  if (name.text().size() > 63) name.too_long(63);
  for (std::string& complaint : model::check_dns1123_subdomain(to_lower(name.text())))
    name.invalid(Value(name.text()), std::move(complaint));
}

constinit const KindRules kCsiDriver = {
    .group = "storage.k8s.io",
    .kind = "CSIDriver",
    .set_defaults = default_driver,
    .prepare_create = [](Value& driver) { drop_update_period(driver, nullptr); },
    .prepare_update = [](Value& driver, const Value& old) { drop_update_period(driver, &old); },
    .validate = validate_driver,
    .validate_update = validate_driver_update,
};

constinit const KindRules kCsiNode = {
    .group = "storage.k8s.io",
    .kind = "CSINode",
    .validate = validate_node,
    .validate_update = validate_node_update,
};

constinit const KindRules kCsiStorageCapacity = {
    .group = "storage.k8s.io",
    .kind = "CSIStorageCapacity",
    .validate = validate_capacity,
    .validate_update = validate_capacity_update,
};

constinit const KindRules kVolumeAttachment = {
    .group = "storage.k8s.io",
    .kind = "VolumeAttachment",
    .prepare_create = prepare_attachment,
    .validate = validate_attachment,
    .validate_update = validate_attachment_update,
    .validate_status = validate_attachment_update,
};

}  // namespace holdfast::apiserver::storage

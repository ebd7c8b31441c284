// Cells of volumes, claims, their classes and drivers.
#include <holdfast/base/text.h>

#include "tables/cell_text.h"
#include "tables/printers.h"

#include <algorithm>

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

constexpr std::string_view kStorage = "storage.k8s.io";

std::string access_modes(const Value& object, Path path) {
  constexpr std::pair<std::string_view, std::string_view> kShort[] = {{"ReadWriteOnce", "RWO"},
                                                                      {"ReadOnlyMany", "ROX"},
                                                                      {"ReadWriteMany", "RWX"},
                                                                      {"ReadWriteOncePod", "RWOP"}};
  const std::vector<std::string> given = strings_at(object, path);
  std::vector<std::string> modes;
  for (const auto& [mode, text] : kShort)
    if (std::find(given.begin(), given.end(), mode) != given.end()) modes.emplace_back(text);
  return join(modes, ",");
}

// The annotation is the older way and still wins.
std::string_view storage_class_name(const Value& object) {
  return text_at(object, {"metadata", "annotations", "volume.beta.kubernetes.io/storage-class"},
                 model::string_at(object, {"spec", "storageClassName"}));
}

std::string_view phase_cell(const Value& object) {
  return being_deleted(object) ? "Terminating" : model::string_at(object, {"status", "phase"});
}

void persistent_volume(const Value& object, WallTime now, Array& cells) {
  std::string claim;
  const Value* ref = model::find(object, {"spec", "claimRef"});
  if (ref != nullptr && ref->is_object())
    claim = std::string(model::string_at(*ref, {"namespace"})) + "/" +
            std::string(model::string_at(*ref, {"name"}));
  add_cells(cells, name_of(object), quantity_at(object, {"spec", "capacity", "storage"}),
            access_modes(object, {"spec", "accessModes"}),
            model::string_at(object, {"spec", "persistentVolumeReclaimPolicy"}), phase_cell(object),
            claim, storage_class_name(object),
            text_at(object, {"spec", "volumeAttributesClassName"}, "<unset>"),
            model::string_at(object, {"status", "reason"}), age_of(object, now),
            text_at(object, {"spec", "volumeMode"}, "<unset>"));
}

void persistent_volume_claim(const Value& object, WallTime now, Array& cells) {
  const std::string_view volume = model::string_at(object, {"spec", "volumeName"});
  std::string capacity, modes;
  if (!volume.empty()) {
    capacity = quantity_at(object, {"status", "capacity", "storage"});
    modes = access_modes(object, {"status", "accessModes"});
  }
  add_cells(cells, name_of(object), phase_cell(object), volume, capacity, modes,
            storage_class_name(object),
            text_at(object, {"spec", "volumeAttributesClassName"}, "<unset>"), age_of(object, now),
            text_at(object, {"spec", "volumeMode"}, "<unset>"));
}

void storage_class(const Value& object, WallTime now, Array& cells) {
  std::string name(name_of(object));
  for (const std::string_view annotation : {"storageclass.kubernetes.io/is-default-class",
                                            "storageclass.beta.kubernetes.io/is-default-class"})
    if (model::string_at(object, {"metadata", "annotations", annotation}) == "true") {
      name += " (default)";
      break;
    }
  add_cells(cells, name, model::string_at(object, {"provisioner"}),
            text_at(object, {"reclaimPolicy"}, "Delete"),
            text_at(object, {"volumeBindingMode"}, "Immediate"),
            model::bool_at(object, {"allowVolumeExpansion"}, false), age_of(object, now));
}

void volume_attributes_class(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), model::string_at(object, {"driverName"}), age_of(object, now));
}

void volume_attachment(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), model::string_at(object, {"spec", "attacher"}),
            model::string_at(object, {"spec", "source", "persistentVolumeName"}),
            model::string_at(object, {"spec", "nodeName"}),
            model::bool_at(object, {"status", "attached"}, false), age_of(object, now));
}

void csi_node(const Value& object, WallTime now, Array& cells) {
  add_cells(cells, name_of(object), count_at(object, {"spec", "drivers"}), age_of(object, now));
}

std::string token_requests(const Value& object) {
  const Array& requests = model::array_at(object, {"spec", "tokenRequests"});
  if (requests.empty()) return "<unset>";
  std::vector<std::string> audiences;
  for (const Value& request : requests)
    audiences.emplace_back(model::string_at(request, {"audience"}));
  return join(audiences, ",");
}

void csi_driver(const Value& object, WallTime now, Array& cells) {
  const auto flag = [&](std::string_view field, bool otherwise) {
    return model::bool_at(object, {"spec", field}, otherwise);
  };
  const std::string modes = join(strings_at(object, {"spec", "volumeLifecycleModes"}), ",");
  add_cells(cells, name_of(object), flag("attachRequired", true), flag("podInfoOnMount", false),
            flag("storageCapacity", false), token_requests(object),
            flag("requiresRepublish", false), modes.empty() ? "<none>" : modes,
            age_of(object, now));
}

const std::vector<Column> kVolumeColumns = {
    kNameColumn, {"Capacity"}, {"Access Modes"},         {"Reclaim Policy"},
    {"Status"},  {"Claim"},    {"StorageClass"},         {"VolumeAttributesClass"},
    {"Reason"},  kAgeColumn,   wide_column("VolumeMode")};
const std::vector<Column> kClaimColumns = {kNameColumn,
                                           {"Status"},
                                           {"Volume"},
                                           {"Capacity"},
                                           {"Access Modes"},
                                           {"StorageClass"},
                                           {"VolumeAttributesClass"},
                                           kAgeColumn,
                                           wide_column("VolumeMode")};
const std::vector<Column> kStorageClassColumns = {
    kNameColumn,           {"Provisioner"},          {"ReclaimPolicy"},
    {"VolumeBindingMode"}, {"AllowVolumeExpansion"}, kAgeColumn};
const std::vector<Column> kAttachmentColumns = {
    kNameColumn, {"Attacher", "string", "name"}, {"PV"},
    {"Node"},    boolean_column("Attached"),     kAgeColumn};
const std::vector<Column> kDriverColumns = {kNameColumn,
                                            boolean_column("AttachRequired"),
                                            boolean_column("PodInfoOnMount"),
                                            boolean_column("StorageCapacity"),
                                            {"TokenRequests"},
                                            boolean_column("RequiresRepublish"),
                                            {"Modes"},
                                            kAgeColumn};

}  // namespace

void add_storage_printers(Printers& printers) {
  printers.push_back({"", "PersistentVolume", kVolumeColumns, persistent_volume});
  printers.push_back({"", "PersistentVolumeClaim", kClaimColumns, persistent_volume_claim});
  printers.push_back({kStorage, "StorageClass", kStorageClassColumns, storage_class});
  printers.push_back({kStorage,
                      "VolumeAttributesClass",
                      {kNameColumn, {"DriverName"}, kAgeColumn},
                      volume_attributes_class});
  printers.push_back({kStorage, "VolumeAttachment", kAttachmentColumns, volume_attachment});
  printers.push_back(
      {kStorage, "CSINode", {kNameColumn, integer_column("Drivers"), kAgeColumn}, csi_node});
  printers.push_back({kStorage, "CSIDriver", kDriverColumns, csi_driver});
}

}  // namespace holdfast::apiserver

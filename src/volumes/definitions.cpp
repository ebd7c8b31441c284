/// The kinds of snapshot.storage.k8s.io/v1 and groupsnapshot.storage.k8s.io, with the fields, short
/// names and columns that the snapshot-controller of kubernetes-csi gives them. Where its own
/// definitions are installed, they stay.
#include "definitions.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <string>

namespace holdfast::volumes {

using model::Array;
using model::Object;
using model::Value;

namespace {

struct Described {
  std::string_view group, kind, plural, short_names;
  bool namespaced;
  std::string_view columns;  ///< NAME TYPE PATH, one a line
  std::string_view schema;   ///< YAML of openAPIV3Schema.properties, without apiVersion and kind
};

constexpr std::string_view kSnapshot = "snapshot.storage.k8s.io";
constexpr std::string_view kGroupSnapshot = "groupsnapshot.storage.k8s.io";

constexpr std::string_view kClassSchema = R"(
required: [deletionPolicy, driver]
properties:
  driver:
    type: string
    description: the CSI driver that handles this class
    x-kubernetes-validations: [{rule: self == oldSelf, message: driver is immutable}]
  parameters:
    type: object
    additionalProperties: {type: string}
    description: passed on to the driver
    x-kubernetes-validations: [{rule: self == oldSelf, message: parameters are immutable}]
  deletionPolicy:
    type: string
    enum: [Delete, Retain]
    description: what becomes of the content when its snapshot is deleted
    x-kubernetes-validations: [{rule: self == oldSelf, message: deletionPolicy is immutable}]
)";

constexpr std::string_view kClassColumns = R"(Driver string .driver
DeletionPolicy string .deletionPolicy)";

constexpr std::string_view kError = R"({type: object, description: the last thing that went wrong,
      properties: {message: {type: string}, time: {type: string, format: date-time}}})";

constexpr std::string_view kReference = R"({type: object, x-kubernetes-map-type: atomic,
      properties: {apiVersion: {type: string}, kind: {type: string}, name: {type: string},
        namespace: {type: string}, uid: {type: string}, resourceVersion: {type: string},
        fieldPath: {type: string}}})";

constexpr std::string_view kSnapshotSchema = R"(
required: [spec]
properties:
  spec:
    type: object
    required: [source]
    properties:
      source:
        type: object
        description: where the snapshot comes from; exactly one of the two, for good
        properties:
          persistentVolumeClaimName: {type: string, description: a claim of the same namespace}
          volumeSnapshotContentName: {type: string, description: a content that exists already}
        oneOf:
        - required: [persistentVolumeClaimName]
        - required: [volumeSnapshotContentName]
        x-kubernetes-validations: [{rule: self == oldSelf, message: source is immutable}]
      volumeSnapshotClassName:
        type: string
        description: name of the class; none means the default one of the claim's driver
        x-kubernetes-validations: [{rule: size(self) > 0, message: must not be the empty string when set}]
  status:
    type: object
    properties:
      boundVolumeSnapshotContentName: {type: string}
      creationTime: {type: string, format: date-time, description: when the cut was made}
      readyToUse: {type: boolean, description: a volume can be made of it}
      restoreSize:
        anyOf: [{type: integer}, {type: string}]
        x-kubernetes-int-or-string: true
        description: the least size of a volume made of it
      volumeGroupSnapshotName: {type: string, description: the group that it is a member of}
      error: ERROR
)";

constexpr std::string_view kContentSchema = R"(
required: [spec]
properties:
  spec:
    type: object
    required: [deletionPolicy, driver, source, volumeSnapshotRef]
    properties:
      deletionPolicy: {type: string, enum: [Delete, Retain]}
      driver:
        type: string
        x-kubernetes-validations: [{rule: self == oldSelf, message: driver is immutable}]
      source:
        type: object
        description: the volume to cut, or the snapshot that exists already; exactly one, for good
        properties:
          volumeHandle: {type: string}
          snapshotHandle: {type: string}
        oneOf:
        - required: [volumeHandle]
        - required: [snapshotHandle]
        x-kubernetes-validations: [{rule: self == oldSelf, message: source is immutable}]
      sourceVolumeMode: {type: string}
      volumeSnapshotClassName: {type: string}
      volumeSnapshotRef: REFERENCE
  status:
    type: object
    properties:
      creationTime: {type: integer, format: int64, description: nanoseconds since 1970}
      readyToUse: {type: boolean}
      restoreSize: {type: integer, format: int64, minimum: 0}
      snapshotHandle: {type: string}
      volumeGroupSnapshotHandle: {type: string}
      error: ERROR
)";

constexpr std::string_view kGroupSchema = R"(
required: [spec]
properties:
  spec:
    type: object
    required: [source]
    properties:
      source:
        type: object
        description: where the members come from; exactly one of the two, for good
        properties:
          selector:
            type: object
            x-kubernetes-map-type: atomic
            description: labels of the claims to cut together
            properties:
              matchLabels: {type: object, additionalProperties: {type: string}}
              matchExpressions:
                type: array
                items:
                  type: object
                  required: [key, operator]
                  properties:
                    key: {type: string}
                    operator: {type: string}
                    values: {type: array, items: {type: string}}
          volumeGroupSnapshotContentName: {type: string, description: a content that exists already}
        oneOf:
        - required: [selector]
        - required: [volumeGroupSnapshotContentName]
        x-kubernetes-validations: [{rule: self == oldSelf, message: source is immutable}]
      volumeGroupSnapshotClassName: {type: string}
  status:
    type: object
    properties:
      boundVolumeGroupSnapshotContentName: {type: string}
      creationTime: {type: string, format: date-time, description: when the cut was made}
      readyToUse: {type: boolean}
      error: ERROR
)";

constexpr std::string_view kGroupContentSchema = R"(
required: [spec]
properties:
  spec:
    type: object
    required: [deletionPolicy, driver, source, volumeGroupSnapshotRef]
    properties:
      deletionPolicy: {type: string, enum: [Delete, Retain]}
      driver: {type: string}
      source:
        type: object
        description: the volumes to cut, or the group that exists already; exactly one, for good
        properties:
          volumeHandles: {type: array, items: {type: string}, x-kubernetes-list-type: set}
          groupSnapshotHandles:
            type: object
            required: [volumeGroupSnapshotHandle, volumeSnapshotHandles]
            properties:
              volumeGroupSnapshotHandle: {type: string}
              volumeSnapshotHandles: {type: array, items: {type: string}}
        oneOf:
        - required: [volumeHandles]
        - required: [groupSnapshotHandles]
        x-kubernetes-validations: [{rule: self == oldSelf, message: source is immutable}]
      volumeGroupSnapshotClassName: {type: string}
      volumeGroupSnapshotRef: REFERENCE
  status:
    type: object
    properties:
      creationTime: {type: string, format: date-time}
      readyToUse: {type: boolean}
      volumeGroupSnapshotHandle: {type: string}
      volumeSnapshotInfoList:
        type: array
        items:
          type: object
          properties:
            volumeHandle: {type: string}
            snapshotHandle: {type: string}
            creationTime: {type: integer, format: int64}
            readyToUse: {type: boolean}
            restoreSize: {type: integer, format: int64, minimum: 0}
      volumeSnapshotHandlePairList:
        type: array
        description: the handles again, as v1beta1 lists them
        items:
          type: object
          required: [volumeHandle, snapshotHandle]
          properties:
            volumeHandle: {type: string}
            snapshotHandle: {type: string}
      error: ERROR
)";

constexpr Described kDescribed[] = {
    {kSnapshot, "VolumeSnapshot", "volumesnapshots", "vs", true,
     R"(ReadyToUse boolean .status.readyToUse
SourcePVC string .spec.source.persistentVolumeClaimName
SourceSnapshotContent string .spec.source.volumeSnapshotContentName
RestoreSize string .status.restoreSize
SnapshotClass string .spec.volumeSnapshotClassName
SnapshotContent string .status.boundVolumeSnapshotContentName
CreationTime date .status.creationTime)",
     kSnapshotSchema},
    {kSnapshot, "VolumeSnapshotContent", "volumesnapshotcontents", "vsc,vscs", false,
     R"(ReadyToUse boolean .status.readyToUse
RestoreSize integer .status.restoreSize
DeletionPolicy string .spec.deletionPolicy
Driver string .spec.driver
VolumeSnapshotClass string .spec.volumeSnapshotClassName
VolumeSnapshot string .spec.volumeSnapshotRef.name
VolumeSnapshotNamespace string .spec.volumeSnapshotRef.namespace)",
     kContentSchema},
    {kSnapshot, "VolumeSnapshotClass", "volumesnapshotclasses", "vsclass,vsclasses", false,
     kClassColumns, kClassSchema},
    {kGroupSnapshot, "VolumeGroupSnapshot", "volumegroupsnapshots", "vgs", true,
     R"(ReadyToUse boolean .status.readyToUse
VolumeGroupSnapshotClass string .spec.volumeGroupSnapshotClassName
VolumeGroupSnapshotContent string .status.boundVolumeGroupSnapshotContentName
CreationTime date .status.creationTime)",
     kGroupSchema},
    {kGroupSnapshot, "VolumeGroupSnapshotContent", "volumegroupsnapshotcontents", "vgsc,vgscs",
     false,
     R"(ReadyToUse boolean .status.readyToUse
DeletionPolicy string .spec.deletionPolicy
Driver string .spec.driver
VolumeGroupSnapshotClass string .spec.volumeGroupSnapshotClassName
VolumeGroupSnapshotNamespace string .spec.volumeGroupSnapshotRef.namespace
VolumeGroupSnapshot string .spec.volumeGroupSnapshotRef.name)",
     kGroupContentSchema},
    {kGroupSnapshot, "VolumeGroupSnapshotClass", "volumegroupsnapshotclasses",
     "vgsclass,vgsclasses", false, kClassColumns, kClassSchema},
};

std::string with_parts(std::string_view schema) {
  std::string out(schema);
  for (const auto& [mark, part] : {std::pair(std::string_view(" ERROR\n"), kError),
                                   std::pair(std::string_view(" REFERENCE\n"), kReference)})
    for (size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at))
      out.replace(at, mark.size(), fmt::format(" {}\n", part));
  return out;
}

Value schema_of(const Described& kind) {
  Result<model::Parsed> parsed = model::parse_yaml(with_parts(kind.schema));
  HF_CHECK(bool(parsed));
  Object schema = std::move(parsed->value.as_object());
  schema["type"] = "object";
  Object& properties = schema["properties"].as_object();
  for (const char* name : {"apiVersion", "kind"}) properties[name] = Object{{"type", "string"}};
  properties["metadata"] = Object{{"type", "object"}};
  return Object{{"openAPIV3Schema", std::move(schema)}};
}

Array columns_of(const Described& kind) {
  Array out;
  for (const std::string_view line : split(kind.columns, '\n')) {
    const std::vector<std::string_view> words = split(line, ' ');
    out.push_back(Object{{"name", words[0]}, {"type", words[1]}, {"jsonPath", words[2]}});
  }
  out.push_back(
      Object{{"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}});
  return out;
}

/// Clients of groups are of several ages. All versions have the same fields, so that a write in one
/// loses nothing of another.
Array versions_of(const Described& kind) {
  Array out;
  for (const std::string_view name : {"v1", "v1beta2", "v1beta1"}) {
    Object version{{"name", name}, {"served", true}, {"storage", name == "v1"}};
    version["schema"] = schema_of(kind);
    version["additionalPrinterColumns"] = columns_of(kind);
    version["subresources"] = Object{{"status", Object{}}};
    out.push_back(std::move(version));
    if (kind.group != kGroupSnapshot) break;
  }
  return out;
}

Value definition_of(const Described& kind) {
  Object names{{"kind", kind.kind},
               {"listKind", fmt::format("{}List", kind.kind)},
               {"plural", kind.plural},
               {"singular", to_lower(kind.kind)}};
  Array short_names;
  for (const std::string_view name : split(kind.short_names, ',')) short_names.emplace_back(name);
  names["shortNames"] = std::move(short_names);
  // Groups of k8s.io want a word on who agreed to them.
  Object annotations{{"api-approved.kubernetes.io",
                      "unapproved, the fields of kubernetes-csi/external-snapshotter's kind"}};
  Object metadata{{"name", fmt::format("{}.{}", kind.plural, kind.group)},
                  {"annotations", std::move(annotations)}};
  Object spec{{"group", kind.group},
              {"scope", kind.namespaced ? "Namespaced" : "Cluster"},
              {"names", std::move(names)},
              {"versions", versions_of(kind)}};
  return Object{{"apiVersion", "apiextensions.k8s.io/v1"},
                {"kind", "CustomResourceDefinition"},
                {"metadata", std::move(metadata)},
                {"spec", std::move(spec)}};
}

}  // namespace

std::vector<Value> definitions() {
  std::vector<Value> out;
  for (const Described& kind : kDescribed) out.push_back(definition_of(kind));
  return out;
}

}  // namespace holdfast::volumes

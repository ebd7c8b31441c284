/// Printers of built-in kinds: columns and cells as the real server's printers give them, always
/// with the wide columns, since the client picks by priority.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::apiserver {

struct Column {
  std::string_view name;
  std::string_view type = "string";
  std::string_view format = "";
  int priority = 0;  ///< 1 = only with -o wide
};

inline constexpr Column kNameColumn{"Name", "string", "name"};
inline constexpr Column kAgeColumn{"Age"};
inline constexpr Column kContainersColumn{"Containers", "string", "", 1};
inline constexpr Column kImagesColumn{"Images", "string", "", 1};
inline constexpr Column kSelectorColumn{"Selector", "string", "", 1};

constexpr Column integer_column(std::string_view name) { return {name, "integer"}; }
constexpr Column boolean_column(std::string_view name) { return {name, "boolean"}; }
constexpr Column wide_column(std::string_view name) { return {name, "string", "", 1}; }

struct Printer {
  std::string_view group, kind;
  std::vector<Column> columns;
  /// `object` is in its stored version.
  void (*cells)(const model::Value& object, WallTime now, model::Array& cells);
};
using Printers = std::vector<Printer>;

/// Null: the kind prints Name and Created At only.
const Printer* find_printer(std::string_view group, std::string_view kind);

/// "5d", "<unknown>": the age cell from a timestamp text.
std::string age(std::string_view timestamp, WallTime now);

// Each part of the list stands beside the cells that it names.
void add_core_printers(Printers& printers);
void add_pod_printers(Printers& printers);
void add_workload_printers(Printers& printers);
void add_network_printers(Printers& printers);
void add_storage_printers(Printers& printers);
void add_policy_printers(Printers& printers);
void add_autoscaler_printers(Printers& printers);

}  // namespace holdfast::apiserver

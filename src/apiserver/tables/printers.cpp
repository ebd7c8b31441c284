#include "tables/printers.h"

namespace holdfast::apiserver {
namespace {

using model::Array;
using model::Value;

void name_and_age(const Value& object, WallTime now, Array& cells) {
  cells.emplace_back(model::string_at(object, {"metadata", "name"}));
  cells.emplace_back(age(model::string_at(object, {"metadata", "creationTimestamp"}), now));
}

void config_map(const Value& object, WallTime now, Array& cells) {
  cells.emplace_back(model::string_at(object, {"metadata", "name"}));
  cells.emplace_back(model::object_at(object, {"data"}).size() +
                     model::object_at(object, {"binaryData"}).size());
  cells.emplace_back(age(model::string_at(object, {"metadata", "creationTimestamp"}), now));
}

void namespaces(const Value& object, WallTime now, Array& cells) {
  cells.emplace_back(model::string_at(object, {"metadata", "name"}));
  cells.emplace_back(model::string_at(object, {"status", "phase"}));
  cells.emplace_back(age(model::string_at(object, {"metadata", "creationTimestamp"}), now));
}

const std::vector<Printer>& printers() {
  static const std::vector<Printer> kPrinters = {
      {"", "ConfigMap", {{"Name", "string", "name"}, {"Data"}, {"Age"}}, config_map},
      {"", "Namespace", {{"Name", "string", "name"}, {"Status"}, {"Age"}}, namespaces},
      {"", "ServiceAccount", {{"Name", "string", "name"}, {"Age"}}, name_and_age},
  };
  return kPrinters;
}

}  // namespace

const Printer* find_printer(std::string_view group, std::string_view kind) {
  for (const Printer& printer : printers())
    if (printer.group == group && printer.kind == kind) return &printer;
  return nullptr;
}

}  // namespace holdfast::apiserver

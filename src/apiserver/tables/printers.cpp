#include "tables/printers.h"

namespace holdfast::apiserver {
namespace {

Printers all_printers() {
  Printers printers;
  add_core_printers(printers);
  add_pod_printers(printers);
  add_workload_printers(printers);
  add_network_printers(printers);
  add_storage_printers(printers);
  add_policy_printers(printers);
  add_autoscaler_printers(printers);
  return printers;
}

}  // namespace

const Printer* find_printer(std::string_view group, std::string_view kind) {
  static const Printers printers = all_printers();
  for (const Printer& printer : printers)
    if (printer.group == group && printer.kind == kind) return &printer;
  return nullptr;
}

}  // namespace holdfast::apiserver

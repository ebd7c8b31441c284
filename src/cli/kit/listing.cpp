#include <holdfast/cli/listing.h>
#include <holdfast/cli/sheet.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

void print_objects(const std::vector<Listed>& listed, OutputForm form) {
  model::Array items;
  for (const Listed& each : listed) items.push_back(shown_object(each.object));
  fmt::print("{}", object_text(list_of(std::move(items)), form));
}

void print_rows(const std::vector<Listed>& listed, const ListFlags& flags,
                const std::vector<std::string>& headings) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string_view ns, std::vector<std::string> row) {
    if (flags.all_namespaces) row.insert(row.begin(), std::string(ns));
    rows.push_back(std::move(row));
  };
  if (!flags.no_headers) add("NAMESPACE", headings);
  for (const Listed& each : listed)
    add(model::string_at(each.object, {"metadata", "namespace"}), each.cells);
  std::vector<size_t> widths;
  fmt::print("{}", aligned(rows, widths));
}

}  // namespace

void add_list_flags(CLI::App& command, ListFlags& flags) {
  command.add_flag("-A,--all-namespaces", flags.all_namespaces, "objects of all namespaces");
  command.add_option("-o,--output", flags.output, "output format: name, json or yaml");
  command.add_flag("--no-headers", flags.no_headers, "rows only");
}

void print_list(const Server& server, const ListFlags& flags, OutputForm form,
                const kube::Resource& resource, std::string_view what,
                const std::vector<std::string>& headings, const std::vector<Listed>& listed) {
  switch (form) {
    case OutputForm::Json:
    case OutputForm::Yaml:
      return print_objects(listed, form);
    case OutputForm::Name:
      for (const Listed& each : listed)
        fmt::print("{}\n",
                   name_text(resource, model::string_at(each.object, {"metadata", "name"})));
      return;
    case OutputForm::Table:
    case OutputForm::Wide:
      break;
  }
  if (!listed.empty()) return print_rows(listed, flags, headings);
  fmt::print(stderr, "No {} found{}\n", what,
             flags.all_namespaces ? "" : fmt::format(" in {} namespace.", server.ns()));
}

}  // namespace holdfast::cli

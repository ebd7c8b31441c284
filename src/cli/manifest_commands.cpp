#include "manifest_commands.h"

#include <holdfast/base/files.h>
#include <holdfast/cli/ending.h>
#include <holdfast/control/rights.h>
#include <holdfast/drivers/drivers.h>
#include <holdfast/model/yaml.h>
#include <holdfast/protect/controllers.h>
#include <holdfast/protect/kinds.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace holdfast::cli {
namespace {

using model::Array;
using model::Object;
using model::Value;

constexpr std::string_view kName = "holdfast-operator";
constexpr std::string_view kInNamespaces = "holdfast-operator-in-namespaces";
constexpr std::string_view kBeforeAll =
    "# The namespace holds administrators' locations and the Secrets that open their "
    "repositories:\n"
    "# to take the rights away, delete all but the Namespace. kubectl delete -f deletes it too.\n";
constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

std::string documents(const std::vector<Value>& values) {
  std::string out;
  for (const Value& value : values) {
    out += "---\n";
    out += model::to_yaml(value);
  }
  return out;
}

/// "holdfast.dev_backuplocations.yaml"
std::string file_name(const Value& definition) {
  return fmt::format("{}_{}.yaml", model::string_at(definition, {"spec", "group"}),
                     model::string_at(definition, {"spec", "names", "plural"}));
}

int print_definitions(const std::filesystem::path& folder) {
  const std::vector<Value> definitions = all_definitions();
  if (folder.empty()) {
    fmt::print("{}", documents(definitions));
    return 0;
  }
  for (const Value& definition : definitions) {
    const std::filesystem::path file = folder / file_name(definition);
    if (const Result<void> written = write_file(file, model::to_yaml(definition), 0644); !written) {
      fail(written.error());
      return 1;
    }
  }
  return 0;
}

Value rbac_object(std::string_view kind, std::string_view name, std::string_view ns = "") {
  Object metadata{{"name", name}};
  if (!ns.empty()) metadata["namespace"] = ns;
  metadata["labels"] = Object{{"app.kubernetes.io/name", "holdfast"}};
  return Object{{"apiVersion", std::string(kGroup) + "/v1"},
                {"kind", kind},
                {"metadata", std::move(metadata)}};
}

Value role(std::string_view kind, std::string_view name, std::string_view ns, Array rules) {
  Value out = rbac_object(kind, name, ns);
  out.as_object()["rules"] = std::move(rules);
  return out;
}

Value binding(std::string_view kind, std::string_view role_kind, std::string_view role_name,
              std::string_view ns, std::string_view account_ns) {
  Value out = rbac_object(kind, role_name, ns);
  out.as_object()["roleRef"] =
      Object{{"apiGroup", kGroup}, {"kind", role_kind}, {"name", role_name}};
  out.as_object()["subjects"] =
      Array{Object{{"kind", "ServiceAccount"}, {"name", kName}, {"namespace", account_ns}}};
  return out;
}

/// The kinds' own resources, for the people of a namespace: joined to the roles they already have.
/// What is of the whole cluster they may look at.
Value people_role(std::string_view suffix, const std::vector<std::string>& verbs) {
  std::vector<control::Right> rights;
  for (const Value& definition : all_definitions())
    if (!protect::is_internal(definition) &&
        (suffix == "view" || model::string_at(definition, {"spec", "scope"}) == "Namespaced"))
      rights.push_back({std::string(model::string_at(definition, {"spec", "group"})),
                        {std::string(model::string_at(definition, {"spec", "names", "plural"}))},
                        verbs});
  Value out =
      role("ClusterRole", fmt::format("holdfast-{}", suffix), "", control::rules_of(rights));
  Object& labels = model::ensure_object(out, {"metadata", "labels"});
  labels[fmt::format("{}/aggregate-to-{}", kGroup, suffix)] = "true";
  if (suffix == "edit") labels[fmt::format("{}/aggregate-to-admin", kGroup)] = "true";
  return out;
}

/// Objects of our kinds say themselves what is refused of them, so these rights hold everywhere.
bool is_ours(std::string_view group) {
  const std::vector<Value> all = all_definitions();
  return std::any_of(all.begin(), all.end(), [group](const Value& each) {
    return model::string_at(each, {"spec", "group"}) == group;
  });
}

/// What is read to know of it, and what is in no namespace; and what is done in namespaces.
struct OperatorRights {
  std::vector<control::Right> everywhere = control::runtime_rights(), in_namespaces{};
};

OperatorRights operator_rights() {
  OperatorRights out;
  for (const control::ControllerSpec& spec : protect::all_controllers({}, drivers::all(), {}, {})) {
    for (control::Right& right : control::rights_to_watch(spec))
      out.everywhere.push_back(std::move(right));
    for (const control::Right& right : spec.rights)
      for (const std::string& resource : right.resources) {
        const bool everywhere =
            is_ours(right.group) || control::is_cluster_scoped(right.group, resource);
        (everywhere ? out.everywhere : out.in_namespaces)
            .push_back({right.group, {resource}, right.verbs});
      }
  }
  return out;
}

/// With all that it may do in namespaces bound in those alone; in every one if none is named.
std::vector<Value> access(const std::string& ns, const std::vector<std::string>& only_in) {
  const OperatorRights rights = operator_rights();
  std::vector<Value> out{
      Object{{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Object{{"name", ns}}}},
      Object{{"apiVersion", "v1"},
             {"kind", "ServiceAccount"},
             {"metadata", Object{{"name", kName}, {"namespace", ns}}}},
      role("ClusterRole", kName, "", control::rules_of(rights.everywhere)),
      binding("ClusterRoleBinding", "ClusterRole", kName, "", ns),
      role("ClusterRole", kInNamespaces, "", control::rules_of(rights.in_namespaces))};
  if (only_in.empty())
    out.push_back(binding("ClusterRoleBinding", "ClusterRole", kInNamespaces, "", ns));
  std::set<std::string> bound(only_in.begin(), only_in.end());
  if (!only_in.empty()) bound.insert(ns);  // administrators' moves and upkeep run there
  for (const std::string& each : bound)
    out.push_back(binding("RoleBinding", "ClusterRole", kInNamespaces, each, ns));
  out.push_back(role("Role", kName, ns, control::rules_of(control::lease_rights())));
  out.push_back(binding("RoleBinding", "Role", kName, ns, ns));
  for (Value& people : people_roles()) out.push_back(std::move(people));
  return out;
}

}  // namespace

std::vector<model::Value> all_definitions() {
  std::vector<model::Value> out = protect::definitions();
  for (protect::Driver& driver : drivers::all())
    for (model::Value& each : driver.definitions) out.push_back(std::move(each));
  return out;
}

std::vector<model::Value> people_roles() {
  return {people_role("edit", {"create", "update", "patch", "delete", "deletecollection"}),
          people_role("view", {"get", "list", "watch"})};
}

void add_manifest_commands(CLI::App& app, int& code) {
  CLI::App* crds = app.add_subcommand("crds", "prints the CustomResourceDefinitions");
  auto folder = std::make_shared<std::filesystem::path>();
  crds->add_option("--output-dir", *folder,
                   "write one file per kind into this folder instead: GROUP_PLURAL.yaml")
      ->check(CLI::ExistingDirectory);
  crds->callback([folder, &code] { code = print_definitions(*folder); });

  CLI::App* rbac = app.add_subcommand("rbac", "prints the roles that the operator needs");
  auto ns = std::make_shared<std::string>("holdfast-system");
  auto only_in = std::make_shared<std::vector<std::string>>();
  rbac->add_option("--namespace", *ns, "namespace of the operator")->capture_default_str();
  rbac->add_option("--only-in", *only_in,
                   "NAMESPACE,… in which the operator may act, besides its own; default: all")
      ->delimiter(',');
  rbac->callback([ns, only_in, &code] {
    fmt::print("{}{}", kBeforeAll, documents(access(*ns, *only_in)));
    code = 0;
  });
}

}  // namespace holdfast::cli

/// Lists of a driver's objects, and of the backups that a location holds: tables for people, whole
/// objects for programs.
#pragma once

#include <holdfast/cli/object_text.h>
#include <holdfast/cli/objects.h>

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace holdfast::cli {

struct ListFlags {
  std::string output{};
  bool all_namespaces = false, no_headers = false;
};
void add_list_flags(CLI::App& command, ListFlags& flags);

struct Listed {
  model::Value object{};
  std::vector<std::string> cells{};
};
/// `what` they are: "actions".
void print_list(const Server& server, const ListFlags& flags, OutputForm form,
                const kube::Resource& resource, std::string_view what,
                const std::vector<std::string>& headings, const std::vector<Listed>& listed);

/// Which backups of a location are listed.
struct CatalogueChoice {
  std::string_view noun{};   ///< what is backed up: "group"
  std::string_view tag{};    ///< of its name, as protect's CatalogueTags have it
  std::string subject{};     ///< NAME or NAMESPACE/NAME of the one; "" = all
  std::string location{};    ///< NAME or NAMESPACE/NAME
  std::string repository{};  ///< NAMESPACE or ADMINS.NAMESPACE; "" = the namespace's own
  int64_t limit = 100;
};
void add_location_flags(CLI::App& command, CatalogueChoice& choice);
/// The exit code: 3 if some cannot be read, or there are more.
Result<int> list_catalogues(Server& server, const ListFlags& flags, OutputForm form,
                            const CatalogueChoice& choice);

}  // namespace holdfast::cli

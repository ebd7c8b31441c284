/// Data moves that a driver makes: how much they have moved, what their pods say, and what they
/// read out of a location.
#pragma once

#include <holdfast/cli/server.h>
#include <holdfast/protect/data_move.h>

#include <cstdint>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

/// "34.1%  1.2 GiB of 4.0 GiB, 250.0 MiB/s": all moves of that direction with these labels, added
/// up; "" before any has begun. What is refused of one of them is said behind it.
std::string moves_text(Server& server, const std::string& ns, const std::string& label_selector,
                       protect::DataMove::Direction direction);

/// NAME or NAMESPACE/NAME; Invalid names the flag.
Result<protect::Reference> parse_reference(std::string_view flag, std::string_view text);

/// Which documents of a location's repositories are read.
struct DocumentQuery {
  std::string document{};  ///< its name
  std::vector<std::string> tags{};
  std::string location{};    ///< NAME or NAMESPACE/NAME, what --location said; "" = the default one
  std::string repository{};  ///< name of the one in it; "" = the namespace's own
  int64_t limit = 100;
  std::string prefix{};  ///< of the name of the DataMove: "group-list-"
  std::string what{};    ///< for people: "the catalogues"
};

struct Documents {
  std::vector<protect::DataMove::FoundDocument> found{};  ///< the newest first; one may be an error
  bool more = false;                                      ///< there may be others
};

/// A data move reads them, is asked for them, and goes. Nothing: told to stop.
Result<std::optional<Documents>> read_documents(Server& server, const DocumentQuery& query,
                                                const std::stop_token& stop);

/// Events about the objects and the moves, in the order of time; then the logs of the moves' pods,
/// each with its last `tail` lines, -1 for all.
void show_logs(Server& server, const model::Array& objects, const model::Array& moves,
               int64_t tail);
/// The same of one object and of the moves with these labels, in all of the namespaces.
void show_logs(Server& server, const model::Value& object, const std::set<std::string>& namespaces,
               const std::string& label_selector, int64_t tail);

}  // namespace holdfast::cli

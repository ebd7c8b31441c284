/// Kinds by a word of the command line, with the remedy where it means one of ours that the server
/// does not serve.
#pragma once

#include "objects/served.h"

namespace holdfast::cli {

/// As Catalogue::find.
Result<std::vector<const Served*>> find_kinds(const Catalogue& catalogue, std::string_view word);

}  // namespace holdfast::cli

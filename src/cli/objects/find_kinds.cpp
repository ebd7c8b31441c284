#include "objects/find_kinds.h"

#include <holdfast/base/text.h>

#include "manifest_commands.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

using model::string_at;
using model::Value;

/// Whether a definition is of that kind: datamoves, dm, DataMove.holdfast.dev.
bool is_named(const Value& definition, std::string_view word) {
  const std::string name = to_lower(word.substr(0, word.find('.')));
  const std::string_view rest = word.size() > name.size() ? word.substr(name.size() + 1) : "";
  const auto names = [&](std::string_view member) {
    return to_lower(string_at(definition, {"spec", "names", member})) == name;
  };
  const model::Array& short_names = model::array_at(definition, {"spec", "names", "shortNames"});
  const bool named = names("plural") || names("singular") || names("kind") ||
                     std::any_of(short_names.begin(), short_names.end(), [&](const Value& each) {
                       return each.is_string() && model::view(each.get_string()) == name;
                     });
  return named && string_at(definition, {"spec", "group"}).starts_with(rest);
}

}  // namespace

Result<std::vector<const Served*>> find_kinds(const Catalogue& catalogue, std::string_view word) {
  Result<std::vector<const Served*>> found = catalogue.find(word);
  if (found) return found;
  const std::vector<Value> ours = all_definitions();
  if (std::none_of(ours.begin(), ours.end(),
                   [word](const Value& each) { return is_named(each, word); }))
    return found;
  return found.take_error().with_hint("holdfast crds | kubectl apply -f -");
}

}  // namespace holdfast::cli

// Answers of servers to `holdfast get` and `describe`: discovery, tables, objects of any kind.
// Whatever the JSON is, it becomes text without control characters.
#include <holdfast/cli/object_text.h>
#include <holdfast/drivers/verbs.h>

#include "objects/describe/describe.h"
#include "objects/moves/move_view.h"
#include "objects/served.h"
#include "objects/table_text.h"

#include <cstdlib>

using namespace holdfast;

namespace {

void must_be_harmless(const std::string& text) {
  for (const char c : text)
    if (uint8_t(c) < 0x20 && c != '\n' && c != '\t') std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Result<model::Parsed> parsed =
      model::parse_json({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  const model::Value& value = parsed->value;
  if (const Result<cli::Catalogue> catalogue = cli::Catalogue::read({value}))
    for (const cli::Served& each : catalogue->all()) (void)catalogue->find(each.plural);
  const WallTime now{std::chrono::seconds(1'700'000'000)};
  cli::TableText table({.wide = true, .namespaces = true});
  (void)table.lines(value);
  (void)table.lines(cli::plain_table(value, now));
  model::Value twice = value;
  cli::append_rows(twice, value);
  std::vector<cli::DescribedKind> kinds;
  for (const cli::Verbs& each : drivers::verbs())
    kinds.insert(kinds.end(), each.described.begin(), each.described.end());
  cli::Beside beside;
  beside.now = now;
  beside.list = [&value](const kube::Resource&, const std::string&, const std::string&) {
    return model::Array{value};
  };
  must_be_harmless(cli::description(value, {value}, beside, kinds));
  (void)cli::json_line(cli::view_of(value, now));
  // What is shown as YAML for people is YAML still.
  const model::Value shown = cli::shown_object(value);
  const Result<model::Parsed> back = model::parse_yaml(cli::readable_yaml(shown));
  if (shown.is_object() && back && !model::equal(back->value, shown)) std::abort();
  return 0;
}

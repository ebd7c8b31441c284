#include "images/loaded_by.h"

#include <holdfast/base/files.h>
#include <holdfast/base/program.h>
#include <holdfast/base/text.h>

#include "pods/own_image.h"

#include <fmt/format.h>

namespace holdfast::node {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kElf =
    "\x7f"
    "ELF";

/// That of this process: of whatever architecture the machine is, it has loaded us.
Result<std::string> loader() {
  for (const std::string& each : loaded_libraries())
    if (fs::path(each).filename().string().starts_with("ld-")) return each;
  return Error(Fault::NotFound, "find the machine's loader: this program is linked statically");
}

}  // namespace

Result<std::vector<std::string>> parse_list(std::string_view printed) {
  std::vector<std::string> out;
  for (const std::string_view line : split(printed, '\n')) {
    if (line.ends_with("=> not found"))
      return Error(Fault::NotFound, fmt::format("find a library: {}", trim(line)));
    const size_t from = line.find('/'), to = line.rfind(" (0x");
    if (from == std::string_view::npos || to == std::string_view::npos || to < from) continue;
    out.emplace_back(line.substr(from, to - from));
  }
  return out;
}

Result<std::vector<std::string>> loaded_by(const fs::path& program) {
  const std::string start = HF_TRY(read_start(program, kElf.size()));
  if (start != kElf)
    return Error(Fault::Invalid,
                 fmt::format("take the program {}: it is no ELF file", program.string()))
        .with_hint("a script needs the root of a system: --from or --debian");
  const std::string with = HF_TRY(loader());
  // Linked statically it has nothing to do with the loader, which ends with code 1.
  if (!run_program({.command = with, .args = {"--verify", program.string()}}, {}))
    return std::vector<std::string>();
  const std::string printed =
      HF_TRY(run_program({.command = with, .args = {"--list", program.string()}}, {}));
  Result<std::vector<std::string>> listed = parse_list(printed);
  if (!listed) return listed.take_error().with_context(program.string());
  return listed;
}

}  // namespace holdfast::node

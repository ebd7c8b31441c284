// `holdfast memo NAME`: a Memo read out of the repository that keeps it.
#include <holdfast/cli/ending.h>
#include <holdfast/cli/moves.h>
#include <holdfast/cli/objects.h>
#include <holdfast/cli/verbs.h>
#include <holdfast/drivers/memo/memo.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::drivers::memo {
namespace {

Result<int> read(const cli::ServerChoice& choice, const std::string& name) {
  const auto server = HF_TRY(cli::Server::connect(choice));
  const auto memo = HF_TRY(cli::read_found<Memo>(*server, name, {.list = "holdfast get memos"}));
  cli::DocumentQuery query{.document = kDocument, .prefix = "memo-read-", .what = "the memo"};
  query.tags = {fmt::format("memo={}", memo.uid)};
  const auto kept = HF_TRY(cli::read_documents(*server, query, {}));
  if (!kept || kept->found.empty() || !kept->found.front().content)
    return Error(Fault::NotFound, fmt::format("no repository keeps Memo {}", name));
  fmt::print("{}", *kept->found.front().content);
  return cli::codes::kDone;
}

void add_command(CLI::App& app, int& code) {
  const auto server = std::make_shared<cli::ServerChoice>();
  const auto name = std::make_shared<std::string>();
  cli::add_server_command(
      app, "memo", "prints what a Memo keeps", *server,
      [server, name] { return read(*server, *name); }, code)
      ->add_option("NAME", *name, "of the Memo")
      ->required();
}

void describe(const model::Value& object, cli::Sheet& sheet, const cli::Beside&) {
  sheet.entry("Pod", model::string_at(object, {"spec", "pod"}));
  sheet.entry("Snapshot", model::string_at(object, {"status", "snapshotID"}));
}

}  // namespace

cli::Verbs verbs() {
  return {.driver = "memo",
          .add_commands = add_command,
          .described = {{Memo::kKind.group, Memo::kKind.kind, describe}}};
}

}  // namespace holdfast::drivers::memo

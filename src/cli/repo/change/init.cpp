// `init`: a new repository.
#include "repo/print/json_object.h"
#include "repo/verb.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

struct NewRepository {
  std::string version = "stable";
  bool copy_chunker = false;
  Access from{};
};

Result<int> version_of(const std::string& text) {
  if (text == "stable" || text == "latest" || text == "2") return 2;
  if (text == "1") return 1;
  return Error(Fault::Invalid, fmt::format("--repository-version {}: not known", text))
      .with_hint("1, 2, stable or latest");
}

/// The polynomial by which another repository cuts.
Result<uint64_t> polynomial_of(const NewRepository& options, Session& session) {
  Settings settings = session.settings();
  settings.access = options.from;
  settings.no_lock = true;
  Session other(settings, session.out(), session.stop());
  Result<repo::Opened*> opened = other.open(LockKind::None);
  if (!opened) return opened.take_error().with_context("open the repository to cut like");
  return (*opened)->config().polynomial;
}

Result<int> make_repository(const NewRepository& options, Session& session) {
  repo::InitOptions init;
  init.version = HF_TRY(version_of(options.version));
  init.empty_password = session.settings().access.no_password;
  if (options.copy_chunker) {
    if (options.from.repository.empty() && options.from.repository_file.empty())
      return Error(Fault::Invalid, "--copy-chunker-params: of which repository?")
          .with_hint("give --from-repo");
    init.polynomial = HF_TRY(polynomial_of(options, session));
  }
  repo::Opened* made = HF_TRY(session.make(init));
  Output& out = session.out();
  const std::string place = made->store().text();
  if (out.json()) {
    out.line(JsonObject()
                 .text("message_type", "initialized")
                 .text("id", made->config().id)
                 .text("repository", place)
                 .take());
    return kDone;
  }
  out.remark(
      fmt::format("created restic repository {} at {}", made->config().id.substr(0, 10), place));
  out.remark("\nThe password is needed to read anything back: without it the data is lost.");
  return kDone;
}

}  // namespace

void add_init(RepoVerbs& verbs) {
  CLI::App* verb = verbs.add("init", "makes a repository");
  auto options = std::make_shared<NewRepository>();
  verb->add_option("--repository-version", options->version, "1, 2, stable or latest")
      ->capture_default_str();
  verb->add_flag("--copy-chunker-params", options->copy_chunker,
                 "cut files where the other repository cuts them");
  verb->add_option("--from-repo", options->from.repository, "the other repository");
  verb->add_option("--from-repository-file", options->from.repository_file,
                   "file that names the other repository");
  verb->add_option("--from-password-file", options->from.password_file, "file with its password");
  verb->add_option("--from-password-command", options->from.password_command,
                   "program that prints its password");
  verb->add_option("--from-key-hint", options->from.key_hint, "key of it to try");
  verb->add_flag("--from-insecure-no-password", options->from.no_password, "its password is empty");
  verbs.run(verb, [options](Session& session) { return make_repository(*options, session); });
}

}  // namespace holdfast::cli

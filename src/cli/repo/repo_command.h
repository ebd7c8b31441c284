/// `holdfast repo VERB`: restic repositories without any Kubernetes. Verbs, flags, environment,
/// messages of --json and exit codes are restic's where restic has them.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_repo_command(CLI::App& app, int& code);

}  // namespace holdfast::cli

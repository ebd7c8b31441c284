/// `holdfast put-log-back`: what the pod of a restore runs that has a log to put back.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_log_command(CLI::App& app, int& code);

}  // namespace holdfast::cli

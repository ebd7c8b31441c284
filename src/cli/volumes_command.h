/// `holdfast volumes`, and the options shared by all commands that run volumes.
#pragma once

#include <holdfast/volumes/volumes.h>

namespace CLI {
class App;
}

namespace holdfast::cli {

/// --volumes, --provider, --pool-size. They are written when the command line has been read.
void add_volume_options(CLI::App& command, volumes::Settings& settings);

void add_volumes_command(CLI::App& app, int& code);

}  // namespace holdfast::cli

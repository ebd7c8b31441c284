/// `holdfast image`: images for the embedded node.
#pragma once

namespace CLI {
class App;
}

namespace holdfast::cli {

void add_image_command(CLI::App& app, int& code);

}  // namespace holdfast::cli

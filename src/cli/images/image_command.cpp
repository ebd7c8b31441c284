#include "images/image_command.h"

#include <holdfast/cli/ending.h>
#include <holdfast/cli/interrupts.h>
#include <holdfast/model/image.h>
#include <holdfast/node/make_image.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace holdfast::cli {
namespace {

int make(const node::ImageOrder& order) {
  Interrupts interrupts("the image is not made");
  const Result<std::filesystem::path> made = node::make_image(order, interrupts.token());
  if (!made) return end_with(made.error());
  fmt::print("{} made at {}\n", model::canonical_image(order.name), made->string());
  return codes::kDone;
}

}  // namespace

void add_image_command(CLI::App& app, int& code) {
  CLI::App* image = app.add_subcommand("image", "images of the embedded node, which are folders");
  image->require_subcommand(1);
  CLI::App* command = image->add_subcommand("make", "makes an image's root, all of it or nothing");
  auto order = std::make_shared<node::ImageOrder>();
  command->add_option("NAME", order->name, "of the image, as pods name it: localhost/shop:1.2")
      ->required();
  command
      ->add_option("--images", order->images,
                   "folder of images of `up` or `node`; the root is made at "
                   "DIR/<registry>/<path>/<tag>/")
      ->type_name("DIR")
      ->required();
  command->add_flag("--replace", order->replace,
                    "put it in the place of one that is there; stop pods that run from that first");
  CLI::Option_group* source = command->add_option_group("content", "one of");
  source
      ->add_option("--from", order->from,
                   "a root, copied with owners, modes, links and extended attributes; what is "
                   "mounted in it is left out")
      ->type_name("FOLDER");
  source
      ->add_option("--program", order->programs,
                   "programs, copied with the libraries that they load, each at its own path")
      ->type_name("FILE");
  source
      ->add_option("--debian", order->suite,
                   "a release of Debian, like bookworm, in its smallest form, by debootstrap")
      ->type_name("SUITE");
  source->require_option(1);
  command->footer(
      "Exit codes: 0 made, 1 failed, 2 what was typed is wrong, 10 something of it is not there.");
  command->callback([order, &code] { code = make(*order); });
}

}  // namespace holdfast::cli

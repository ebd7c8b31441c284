// The program: the command line with the verbs of all drivers.
#include <holdfast/cli/cli.h>
#include <holdfast/drivers/verbs.h>

int main(int argc, char** argv) {
  return holdfast::cli::run(argc, argv, holdfast::drivers::verbs());
}

#include <holdfast/cli/cli.h>

int main(int argc, char** argv) { return holdfast::cli::run(argc, argv); }

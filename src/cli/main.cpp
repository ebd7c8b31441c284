// The program: all it does is to hand over to the command line.
#include <holdfast/cli/cli.h>

int main(int argc, char** argv) { return holdfast::cli::run(argc, argv); }

/// The command line. Exit codes: 0 done, 1 failed, 2 usage.
#pragma once

namespace holdfast::cli {

int run(int argc, char** argv);

}  // namespace holdfast::cli

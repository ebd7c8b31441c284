/// Paths to back up and to leave out, from files of paths and patterns.
#pragma once

#include <holdfast/base/result.h>

#include <string>
#include <vector>

namespace holdfast::cli {

/// "-" is standard input. Lines without white space at their ends; empty lines and those that begin
/// with # are left out.
Result<std::vector<std::string>> lines_of(const std::string& file);
/// Patterns of --exclude-file: as above, with $NAME and ${NAME} replaced; $$ is a dollar.
Result<std::vector<std::string>> patterns_of(const std::string& file);
/// Paths of --files-from: patterns of what is on disk. One that fits nothing is Invalid.
Result<std::vector<std::string>> matching_of(const std::string& file);
/// Each line as it is.
Result<std::vector<std::string>> verbatim_of(const std::string& file);
/// With a zero byte after each.
Result<std::vector<std::string>> raw_of(const std::string& file);

}  // namespace holdfast::cli

/// Warning headers of an answer, bounded as the real server bounds them.
#pragma once

#include <string>
#include <vector>

namespace holdfast::apiserver {

/// The values of the headers, `299 - "TEXT"`, each text once. If they are longer than 4,096
/// characters in all, each is cut to 256 and those past the bound are left out. Pure.
std::vector<std::string> warning_headers(const std::vector<std::string>& warnings);

}  // namespace holdfast::apiserver

/// Nodes of a tree as lines of text and of JSON.
#pragma once

#include <holdfast/repo/tree.h>

#include <string>

namespace holdfast::cli {

/// "drwxr-xr-x", as Go prints a mode.
std::string mode_text(uint32_t mode);
/// "file", "dir", …
std::string_view type_text(repo::NodeType type);

/// One line of `ls --long`.
std::string long_line(const std::string& shown_path, const std::string& shown_target,
                      const repo::Node& node, bool human);
/// One line of `ls --json`.
std::string ls_json(const std::string& path, const repo::Node& node);
/// One match of `find --json`.
std::string match_json(const std::string& path, const repo::Node& node);

}  // namespace holdfast::cli

#include "files/special.h"

#include <holdfast/base/text.h>

#include "files/file_node.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>

namespace holdfast::repo {
namespace {

/// What only the kernel's own checks read, and gives no right to anybody.
constexpr std::array<std::string_view, 3> kLabels{"security.selinux", "security.ima",
                                                  "security.evm"};

/// As the kernel takes the name: up to its first zero byte.
bool is_special(const std::string& attribute) {
  const std::string_view name(attribute.c_str());
  if (name.starts_with("trusted.")) return true;
  return name.starts_with("security.") &&
         std::find(kLabels.begin(), kLabels.end(), name) == kLabels.end();
}

}  // namespace

bool is_device(const Node& node) {
  return node.type == NodeType::Device || node.type == NodeType::CharDevice;
}

std::string special_parts(const Node& node) {
  std::vector<std::string> parts;
  if (is_device(node))
    parts.push_back(fmt::format("{} device {}:{}",
                                node.type == NodeType::Device ? "block" : "character",
                                major(node.device), minor(node.device)));
  const uint32_t mode = node.type == NodeType::Dir ? 0 : unix_mode(node.mode);
  if ((mode & S_ISUID) != 0) parts.emplace_back("set-user-ID");
  if ((mode & S_ISGID) != 0) parts.emplace_back("set-group-ID");
  for (const auto& [name, value] : node.extended_attributes)
    if (is_special(name)) parts.push_back(name);
  return join(parts, ", ");
}

void take_special_parts(Node& node) {
  if (node.type != NodeType::Dir) node.mode &= ~go_mode(S_ISUID | S_ISGID);
  std::erase_if(node.extended_attributes,
                [](const auto& attribute) { return is_special(attribute.first); });
}

}  // namespace holdfast::repo

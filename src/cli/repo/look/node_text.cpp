#include "repo/look/node_text.h"

#include <holdfast/cli/words.h>

#include "repo/print/json_object.h"

#include <fmt/format.h>

#include <array>

namespace holdfast::cli {
namespace {

constexpr std::array<std::string_view, 8> kTypes{"file",    "dir",  "symlink", "dev",
                                                 "chardev", "fifo", "socket",  "irregular"};

void times(JsonObject& out, const repo::Node& node) {
  out.text("mtime", to_text(node.mtime)).text("atime", to_text(node.atime));
  out.text("ctime", to_text(node.ctime));
}

}  // namespace

std::string mode_text(uint32_t mode) {
  // From the highest bit downwards; a file has none of them.
  constexpr std::string_view kKinds = "dalTLDpSugct?";
  constexpr std::string_view kRights = "rwxrwxrwx";
  std::string out;
  for (size_t i = 0; i < kKinds.size(); ++i)
    if ((mode >> (31 - i) & 1) != 0) out += kKinds[i];
  if (out.empty()) out = "-";
  for (size_t i = 0; i < kRights.size(); ++i) out += (mode >> (8 - i) & 1) != 0 ? kRights[i] : '-';
  return out;
}

std::string_view type_text(repo::NodeType type) { return kTypes[size_t(type)]; }

std::string long_line(const std::string& shown_path, const std::string& shown_target,
                      const repo::Node& node, bool human) {
  const WallTime time(std::chrono::seconds(node.mtime.seconds));
  const std::string size = human ? size_text(node.size) : std::to_string(node.size);
  std::string out = fmt::format("{} {:5} {:5} {:>6} {} {}", mode_text(node.mode), node.uid,
                                node.gid, size, local_time(time), shown_path);
  if (node.type == repo::NodeType::Symlink) out += " -> " + shown_target;
  return out;
}

std::string ls_json(const std::string& path, const repo::Node& node) {
  JsonObject out;
  out.text("name", node.name).text("type", type_text(node.type)).text("path", path);
  out.number("uid", node.uid).number("gid", node.gid);
  if (node.type == repo::NodeType::File) out.number("size", node.size);
  if (node.mode != 0) out.number("mode", node.mode);
  out.text("permissions", mode_text(node.mode));
  times(out, node);
  if (node.inode != 0) out.number("inode", node.inode);
  return out.text("message_type", "node").text("struct_type", "node").take();
}

std::string match_json(const std::string& path, const repo::Node& node) {
  JsonObject out;
  out.text("path", path).text("permissions", mode_text(node.mode));
  out.text("type", type_text(node.type));
  if (node.mode != 0) out.number("mode", node.mode);
  times(out, node);
  out.number("uid", node.uid).number("gid", node.gid);
  if (!node.user.empty()) out.text("user", node.user);
  if (!node.group.empty()) out.text("group", node.group);
  if (node.inode != 0) out.number("inode", node.inode);
  if (node.device_id != 0) out.number("device_id", node.device_id);
  if (node.size != 0) out.number("size", node.size);
  if (node.links != 0) out.number("links", node.links);
  if (!node.link_target.empty()) out.text("linktarget", node.link_target);
  if (node.device != 0) out.number("device", node.device);
  return out.take();
}

}  // namespace holdfast::cli

// {"nodes":[…]}⏎, members in the order of restic's struct; what is empty is left out as Go leaves
// it out. Names are quoted twice: by strconv.Quote, then as JSON.
#include <holdfast/base/bytes.h>
#include <holdfast/repo/tree.h>

#include "codec/go_json.h"
#include "codec/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::repo {
namespace {

constexpr std::array<std::string_view, 8> kTypes{"file",    "dir",  "symlink", "dev",
                                                 "chardev", "fifo", "socket",  "irregular"};

void append_number(std::string& out, std::string_view key, uint64_t value) {
  if (value != 0) fmt::format_to(std::back_inserter(out), ",\"{}\":{}", key, value);
}

void append_text(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  fmt::format_to(std::back_inserter(out), ",\"{}\":", key);
  append_string(out, value);
}

void append_member_time(std::string& out, std::string_view key, const NodeTime& time) {
  fmt::format_to(std::back_inserter(out), ",\"{}\":\"", key);
  append_time(out, time);
  out += '"';
}

void append_attributes(std::string& out, const Node& node) {
  if (!node.extended_attributes.empty()) {
    out += ",\"extended_attributes\":";
    char before = '[';
    for (const auto& [name, value] : node.extended_attributes) {
      out += before;
      out += "{\"name\":";
      append_string(out, name);
      fmt::format_to(std::back_inserter(out), ",\"value\":\"{}\"}}", base64(value));
      before = ',';
    }
    out += ']';
  }
  if (!node.generic_attributes.empty()) {
    out += ",\"generic_attributes\":";
    out += node.generic_attributes;
  }
}

void append_content(std::string& out, const Node& node) {
  out += ",\"content\":";
  if (!node.content) {
    out += "null";
    return;
  }
  out += '[';
  for (const Id& id : *node.content) {
    if (out.back() != '[') out += ',';
    out += '"';
    out += id.hex();
    out += '"';
  }
  out += ']';
}

void append_node(std::string& out, const Node& node) {
  out += "{\"name\":";
  append_string(out, go_quoted(node.name));
  out += ",\"type\":\"";
  out += kTypes[size_t(node.type)];
  out += '"';
  append_number(out, "mode", node.mode);
  append_member_time(out, "mtime", node.mtime);
  append_member_time(out, "atime", node.atime);
  append_member_time(out, "ctime", node.ctime);
  fmt::format_to(std::back_inserter(out), ",\"uid\":{},\"gid\":{}", node.uid, node.gid);
  append_text(out, "user", node.user);
  append_text(out, "group", node.group);
  append_number(out, "inode", node.inode);
  append_number(out, "device_id", node.device_id);
  append_number(out, "size", node.size);
  append_number(out, "links", node.links);
  append_text(out, "linktarget", node.link_target);
  if (!is_utf8(node.link_target)) append_text(out, "linktarget_raw", base64(node.link_target));
  append_attributes(out, node);
  append_number(out, "device", node.device);
  append_content(out, node);
  if (node.subtree) append_text(out, "subtree", node.subtree->hex());
  append_text(out, "error", node.error);
  out += '}';
}

Result<NodeTime> read_time(JsonValue value) {
  const std::string text = HF_TRY(value.text());
  const std::optional<NodeTime> time = parse_time(text);
  if (!time) return Error(Fault::Corrupt, fmt::format("\"{}\" is no time", text));
  return *time;
}

Result<Id> read_id(JsonValue value) {
  const std::string text = HF_TRY(value.text());
  const std::optional<Id> id = Id::from_hex(text);
  if (!id) return Error(Fault::Corrupt, fmt::format("\"{}\" is no id", text));
  return *id;
}

Result<void> read_attributes(JsonValue value, Node& node) {
  return value.each([&node](JsonValue item) -> Result<void> {
    std::pair<std::string, std::string> attribute;
    Result<void> whole =
        item.members([&attribute](std::string_view key, JsonValue member) -> Result<void> {
          if (key == "name") attribute.first = HF_TRY(member.text());
          if (key != "value") return ok();
          const std::string text = HF_TRY(member.text());
          const std::optional<std::string> bytes = from_base64(text);
          if (!bytes)
            return Error(Fault::Corrupt, "the value of an extended attribute is no base64");
          attribute.second = *bytes;
          return ok();
        });
    if (!whole) return whole.take_error();
    node.extended_attributes.push_back(std::move(attribute));
    return ok();
  });
}

Result<void> read_content(JsonValue value, Node& node) {
  node.content.emplace();
  return value.each([&node](JsonValue item) -> Result<void> {
    const Id id = HF_TRY(read_id(item));
    node.content->push_back(id);
    return ok();
  });
}

Result<void> read_name(JsonValue value, Node& node) {
  const std::string quoted = HF_TRY(value.text());
  std::optional<std::string> raw = go_unquoted(quoted);
  if (!raw) return Error(Fault::Corrupt, fmt::format("\"{}\" is no quoted name", quoted));
  node.name = std::move(*raw);
  return ok();
}

Result<void> read_type(JsonValue value, Node& node) {
  const std::string text = HF_TRY(value.text());
  const auto* found = std::find(kTypes.begin(), kTypes.end(), text);
  if (found == kTypes.end()) return Error(Fault::Corrupt, fmt::format("type \"{}\"", text));
  node.type = NodeType(found - kTypes.begin());
  return ok();
}

Result<void> read_member(std::string_view key, JsonValue value, Node& node) {
  const auto number = [&value](auto& into) -> Result<void> {
    const uint64_t read = HF_TRY(value.number());
    into = std::remove_reference_t<decltype(into)>(read);
    return ok();
  };
  const auto text = [&value](std::string& into) -> Result<void> {
    into = HF_TRY(value.text());
    return ok();
  };
  const auto time = [&value](NodeTime& into) -> Result<void> {
    into = HF_TRY(read_time(value));
    return ok();
  };
  if (key == "name") return read_name(value, node);
  if (key == "type") return read_type(value, node);
  if (key == "mode") return number(node.mode);
  if (key == "mtime") return time(node.mtime);
  if (key == "atime") return time(node.atime);
  if (key == "ctime") return time(node.ctime);
  if (key == "uid") return number(node.uid);
  if (key == "gid") return number(node.gid);
  if (key == "user") return text(node.user);
  if (key == "group") return text(node.group);
  if (key == "inode") return number(node.inode);
  if (key == "device_id") return number(node.device_id);
  if (key == "size") return number(node.size);
  if (key == "links") return number(node.links);
  if (key == "device") return number(node.device);
  if (key == "error") return text(node.error);
  if (key == "extended_attributes") return read_attributes(value, node);
  if (key == "content") return read_content(value, node);
  if (key == "generic_attributes") {
    node.generic_attributes = HF_TRY(value.raw());
    return ok();
  }
  if (key == "subtree") {
    node.subtree = HF_TRY(read_id(value));
    return ok();
  }
  if (key == "linktarget") {
    // The raw form, where there is one, says it exactly, whichever comes first.
    const std::string target = HF_TRY(value.text());
    if (node.link_target.empty()) node.link_target = target;
    return ok();
  }
  if (key == "linktarget_raw") {
    const std::string encoded = HF_TRY(value.text());
    const std::optional<std::string> target = from_base64(encoded);
    if (!target) return Error(Fault::Corrupt, "linktarget_raw is no base64");
    node.link_target = *target;
  }
  return ok();
}

}  // namespace

std::string to_text(const NodeTime& time) {
  std::string out;
  append_time(out, time);
  return out;
}

std::string to_json(const std::vector<Node>& nodes) {
  std::string out = "{\"nodes\":[";
  for (const Node& node : nodes) {
    if (&node != nodes.data()) out += ',';
    append_node(out, node);
  }
  out += "]}\n";
  return out;
}

Result<std::vector<Node>> parse_tree(std::string_view json) {
  std::vector<Node> nodes;
  Result<void> whole = read_json(json, [&nodes](JsonValue tree) {
    return tree.members([&nodes](std::string_view key, JsonValue value) -> Result<void> {
      if (key != "nodes") return ok();
      return value.each([&nodes](JsonValue item) -> Result<void> {
        Node node{.mtime = kNoTime, .atime = kNoTime, .ctime = kNoTime};
        HF_TRY(item.members([&node](std::string_view member, JsonValue of) {
          return read_member(member, of, node);
        }));
        if (!nodes.empty() && nodes.back().name >= node.name)
          return Error(Fault::Corrupt, fmt::format("node \"{}\" is out of order or there twice",
                                                   go_quoted(node.name)));
        nodes.push_back(std::move(node));
        return ok();
      });
    });
  });
  if (!whole) return whole.take_error();
  return nodes;
}

}  // namespace holdfast::repo

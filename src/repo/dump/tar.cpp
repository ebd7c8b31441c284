#include "dump/tar.h"

#include <holdfast/base/bytes.h>

#include "files/file_node.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cstring>

namespace holdfast::repo {
namespace {

constexpr size_t kBlock = 512;
constexpr uint64_t kMostSize = 077777777777, kMostId = 07777777;

/// The old header; fields are text in fixed places.
struct Header {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type[1], link[100],
      magic[8], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
static_assert(sizeof(Header) == kBlock);

template <size_t N>
void put_text(char (&field)[N], std::string_view text) {
  std::memcpy(field, text.data(), std::min(text.size(), N));
}

template <size_t N>
void put_octal(char (&field)[N], uint64_t value) {
  const std::string digits = fmt::format("{:0{}o}", value, N - 1);
  put_text(field, digits.substr(digits.size() - (N - 1)));
}

std::string finish(Header header) {
  put_text(header.magic, std::string_view("ustar\00000", 8));
  std::memset(header.checksum, ' ', sizeof header.checksum);
  uint64_t sum = 0;
  for (const unsigned char byte : std::string_view(reinterpret_cast<char*>(&header), kBlock))
    sum += byte;
  const std::string digits = fmt::format("{:06o}", sum);
  std::memcpy(header.checksum, digits.c_str(), 7);
  return {reinterpret_cast<const char*>(&header), kBlock};
}

char type_of(const Node& node, const std::string& link) {
  if (!link.empty()) return '1';
  switch (node.type) {
    case NodeType::Dir:
      return '5';
    case NodeType::Symlink:
      return '2';
    case NodeType::Device:
      return '4';
    case NodeType::CharDevice:
      return '3';
    case NodeType::Fifo:
      return '6';
    default:
      return '0';
  }
}

/// The length counts itself.
void append_record(std::string& out, std::string_view key, std::string_view value) {
  const size_t without = key.size() + value.size() + 3;
  size_t length = without + 1;
  while (std::to_string(length).size() + without > length) ++length;
  out += fmt::format("{} {}=", length, key);
  out += value;
  out += '\n';
}

bool fits(std::string_view text, size_t most) {
  return text.size() <= most && std::all_of(text.begin(), text.end(), [](char c) {
           return uint8_t(c) >= 0x20 && uint8_t(c) < 0x7f;
         });
}

std::string records_of(const Node& node, const std::string& name, const std::string& target) {
  std::string out;
  if (!fits(name, sizeof Header::name)) append_record(out, "path", name);
  if (!fits(target, sizeof Header::link)) append_record(out, "linkpath", target);
  if (!fits(node.user, sizeof Header::user)) append_record(out, "uname", node.user);
  if (!fits(node.group, sizeof Header::group)) append_record(out, "gname", node.group);
  if (node.size > kMostSize) append_record(out, "size", std::to_string(node.size));
  if (node.uid > kMostId) append_record(out, "uid", std::to_string(node.uid));
  if (node.gid > kMostId) append_record(out, "gid", std::to_string(node.gid));
  if (node.mtime.seconds < 0 && node.mtime != kNoTime)
    append_record(out, "mtime", std::to_string(node.mtime.seconds));
  else if (node.mtime.nanoseconds != 0)
    append_record(out, "mtime",
                  fmt::format("{}.{:09}", node.mtime.seconds, node.mtime.nanoseconds));
  for (const auto& [key, value] : node.extended_attributes)
    append_record(out, "SCHILY.xattr." + key, value);
  return out;
}

}  // namespace

std::string tar_header(const Node& node, const std::string& name, const std::string& link) {
  const std::string& target = link.empty() ? node.link_target : link;
  const std::string records = records_of(node, name, target);
  std::string out;
  if (!records.empty()) {
    Header pax{};
    put_text(pax.name, "PaxHeaders/" + name.substr(0, 80));
    put_octal(pax.mode, 0644);
    put_octal(pax.size, records.size());
    pax.type[0] = 'x';
    out = finish(pax) + records + tar_padding(records.size());
  }
  Header header{};
  put_text(header.name, name);
  put_octal(header.mode, unix_mode(node.mode));
  put_octal(header.uid, std::min<uint64_t>(node.uid, kMostId));
  put_octal(header.gid, std::min<uint64_t>(node.gid, kMostId));
  const bool content = node.type == NodeType::File && link.empty();
  put_octal(header.size, content ? std::min(node.size, kMostSize) : 0);
  put_octal(header.mtime, uint64_t(std::max<int64_t>(node.mtime.seconds, 0)));
  header.type[0] = type_of(node, link);
  put_text(header.link, target);
  put_text(header.user, node.user);
  put_text(header.group, node.group);
  put_octal(header.major, major(node.device));
  put_octal(header.minor, minor(node.device));
  return out + finish(header);
}

std::string tar_padding(uint64_t size) { return std::string((kBlock - size % kBlock) % kBlock, 0); }

std::string tar_end() { return std::string(2 * kBlock, 0); }

}  // namespace holdfast::repo

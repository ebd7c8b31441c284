// Streams out of a snapshot: a file's bytes, or a folder as a tar archive.
#include <holdfast/repo/dump.h>
#include <holdfast/repo/image.h>

#include "dump/tar.h"

#include <fmt/format.h>

#include <deque>
#include <future>
#include <map>

namespace holdfast::repo {
namespace {

/// Blobs on their way while one is written; the largest is 8 MiB.
constexpr size_t kAhead = 6;

Error stopped() { return {Fault::Unavailable, "dump: stopped"}; }

/// A file, whose bytes must be as many as are said.
Result<void> dump_exactly(Indexed& index, const Node& node, const Sink& out,
                          const std::stop_token& stop) {
  uint64_t written = 0;
  HF_TRY(dump_file(
      index, node,
      [&](std::string_view bytes) {
        written += bytes.size();
        return out(bytes);
      },
      stop));
  if (written == node.size) return ok();
  return Error(Fault::Corrupt,
               fmt::format("{} bytes are stored of a file of {}", written, node.size));
}

/// What a file's entry says of its size must be what follows. `folder`: of an image.
Result<void> dump_content(Indexed& index, const Node& node, const Node* folder,
                          const std::string& name, const Sink& out, const std::stop_token& stop) {
  Result<void> dumped = folder != nullptr ? dump_image(index, *folder, out, stop)
                                          : dump_exactly(index, node, out, stop);
  if (!dumped) return dumped.take_error().with_context(fmt::format("dump {}", name));
  return out(tar_padding(node.size));
}

struct TarDump {
  Indexed& index;
  const std::string& prefix;
  const Sink& out;
  const std::stop_token& stop;
  std::map<std::pair<uint64_t, uint64_t>, std::string> linked{};
  std::optional<Error> damage{};

  Result<Step> entry(const std::string& path, const Node& node) {
    if (stop.stop_requested()) return stopped();
    if (damage) return damage->copy();
    if (node.type == NodeType::Socket || node.type == NodeType::Irregular) return Step::Past;
    std::string name = prefix.empty() ? path : prefix + "/" + path;
    if (const auto layout = image_layout(node)) {
      const Node file = image_file(node, *layout);
      HF_TRY(out(tar_header(file, name, "")));
      HF_TRY(dump_content(index, file, &node, name, out, stop));
      return Step::Past;
    }
    if (node.type == NodeType::Dir) name += '/';
    std::string link;
    if (node.type == NodeType::File && node.links > 1) {
      const auto [first, fresh] = linked.try_emplace({node.device_id, node.inode}, name);
      if (!fresh) link = first->second;
    }
    HF_TRY(out(tar_header(node, name, link)));
    if (node.type == NodeType::File && link.empty())
      HF_TRY(dump_content(index, node, nullptr, name, out, stop));
    return Step::Inside;
  }
};

}  // namespace

Result<void> dump_file(Indexed& index, const Node& node, const Sink& out,
                       const std::stop_token& stop) {
  if (!node.content) return Error(Fault::Invalid, "dump: it has no content, only files have");
  std::deque<std::future<Result<std::string>>> coming;
  auto next = node.content->begin();
  while (next != node.content->end() || !coming.empty()) {
    if (stop.stop_requested()) return stopped();
    while (next != node.content->end() && coming.size() < kAhead)
      coming.push_back(std::async(
          std::launch::async, [&index, id = *next++] { return index.read(BlobType::Data, id); }));
    const std::string bytes = HF_TRY(coming.front().get());
    coming.pop_front();
    HF_TRY(out(bytes));
  }
  return ok();
}

Result<void> dump_image(Indexed& index, const Node& folder, const Sink& out,
                        const std::stop_token& stop) {
  const std::optional<ImageLayout> layout = image_layout(folder);
  if (!layout) return Error(Fault::Invalid, "dump: it is no image");
  const std::vector<Id> trees = HF_TRY(segment_trees(index, folder, *layout));
  for (uint64_t number = 0; number < trees.size(); ++number) {
    const Node segment = HF_TRY(read_segment(index, trees[number], *layout, number));
    HF_TRY(dump_exactly(index, segment, out, stop));
  }
  return ok();
}

Result<void> dump_tar(Indexed& index, const Id& tree, const std::string& prefix, const Sink& out,
                      const std::stop_token& stop) {
  TarDump dump{index, prefix, out, stop};
  Result<void> walked = walk(
      index, tree,
      [&dump](const std::string& path, const Node& node) { return dump.entry(path, node); },
      [&dump](const std::string& path, const Error& error) {
        dump.damage = error.copy().with_context("dump /" + path);
      });
  if (!walked) return walked.take_error();
  if (dump.damage) return std::move(*dump.damage);
  return out(tar_end());
}

}  // namespace holdfast::repo

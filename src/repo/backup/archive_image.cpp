// Disk images: block devices, and files so large that they are stored as segments.
#include "backup/archiver.h"
#include "backup/big_file.h"
#include "backup/image.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {

/// Of a link that was named, what it leads to is meant: the names of volumes are such links.
std::optional<struct stat> Archiver::image_behind(const Folder& folder, const std::string& path,
                                                  const struct stat& info) const {
  if (S_ISREG(info.st_mode)) {
    const bool large =
        options_.segment_larger_than != 0 && uint64_t(info.st_size) > options_.segment_larger_than;
    return large ? std::optional(info) : std::nullopt;
  }
  const bool named = !folder.paths.empty();
  if (!options_.read_special || !named) return {};
  const Result<struct stat> behind = stat_behind(path);
  if (!behind || !S_ISBLK(behind->st_mode)) return {};
  return *behind;
}

/// True: it is an image, and on its way.
bool Archiver::save_image(Folder& folder, size_t place, const std::string& path,
                          const struct stat& info, Hands& hands) {
  const std::optional<struct stat> behind = image_behind(folder, path, info);
  if (!behind) return false;
  Result<void> begun = begin_image(folder, place, path, *behind, hands);
  if (!begun) leave_out(folder, place, begun.error());
  return true;
}

Result<void> Archiver::begin_image(Folder& folder, size_t place, const std::string& path,
                                   const struct stat& info, Hands& hands) {
  std::string real = path;
  if (S_ISBLK(info.st_mode)) real = HF_TRY(real_path(path));
  InputFile input = HF_TRY(InputFile::open(real));
  Node source = HF_TRY(node_of(real, folder.nodes[place].name, info, options_.with_atime,
                               hands.names, [this](const Error& error) { report(error); }));
  source.size = HF_TRY(input.size());
  const Node* before = folder.find_before(source.name);
  const ImageLayout layout = layout_of(source, before);
  if (layout.segments() > kMostSegments)
    return Error(Fault::Invalid,
                 fmt::format("{}: an image of {} segments of {} bytes, {} at most", path,
                             layout.segments(), layout.segment, kMostSegments))
        .with_hint("larger chunks make larger segments: --chunks fixed:256k");
  Node self = image_folder(source, layout);
  if (before != nullptr && !options_.force && unchanged_image(self, layout, *before)) {
    self.subtree = before->subtree;
    folder.nodes[place] = std::move(self);
    count_unmodified(folder, place, layout.size);
    return ok();
  }
  auto image = std::make_shared<Image>(std::move(input), std::move(source), layout);
  image->folder = make_folder(&folder, place, path, std::move(self));
  image->folder->image = image;
  // Its segments say for themselves what is new.
  image->folder->before_id.reset();
  ++folder.pending;
  read_image(image);
  return ok();
}

/// Cuts at other places would store everything anew: an image that has grown past a bound keeps
/// those it has.
ImageLayout Archiver::layout_of(const Node& source, const Node* before) const {
  const bool fixed = options_.chunks.kind == ChunkPolicy::Kind::Fixed;
  ImageLayout layout = choose_layout(source.size, fixed ? options_.chunks.fixed_size : 0);
  const auto past = before != nullptr ? image_layout(*before) : std::nullopt;
  if (past && !fixed && past->chunk <= kMostChunk) {
    layout.segment = past->segment;
    layout.chunk = past->chunk;
  }
  layout.mode = unix_mode(source.mode);
  layout.device = source.type == NodeType::Device;
  return layout;
}

/// What is written to a device does not change the times of its name.
bool Archiver::unchanged_image(const Node& self, const ImageLayout& layout,
                               const Node& before) const {
  const auto same_instant = [](const NodeTime& a, const NodeTime& b) {
    return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
  };
  if (layout.device || image_layout(before) != layout) return false;
  if (!same_instant(self.mtime, before.mtime)) return false;
  if (!options_.ignore_ctime && !same_instant(self.ctime, before.ctime)) return false;
  if (!options_.ignore_inode && self.inode != before.inode) return false;
  const Result<std::vector<Id>> trees = segment_trees(index_, before, layout);
  if (!trees) return false;
  for (uint64_t number = 0; number < trees->size(); ++number) {
    const Result<Node> segment = read_segment(index_, (*trees)[number], layout, number);
    if (!segment || !has_all(*segment)) return false;
  }
  return true;
}

void Archiver::read_image(const std::shared_ptr<Image>& image) {
  Folder& folder = *image->folder;
  const uint64_t segments = image->layout.segments();
  folder.nodes.resize(segments);
  folder.kept.resize(segments);
  for (uint64_t i = 0; i < segments; ++i) folder.nodes[i] = segment_folder(folder.self, i);
  const uint64_t readers = std::min<uint64_t>(segments, uint64_t(options_.read_concurrency));
  folder.pending += readers;
  for (uint64_t i = 0; i < readers; ++i)
    crew_.give_later([this, image](Hands& hands) { read_segments(image, hands); });
  done_with(image->folder);
}

/// One segment; the next is another task, so that other files get their turn.
void Archiver::read_segments(const std::shared_ptr<Image>& image, Hands& hands) {
  const uint64_t number = image->next++;
  if (number >= image->layout.segments() || image->failed || stopped())
    return done_with(image->folder);
  Folder* folder = make_folder(image->folder, number, segment_path(*image, number),
                               image->folder->nodes[number]);
  ++image->folder->pending;
  if (!find_finished(*image, number, *folder)) {
    folder->nodes.push_back(segment_file(image->folder->self, image->layout));
    folder->kept.push_back(nullptr);
    ++folder->pending;
    read_segment_file(*image, number, *folder, hands);
  }
  done_with(folder);
  crew_.give_later([this, image](Hands& next) { read_segments(image, next); });
}

/// As the journal names it: what was cut otherwise is another segment.
std::string Archiver::segment_path(const Image& image, uint64_t number) {
  return fmt::format("{}/{}:{}:{}", image.folder->path, segment_name(number), image.layout.segment,
                     image.layout.chunk);
}

/// Of a file that is as it was when a backup was cut off, finished segments are not read again.
bool Archiver::find_finished(const Image& image, uint64_t number, Folder& segment) {
  if (image.layout.device) return false;
  const std::optional<Id> tree = journal_.find_segment(segment.path, image.source, index_);
  if (!tree) return false;
  Result<Node> file = read_segment(index_, *tree, image.layout, number);
  if (!file || !has_all(*file)) return false;
  figures_.bytes += file->size;
  segment.before_id = tree;
  segment.before.push_back(file.take());
  segment.nodes.push_back(segment.before.front());
  segment.kept.push_back(&segment.before.front());
  return true;
}

void Archiver::read_segment_file(Image& image, uint64_t number, Folder& folder, Hands& hands) {
  auto file = std::make_shared<BigFile>();
  file->folder = &folder;
  file->chunks = {.kind = ChunkPolicy::Kind::Fixed, .fixed_size = uint32_t(image.layout.chunk)};
  const Result<struct stat> info = image.input.stat();
  file->sparse =
      !image.layout.device && info && uint64_t(info->st_blocks) * 512 < uint64_t(info->st_size);
  uint64_t at = image.layout.begin(number);
  const uint64_t end = at + image.layout.length(number);
  const Source source{
      .read = [&](char* into, size_t most) -> Result<size_t> {
        const size_t wanted = std::min(uint64_t(most), end - at);
        const size_t got = HF_TRY(image.input.read_at(at, into, wanted));
        at += got;
        if (got == wanted) return got;
        return Error(Fault::Unavailable,
                     fmt::format("{} became shorter while it was read", image.folder->path));
      },
      .seek = [&](uint64_t offset) { at = image.layout.begin(number) + offset; },
      .hole_at = [&](uint64_t offset) -> uint64_t {
        const uint64_t from = image.layout.begin(number) + offset;
        return std::min(image.input.hole_at(from), end - from);
      },
  };
  const Result<void> read = read_parts(file, source, hands);
  if (!read) {
    file->good = false;
    if (!image.failed.exchange(true)) report(read.error());
  }
  part_done(file);
}

}  // namespace holdfast::repo

// Files of more than one chunk: read and cut by one thread, in parts of a few chunks that any
// thread hashes, compresses and seals.
#include <holdfast/base/text.h>

#include "backup/archiver.h"
#include "backup/big_file.h"
#include "chunk/page_file.h"
#include "hash/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace holdfast::repo {
namespace {

/// Parts that may wait before the reader lends a hand.
constexpr size_t kMostWaiting = 3;
/// A file that disappointed so often has changed all over.
constexpr int kMostMistakes = 2;
/// Holes shorter than this are read.
constexpr uint64_t kLongHole = uint64_t{4} << 20;

std::vector<std::string_view> chunks_of(const std::string& bytes, const std::vector<size_t>& ends) {
  std::vector<std::string_view> chunks;
  size_t begin = 0;
  for (const size_t end : ends) {
    chunks.push_back(std::string_view(bytes).substr(begin, end - begin));
    begin = end;
  }
  return chunks;
}

/// A pipe gives less than was asked for long before its end; the reader of parts takes that for it.
std::function<Result<size_t>(char*, size_t)> filling(
    const std::function<Result<size_t>(char*, size_t)>& source) {
  return [&source](char* into, size_t most) -> Result<size_t> {
    size_t all = 0;
    while (all < most) {
      const size_t got = HF_TRY(source(into + all, most - all));
      if (got == 0) break;
      all += got;
    }
    return all;
  };
}

}  // namespace

void Archiver::begin_big(Folder& folder, size_t place) {
  auto file = std::make_shared<BigFile>();
  file->folder = &folder;
  file->place = place;
  file->path = folder.path_of(place);
  ++folder.pending;
  crew_.give_later([this, file](Hands& hands) {
    read_big(file, hands);
    part_done(file);
  });
}

ChunkPolicy Archiver::chunks_for(const InputFile& input, uint64_t size) const {
  using Kind = ChunkPolicy::Kind;
  if (options_.chunks.kind != Kind::Auto) return options_.chunks;
  std::string head(kPageFileHead, '\0');
  const Result<size_t> read = input.read_at(0, head.data(), head.size());
  if (!read || !is_page_file(std::string_view(head).substr(0, *read), size)) return {};
  return {.kind = Kind::Fixed, .fixed_size = uint32_t(choose_layout(size).chunk)};
}

void Archiver::read_big(const std::shared_ptr<BigFile>& file, Hands& hands) {
  const Node& node = file->folder->nodes[file->place];
  Result<InputFile> input = InputFile::open(file->path);
  if (input) file->chunks = chunks_for(*input, node.size);
  const Node* before = file->folder->find_before(node.name);
  // Fixed cuts are known: there is nothing to expect, and what was cut otherwise would move them.
  if (before != nullptr && before->content && file->chunks.kind != ChunkPolicy::Kind::Fixed)
    file->expected = Expected(index_, *before->content);
  Result<void> read = ok();
  if (input) {
    const Result<struct stat> info = input->stat();
    file->sparse = info && uint64_t(info->st_blocks) * 512 < uint64_t(info->st_size);
    const Source source{[&input](char* into, size_t most) { return input->read(into, most); },
                        [&input](uint64_t offset) { input->seek(offset); },
                        [&input](uint64_t offset) { return input->hole_at(offset); }};
    read = read_parts(file, source, hands);
  } else {
    read = input.take_error();
  }
  if (read) return;
  file->good = false;
  report(read.error());
}

std::string Archiver::take_buffer(Hands& hands) {
  for (;;) {
    if (std::optional<std::string> buffer = buffers_.try_take()) return std::move(*buffer);
    if (!crew_.help(hands)) buffers_.wait();
  }
}

Result<void> Archiver::read_parts(const std::shared_ptr<BigFile>& file, const Source& source,
                                  Hands& hands) {
  PartReader reader{take_buffer(hands)};
  Result<void> read = ok();
  while ((reader.more || reader.end > 0) && !stopped()) {
    read = read_part(file, source, reader, hands);
    if (!read) break;
    const bool last = !reader.more && reader.end == 0;
    if (file->wrong_at == BigFile::kNowhere && !last) continue;
    // Only when all parts are hashed it is known whether they were what was expected.
    while (reader.guessed && file->pending > 1 && !stopped())
      if (!crew_.help(hands)) buffers_.wait();
    if (file->wrong_at == BigFile::kNowhere) continue;
    const uint64_t wrong = file->wrong_at;
    figures_.bytes -= file->size - wrong;
    file->cut_back(wrong);
    source.seek(wrong);
    ++reader.mistakes;
    reader.more = true;
    reader.end = reader.seen = 0;
    reader.certain_until = wrong + 1;
  }
  buffers_.give_back(std::move(reader.buffer));
  return read;
}

/// Reads until there is a chunk, and hands it out with those after it that are in sight.
Result<void> Archiver::read_part(const std::shared_ptr<BigFile>& file, const Source& source,
                                 PartReader& reader, Hands& hands) {
  if (file->sparse) skip_hole(*file, source, reader);
  std::string& buffer = reader.buffer;
  const size_t wanted = buffer.size() - reader.end;
  const size_t read = HF_TRY(source.read(buffer.data() + reader.end, wanted));
  reader.more = read == wanted;
  reader.end += read;
  file->size += read;
  figures_.bytes += read;
  Part part;
  part.offset = file->size - reader.end;
  find_chunks(*file, reader, part);
  if (part.ends.empty() && reader.more) {
    buffer.resize(std::min(buffer.size() * 2, kMostChunk + kPart));  // no cut in sight yet
    return ok();
  }
  if (part.ends.empty()) return ok();  // an empty end
  const size_t rest = reader.end - part.ends.back();
  std::string next = take_buffer(hands);
  if (next.size() < rest + kPart / 2) next.resize(rest + kPart / 2);
  std::memcpy(next.data(), buffer.data() + part.ends.back(), rest);
  reader.end = rest;
  hand_part(file, std::exchange(buffer, std::move(next)), std::move(part), hands);
  return ok();
}

/// Ends of chunks in the buffer: those that are expected, unless the file has proven to be another
/// here, or those that are searched for.
void Archiver::find_chunks(const BigFile& file, PartReader& reader, Part& part) const {
  if (reader.mistakes < kMostMistakes && part.offset >= reader.certain_until)
    file.expected.chunks_at(part.offset, reader.end, part.ends, part.expected);
  if (!part.ends.empty()) {
    reader.guessed = true;
    reader.seen = 0;
    return;
  }
  size_t begin = 0;
  while (const auto cut = saver_.find_cut(
             file.chunks, {reader.buffer.data() + begin, reader.end - begin}, reader.seen)) {
    begin += *cut;
    reader.seen = 0;
    part.ends.push_back(begin);
  }
  reader.seen = reader.end - begin;
  if (!reader.more && begin < reader.end) part.ends.push_back(reader.end);
}

/// A hole is zeros, and zeros are cut as early as may be: their chunks are known without reading.
void Archiver::skip_hole(BigFile& file, const Source& source, PartReader& reader) {
  const uint64_t from = file.size - reader.end;
  const uint64_t hole = source.hole_at(from);
  if (hole < kLongHole) return;
  const size_t chunk = zero_chunk(file.chunks);
  const std::string zeros(chunk, '\0');
  const std::string_view plain = zeros;
  Id id;
  Result<void> saved = saver_.save_blobs(BlobType::Data, {&plain, 1}, {&id, 1});
  if (!saved) return fail(saved.take_error());
  Part part;
  part.offset = from;
  const size_t count = hole / chunk;
  part.ids.assign(count, id);
  for (size_t i = 1; i <= count; ++i) part.ends.push_back(i * chunk);
  const uint64_t to = from + count * chunk;
  figures_.bytes += to - file.size;
  file.parts.push_back(std::move(part));
  file.size = to;
  source.seek(to);
  reader.end = reader.seen = 0;
}

void Archiver::hand_part(const std::shared_ptr<BigFile>& file, std::string buffer, Part found,
                         Hands& hands) {
  ++file->pending;
  Part& part = file->parts.emplace_back(std::move(found));
  auto bytes = std::make_shared<std::string>(std::move(buffer));
  crew_.give_urgent([this, file, bytes, &part](Hands&) {
    if (!stopped()) store_part(*file, part, *bytes);
    buffers_.give_back(std::move(*bytes));
    part_done(file);
  });
  crew_.help(hands, kMostWaiting);
}

void Archiver::store_part(BigFile& file, Part& part, const std::string& bytes) {
  std::vector<std::string_view> plains = chunks_of(bytes, part.ends);
  part.ids.resize(plains.size());
  if (part.expected.empty()) {
    Result<void> stored = saver_.save_blobs(BlobType::Data, plains, part.ids);
    if (!stored) fail(stored.take_error());
    return;
  }
  hash_all(plains, part.ids);
  // What was expected is in the repository already.
  for (size_t i = 0; i < part.ids.size(); ++i)
    if (part.ids[i] != part.expected[i])
      return file.found_wrong(part.offset + (i == 0 ? 0 : part.ends[i - 1]));
}

Node Archiver::stream_node(std::string name, uint32_t mode) {
  const WallTime now = index_.repository().surroundings().clock.now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  Node node;
  node.name = std::move(name);
  node.type = (mode & S_IFMT) == S_IFDIR ? NodeType::Dir : NodeType::File;
  node.mode = go_mode(mode);
  node.mtime = node.atime = node.ctime = local_time(
      seconds.time_since_epoch().count(), int32_t(std::chrono::nanoseconds(now - seconds).count()));
  node.uid = index_.repository().surroundings().uid;
  node.gid = index_.repository().surroundings().gid;
  node.user = names_.user(node.uid);
  node.group = names_.group(node.gid);
  return node;
}

/// A thing in a folder that no file system has.
Node& Archiver::add_stream_node(Folder& folder, std::string_view name, uint32_t mode) {
  folder.kept.push_back(nullptr);
  ++folder.pending;
  return folder.nodes.emplace_back(stream_node(std::string(name), mode));
}

Result<Id> Archiver::archive_stream() {
  std::vector<std::string_view> parts = split(options_.stream_name, '/');
  std::erase_if(parts, [](std::string_view part) { return part.empty() || part == "."; });
  if (parts.empty() || std::find(parts.begin(), parts.end(), "..") != parts.end())
    return Error(Fault::Invalid, fmt::format("\"{}\" names no file", options_.stream_name))
        .with_hint("--stdin-filename takes a name, or a path of names");
  // The folders that its name speaks of, the outermost first.
  std::vector<Folder*> chain = {make_folder(nullptr, 0, "", {})};
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    Node& self = add_stream_node(*chain.back(), parts[i], S_IFDIR | 0755);
    chain.push_back(make_folder(chain.back(), 0, "", self));
  }
  add_stream_node(*chain.back(), parts.back(), S_IFREG | 0644);
  auto file = std::make_shared<BigFile>();
  file->folder = chain.back();
  file->chunks = options_.chunks;
  Hands hands;
  Result<void> read = read_parts(file, {.read = filling(options_.stream)}, hands);
  // Half a stream is no backup.
  if (!read) fail(read.take_error());
  part_done(file);
  for (Folder* folder : chain) done_with(folder);
  return wait_for_root();
}

void Archiver::part_done(const std::shared_ptr<BigFile>& file) {
  if (--file->pending != 0) return;
  Folder& folder = *file->folder;
  Node& node = folder.nodes[file->place];
  if (!file->good || stopped()) {
    node.name.clear();
  } else {
    node.size = file->size;
    node.content.emplace();
    uint64_t covered = 0;
    for (const Part& part : file->parts) {
      HF_CHECK(part.offset == covered && part.ids.size() == part.ends.size());
      covered += part.ends.empty() ? 0 : part.ends.back();
      node.content->insert(node.content->end(), part.ids.begin(), part.ids.end());
    }
    // A file whose chunks do not add up to it would be a backup that lies.
    HF_CHECK(covered == file->size);
    if (!folder.is_segment()) count_file(folder, file->place);
    if (!file->path.empty()) journal_.file_done(file->path, node);
  }
  done_with(&folder);
}

}  // namespace holdfast::repo

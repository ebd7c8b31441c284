// Files of more than one chunk: read and cut by one thread, in parts of a few chunks that anybody
// hashes, compresses and seals.
#include "backup/archiver.h"

#include <cstring>
#include <deque>

namespace holdfast::repo {
namespace {

/// Parts that may wait before the reader lends a hand.
constexpr size_t kMostWaiting = 3;

}  // namespace

struct BigFile {
  Folder* folder = nullptr;
  size_t place = 0;
  std::string path{};
  /// By part. A deque: those who fill a part keep their place while the reader adds more.
  std::deque<std::vector<Id>> ids{};
  uint64_t size = 0;
  bool good = true;
  std::atomic<size_t> pending{1};
};

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

void Archiver::read_big(const std::shared_ptr<BigFile>& file, Hands& hands) {
  Result<InputFile> input = InputFile::open(file->path);
  const auto source = [&input](char* into, size_t most) { return input->read(into, most); };
  Result<void> read = input ? read_parts(file, source, hands) : Result<void>(input.take_error());
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
  std::string buffer = take_buffer(hands);
  size_t end = 0, seen = 0;
  for (bool more = true; more && !stopped();) {
    Result<size_t> read = source(buffer.data() + end, buffer.size() - end);
    if (!read) {
      buffers_.give_back(std::move(buffer));
      return read.take_error();
    }
    more = *read == buffer.size() - end;
    end += *read;
    file->size += *read;
    figures_.bytes += *read;
    std::vector<size_t> ends;
    size_t begin = 0;
    while (const auto cut = saver_.find_cut({buffer.data() + begin, end - begin}, seen)) {
      begin += *cut;
      seen = 0;
      ends.push_back(begin);
    }
    seen = end - begin;
    if (!more && begin < end) ends.push_back(begin = end);
    if (ends.empty() && more) {
      // No cut in sight yet.
      buffer.resize(std::min(buffer.size() * 2, kMostChunk + kPart));
      continue;
    }
    if (ends.empty()) break;
    std::string next = more ? take_buffer(hands) : std::string();
    if (more && next.size() < end - begin + kPart / 2) next.resize(end - begin + kPart / 2);
    if (more) std::memcpy(next.data(), buffer.data() + begin, end - begin);
    end -= begin;
    hand_part(file, std::exchange(buffer, std::move(next)), std::move(ends), hands);
    if (!more) return ok();
  }
  buffers_.give_back(std::move(buffer));
  return ok();
}

void Archiver::hand_part(const std::shared_ptr<BigFile>& file, std::string buffer,
                         std::vector<size_t> ends, Hands& hands) {
  ++file->pending;
  std::vector<Id>& ids = file->ids.emplace_back(ends.size());
  auto bytes = std::make_shared<std::string>(std::move(buffer));
  crew_.give_urgent([this, file, bytes, &ids, cuts = std::move(ends)](Hands&) {
    if (!stopped()) {
      std::vector<std::string_view> plains;
      size_t begin = 0;
      for (const size_t end : cuts) {
        plains.push_back(std::string_view(*bytes).substr(begin, end - begin));
        begin = end;
      }
      Result<void> stored = saver_.save_blobs(BlobType::Data, plains, ids);
      if (!stored) fail(stored.take_error());
    }
    buffers_.give_back(std::move(*bytes));
    part_done(file);
  });
  crew_.help(hands, kMostWaiting);
}

namespace {

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

Result<Id> Archiver::archive_stream() {
  Folder* folder = make_folder(nullptr, 0, "", {});
  Node node;
  const WallTime now = index_.repository().surroundings().clock.now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  node.name = options_.stream_name.substr(options_.stream_name.rfind('/') + 1);
  node.mode = 0644;
  node.mtime = node.atime = node.ctime = local_time(
      seconds.time_since_epoch().count(), int32_t(std::chrono::nanoseconds(now - seconds).count()));
  node.uid = index_.repository().surroundings().uid;
  node.gid = index_.repository().surroundings().gid;
  node.user = names_.user(node.uid);
  node.group = names_.group(node.gid);
  folder->nodes.push_back(std::move(node));
  auto file = std::make_shared<BigFile>();
  file->folder = folder;
  ++folder->pending;
  Hands hands;
  Result<void> read = read_parts(file, filling(options_.stream), hands);
  // Half a stream is no backup.
  if (!read) fail(read.take_error());
  part_done(file);
  done_with(folder);
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
    for (const std::vector<Id>& part : file->ids)
      node.content->insert(node.content->end(), part.begin(), part.end());
    count_file(folder, node);
  }
  done_with(&folder);
}

}  // namespace holdfast::repo

// Batches of files: what is unchanged is not read, small files are read whole and hashed side by
// side.
#include "backup/archiver.h"

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Of small files that are hashed together.
constexpr size_t kTogether = size_t{2} << 20;
/// In a folder of more, each finished file is noted.
constexpr size_t kManyFiles = 2000;

bool same_instant(const NodeTime& a, const NodeTime& b) {
  return a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
}

}  // namespace

void Archiver::save_batch(Folder& folder, const std::vector<size_t>& places, Hands& hands) {
  std::vector<size_t> small;
  for (const size_t place : places) {
    if (stopped()) {
      folder.nodes[place].name.clear();
      continue;
    }
    if (!save_entry(folder, place, hands)) continue;
    if (folder.nodes[place].size < kLeastChunk)
      small.push_back(place);
    else
      begin_big(folder, place);
  }
  save_small(folder, small, hands);
}

bool Archiver::save_entry(Folder& folder, size_t place, Hands& hands) {
  const std::string path = folder.path_of(place);
  const Result<struct stat> info = stat_of(path);
  if (!info) {
    leave_out(folder, place, info.error());
    return false;
  }
  const bool too_large = options_.exclude_larger_than != 0 && S_ISREG(info->st_mode) &&
                         uint64_t(info->st_size) > options_.exclude_larger_than;
  // A socket without its server is nothing; restic leaves them out too.
  if (too_large || S_ISSOCK(info->st_mode)) {
    folder.nodes[place].name.clear();
    return false;
  }
  if (save_image(folder, place, path, *info, hands)) return false;
  if (keep(folder, place, *info, hands)) return false;
  Result<Node> node = node_of(path, std::move(folder.nodes[place].name), *info, options_.with_atime,
                              hands.names, [this](const Error& error) { report(error); });
  if (!node) {
    leave_out(folder, place, node.error());
    return false;
  }
  Node& slot = folder.nodes[place] = node.take();
  if (slot.type != NodeType::File) return false;
  const Node* before = folder.find_before(slot.name);
  if (before != nullptr && !options_.force && unchanged(slot, *before)) {
    slot.content = before->content;
    count_unmodified(folder, place, slot.size);
    return false;
  }
  auto finished = journal_.find_file(path, slot, index_);
  if (!finished) return true;
  slot.content = std::move(finished);
  figures_.bytes += slot.size;
  count_file(folder, place);
  return false;
}

/// Takes the parent's node as it is, if nothing about the file has changed. Its extended attributes
/// need not be asked for then: they change only together with ctime.
bool Archiver::keep(Folder& folder, size_t place, const struct stat& info, Hands& hands) {
  if (options_.force || options_.with_atime || !S_ISREG(info.st_mode)) return false;
  Node* const before = folder.find_before(folder.nodes[place].name);
  if (before == nullptr || before->type != NodeType::File || !before->content ||
      !before->error.empty())
    return false;
  const auto same_time = [](const NodeTime& then, const timespec& now) {
    return then.seconds == now.tv_sec && then.nanoseconds == now.tv_nsec;
  };
  if (before->size != uint64_t(info.st_size) || !same_time(before->mtime, info.st_mtim) ||
      !same_time(before->ctime, info.st_ctim) || !same_time(before->atime, info.st_mtim) ||
      before->inode != info.st_ino || before->device_id != info.st_dev ||
      before->links != info.st_nlink || before->mode != go_mode(info.st_mode) ||
      before->uid != info.st_uid || before->gid != info.st_gid ||
      before->user != hands.names.user(info.st_uid) ||
      before->group != hands.names.group(info.st_gid) || !has_all(*before))
    return false;
  folder.kept[place] = before;
  count_unmodified(folder, place, before->size);
  return true;
}

bool Archiver::unchanged(const Node& node, const Node& before) const {
  if (before.type != NodeType::File || !before.content || node.size != before.size) return false;
  if (!same_instant(node.mtime, before.mtime)) return false;
  if (!options_.ignore_ctime && !same_instant(node.ctime, before.ctime)) return false;
  if (!options_.ignore_inode && node.inode != before.inode) return false;
  return has_all(before);
}

/// What the repository has lost is read and stored again.
bool Archiver::has_all(const Node& before) const {
  return std::all_of(before.content->begin(), before.content->end(),
                     [this](const Id& id) { return index_.find(BlobType::Data, id); });
}

void Archiver::save_small(Folder& folder, const std::vector<size_t>& places, Hands& hands) {
  hands.buffer.resize(std::max(hands.buffer.size(), kTogether + kLeastChunk));
  std::vector<SmallFile> files;
  size_t end = 0;
  for (const size_t place : places) {
    SmallFile small;
    if (stopped() || !read_small(folder, place, hands, end, small)) continue;
    end = small.end;
    files.push_back(small);
    if (end < kTogether) continue;
    store_small(folder, std::exchange(files, {}), hands.buffer);
    end = 0;
  }
  store_small(folder, files, hands.buffer);
}

/// False: left out, or larger than it was and begun as a large one.
bool Archiver::read_small(Folder& folder, size_t place, Hands& hands, size_t at, SmallFile& small) {
  Node& node = folder.nodes[place];
  const std::string path = folder.path_of(place);
  Result<InputFile> input = InputFile::open(path);
  if (!input) {
    leave_out(folder, place, input.error());
    return false;
  }
  const Result<size_t> read = input->read(hands.buffer.data() + at, kLeastChunk);
  if (!read) {
    leave_out(folder, place, read.error());
    return false;
  }
  if (*read == kLeastChunk) {
    begin_big(folder, place);
    return false;
  }
  node.size = *read;
  small = {place, at, at + *read};
  return true;
}

void Archiver::store_small(Folder& folder, const std::vector<SmallFile>& files,
                           const std::string& buffer) {
  std::vector<std::string_view> plains;
  for (const SmallFile& file : files)
    if (file.end > file.begin)
      plains.push_back(std::string_view(buffer).substr(file.begin, file.end - file.begin));
  std::vector<Id> ids(plains.size());
  Result<void> stored = saver_.save_blobs(BlobType::Data, plains, ids);
  if (!stored) return fail(stored.take_error());
  size_t next = 0;
  for (const SmallFile& file : files) {
    Node& node = folder.nodes[file.place];
    if (file.end > file.begin) node.content->assign(1, ids[next++]);
    figures_.bytes += node.size;
    count_file(folder, file.place);
    // Of other folders it is known soon enough that they are finished.
    if (folder.nodes.size() > kManyFiles) journal_.file_done(folder.path_of(file.place), node);
  }
}

void Archiver::count_unmodified(const Folder& folder, size_t place, uint64_t size) {
  ++figures_.files_unmodified;
  ++figures_.files;
  figures_.bytes += size;
  if (options_.item) tell(Change::Unchanged, folder.path_of(place), size);
}

void Archiver::count_file(Folder& folder, size_t place) {
  const Node& node = folder.nodes[place];
  const bool is_new = options_.force || folder.find_before(node.name) == nullptr;
  ++(is_new ? figures_.files_new : figures_.files_changed);
  ++figures_.files;
  if (options_.item)
    tell(is_new ? Change::New : Change::Modified, folder.path_of(place), node.size);
}

void Archiver::tell(Change change, const std::string& path, uint64_t size) {
  if (!options_.item) return;
  const Lock lock(telling_);
  options_.item(change, path.starts_with('/') ? path : "/" + path, size);
}

}  // namespace holdfast::repo

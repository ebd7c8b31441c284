// The walker, and what happens when a folder is complete.
#include "backup/archiver.h"

#include "backup/image.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::repo {
namespace {

/// Entries that one task takes: enough to hash side by side, few enough to share the work.
constexpr size_t kBatch = 64;
constexpr std::string_view kCacheTag = "CACHEDIR.TAG:Signature: 8a477f597d28d172789f06886806bc55";

}  // namespace

Node* Folder::find_before(const std::string& name) {
  const auto found =
      std::lower_bound(before.begin(), before.end(), name,
                       [](const Node& node, const std::string& of) { return node.name < of; });
  return found != before.end() && found->name == name ? &*found : nullptr;
}

bool Folder::settle() {
  size_t end = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name.empty()) continue;
    if (i != end) {
      nodes[end] = std::move(nodes[i]);
      kept[end] = kept[i];
    }
    ++end;
  }
  nodes.resize(end);
  bool same = before_id && nodes.size() == before.size();
  for (size_t i = 0; same && i < end; ++i)
    same = kept[i] == &before[i] || (kept[i] == nullptr && nodes[i] == before[i]);
  if (same) return true;
  for (size_t i = 0; i < end; ++i)
    if (kept[i] != nullptr) nodes[i] = std::move(*kept[i]);
  return false;
}

std::string Folder::path_of(size_t at) const {
  if (!paths.empty()) return paths[at];
  return path.ends_with('/') ? path + nodes[at].name : path + "/" + nodes[at].name;
}

Archiver::Archiver(IndexedRepository& index, Saver& saver, const BackupOptions& options,
                   Patterns excludes, Patterns insensitive_excludes, Journal& journal,
                   size_t buffers)
    : index_(index),
      saver_(saver),
      options_(options),
      journal_(journal),
      excludes_(std::move(excludes)),
      insensitive_excludes_(std::move(insensitive_excludes)),
      here_(absolute_path(".")),
      buffers_(buffers, kPart),
      crew_(options.read_concurrency) {}

Result<Id> Archiver::archive(const Target& root, std::optional<Id> before, std::stop_token stop) {
  stop_ = std::move(stop);
  Folder* folder = make_folder(nullptr, 0, root.path, {});
  folder->before_id = before;
  visit_targets(root, folder);
  return wait_for_root();
}

Result<Id> Archiver::wait_for_root() {
  const Lock lock(mutex_);
  // Also when it has failed: the folders are counted down and go.
  while (!done_) root_done_.wait(mutex_);
  if (failed_) return failed_->copy();
  if (!root_) return Error(Fault::Unavailable, "the backup was interrupted");
  return *root_;
}

Folder* Archiver::make_folder(Folder* above, size_t place, std::string path, Node self) {
  auto folder = std::make_unique<Folder>();
  folder->above = above;
  folder->place = place;
  folder->path = std::move(path);
  if (above != nullptr)
    if (const Node* before = above->find_before(self.name)) folder->before_id = before->subtree;
  folder->self = std::move(self);
  // From here on it belongs to whoever counts it down to nothing.
  return folder.release();
}

void Archiver::visit_targets(const Target& target, Folder* folder) {
  if (target.whole) return visit(folder);
  load_before(*folder);
  folder->nodes.resize(target.below.size());
  folder->kept.resize(target.below.size());
  size_t place = 0;
  for (const auto& [name, inner] : target.below) {
    folder->nodes[place++].name = name;
    folder->paths.push_back(inner.path);
  }
  place = 0;
  for (const auto& [name, inner] : target.below) visit_leaf(inner, *folder, place++);
  done_with(folder);
}

void Archiver::visit_leaf(const Target& target, Folder& folder, size_t place) {
  const Result<struct stat> info = stat_of(target.path);
  if (!info) return leave_out(folder, place, info.error());
  if (target.whole && options_.one_file_system) devices_.insert(info->st_dev);
  if (!S_ISDIR(info->st_mode)) {
    ++folder.pending;
    crew_.give([this, at = &folder, place](Hands& hands) {
      save_batch(*at, {place}, hands);
      done_with(at);
    });
    return;
  }
  std::optional<Node> self = folder_node(target.path, folder.nodes[place].name);
  if (!self) {
    folder.nodes[place].name.clear();
    return;
  }
  ++folder.pending;
  visit_targets(target, make_folder(&folder, place, target.path, std::move(*self)));
}

std::optional<Node> Archiver::folder_node(const std::string& path, std::string name) {
  const Result<struct stat> info = stat_of(path);
  if (!info) {
    report(info.error());
    return {};
  }
  Result<Node> node = node_of(path, std::move(name), *info, options_.with_atime, names_,
                              [this](const Error& error) { report(error); });
  if (!node) {
    report(node.error());
    return {};
  }
  return node.take();
}

void Archiver::load_before(Folder& folder) {
  // What an interrupted backup has finished is newer than what the parent has.
  if (const auto finished = journal_.find_folder(folder.path, index_)) folder.before_id = finished;
  if (!folder.before_id) return;
  const Result<std::string> json = index_.read(BlobType::Tree, *folder.before_id);
  Result<std::vector<Node>> nodes =
      json ? parse_tree(*json) : Result<std::vector<Node>>(json.error().copy());
  // A parent that cannot be read saves no work; it does no harm either.
  if (nodes)
    folder.before = nodes.take();
  else
    folder.before_id.reset();
}

void Archiver::visit(Folder* folder) {
  {
    const Lock lock(mutex_);
    current_ = folder->path;
  }
  Result<std::vector<Entry>> entries =
      stopped() ? Result<std::vector<Entry>>(std::vector<Entry>()) : list_folder(folder->path);
  if (!entries) {
    report(entries.error());
    folder->self.name.clear();
    return done_with(folder);
  }
  load_before(*folder);
  const std::vector<Entry> wanted = choose(folder->path, entries.take());
  folder->nodes.resize(wanted.size());
  folder->kept.resize(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) folder->nodes[i].name = wanted[i].name;
  hand_out(*folder, wanted);
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i].kind == EntryKind::Folder) visit_inner(*folder, i);
  done_with(folder);
}

std::vector<Entry> Archiver::choose(const std::string& folder, std::vector<Entry> entries) const {
  const std::string above = folder.ends_with('/') ? folder : folder + "/";
  const std::vector<std::string> marks = marks_in(folder);
  std::erase_if(entries, [&](const Entry& entry) {
    const auto other = [&entry](const std::string& mark) { return mark != entry.name; };
    return std::any_of(marks.begin(), marks.end(), other) || excluded(above + entry.name);
  });
  return entries;
}

void Archiver::hand_out(Folder& folder, const std::vector<Entry>& entries) {
  std::vector<size_t> places;
  const auto give = [&] {
    if (places.empty()) return;
    ++folder.pending;
    crew_.give([this, at = &folder, some = std::exchange(places, {})](Hands& hands) {
      save_batch(*at, some, hands);
      done_with(at);
    });
  };
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].kind != EntryKind::Folder) places.push_back(i);
    if (places.size() >= kBatch) give();
  }
  give();
}

void Archiver::visit_inner(Folder& folder, size_t place) {
  const std::string path = folder.path_of(place);
  std::optional<Node> self;
  if (!stopped()) self = folder_node(path, folder.nodes[place].name);
  if (!self) {
    folder.nodes[place].name.clear();
    return;
  }
  ++folder.pending;
  const bool foreign = options_.one_file_system && !devices_.contains(self->device_id);
  Folder* inner = make_folder(&folder, place, path, std::move(*self));
  // A mount point stays as the empty folder that it covers.
  if (foreign) return done_with(inner);
  visit(inner);
}

bool Archiver::excluded(const std::string& path) const {
  if (excludes_.empty() && insensitive_excludes_.empty()) return false;
  const std::string whole = path.starts_with('/') ? path : here_ + "/" + path;
  return excludes_.match(whole) || insensitive_excludes_.match(whole);
}

std::vector<std::string> Archiver::marks_in(const std::string& folder) const {
  const auto marked = [&folder](const std::string& name, const std::string& header) {
    const std::string file = folder + "/" + name;
    if (header.empty()) return is_there(file);
    std::string begins(header.size(), '\0');
    Result<InputFile> input = InputFile::open(file);
    const Result<size_t> read =
        input ? input->read(begins.data(), begins.size()) : Result<size_t>(input.take_error());
    return read && begins == header;
  };
  std::vector<std::string> asked = options_.exclude_if_present;
  if (options_.exclude_caches) asked.emplace_back(kCacheTag);
  std::vector<std::string> found;
  for (const std::string& mark : asked) {
    const size_t colon = std::min(mark.find(':'), mark.size());
    const std::string name = mark.substr(0, colon);
    if (marked(name, colon < mark.size() ? mark.substr(colon + 1) : "")) found.push_back(name);
  }
  return found;
}

void Archiver::done_with(Folder* folder) {
  while (folder != nullptr && --folder->pending == 0) {
    const std::unique_ptr<Folder> owner(folder);
    finish(*folder);
    folder = folder->above;
  }
}

Result<Id> Archiver::store_folder(Folder& folder) {
  if (stopped()) return Error(Fault::Unavailable, "interrupted");
  const Image* image = folder.is_segment() ? folder.above->image.get() : folder.image.get();
  if (image != nullptr && image->failed) return Error(Fault::Unavailable, "told already");
  const bool same = folder.settle();
  Result<Id> id = same ? Result<Id>(*folder.before_id) : saver_.save_tree(folder.nodes);
  if (!id) {
    fail(id.error().copy());
    return id;
  }
  if (image != nullptr && folder.is_segment() && !image->layout.device)
    journal_.segment_done(folder.path, image->source, *id);
  else if (!folder.is_segment() && folder.above != nullptr && !same)
    journal_.folder_done(folder.path, *id);
  return id;
}

void Archiver::count_folder(const Folder& folder, const Id& id) {
  if (folder.is_segment()) return;
  // What an image becomes is nothing that the file system has; there it is one file.
  if (folder.image) return count_file(*folder.above, folder.place);
  const bool known = folder.above->find_before(folder.self.name) != nullptr;
  const bool same = folder.before_id == id;
  ++(!known ? figures_.dirs_new : same ? figures_.dirs_unmodified : figures_.dirs_changed);
  tell(!known ? Change::New : same ? Change::Unchanged : Change::Modified, folder.path + "/", 0);
}

void Archiver::finish(Folder& folder) {
  const Result<Id> id = store_folder(folder);
  if (folder.above == nullptr) {
    const Lock lock(mutex_);
    if (id) root_ = *id;
    done_ = true;
    root_done_.notify_all();
    return;
  }
  Node& slot = folder.above->nodes[folder.place];
  if (!id || folder.self.name.empty()) {
    slot.name.clear();
    return;
  }
  count_folder(folder, *id);
  folder.self.subtree = *id;
  slot = std::move(folder.self);
}

void Archiver::leave_out(Folder& folder, size_t place, const Error& error) {
  report(error);
  folder.nodes[place].name.clear();
}

void Archiver::report(const Error& error) {
  const Lock lock(mutex_);
  errors_.push_back(error.what());
}

void Archiver::fail(Error error) {
  const Lock lock(mutex_);
  if (!failed_) failed_ = std::move(error);
  failed_flag_ = true;
}

std::vector<std::string> Archiver::take_errors() {
  const Lock lock(mutex_);
  return std::exchange(errors_, {});
}

uint64_t Archiver::errors() const {
  const Lock lock(mutex_);
  return errors_.size();
}

std::string Archiver::current() const {
  const Lock lock(mutex_);
  return current_;
}

}  // namespace holdfast::repo

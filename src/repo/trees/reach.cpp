#include "trees/reach.h"

#include <holdfast/repo/tree.h>

#include "codec/go_json.h"
#include "pack/blob_codec.h"
#include "trees/waiting_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <thread>

namespace holdfast::repo {

BlobSet::BlobSet(const IndexTable& table) {
  for (const BlobType type : {BlobType::Data, BlobType::Tree})
    words_[size_t(type)] = std::vector<std::atomic<uint64_t>>(table.blobs(type) / 64 + 1);
}

bool BlobSet::has(BlobType type, size_t position) const {
  const uint64_t word = words_[size_t(type)][position / 64].load(std::memory_order_relaxed);
  return (word >> (position % 64) & 1) != 0;
}

bool BlobSet::insert(BlobType type, size_t position) {
  const uint64_t bit = uint64_t{1} << (position % 64);
  std::atomic<uint64_t>& word = words_[size_t(type)][position / 64];
  // Most are there already: looking first keeps the line shared between the cores.
  if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
  return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

uint64_t BlobSet::count(BlobType type) const {
  uint64_t sum = 0;
  for (const std::atomic<uint64_t>& word : words_[size_t(type)])
    sum += uint64_t(std::popcount(word.load(std::memory_order_relaxed)));
  return sum;
}

namespace {

constexpr int kMostFailures = 32;
/// Requests at once, so that a store that is far away is not waited for each time, and sealed bytes
/// that they bring.
constexpr int kReaders = 6;
constexpr uint64_t kMostOnTheWay = uint64_t{8} << 20;

class Reacher {
 public:
  Reacher(IndexedRepository& index, const std::function<void(uint64_t)>& progress,
          const std::stop_token& stop)
      : index_(index),
        table_(index.table()),
        progress_(progress),
        stop_(stop),
        used_(table_),
        waiting_(table_) {}

  void start(std::span<const Id> roots) {
    const Lock lock(mutex_);
    for (const Id& root : roots) need_tree(root, "", root);
  }

  void run() {
    std::optional<TreeRun> next;
    while ((next = begin_run())) {
      Result<void> read = read_run(*next);
      const Lock lock(mutex_);
      --busy_;
      on_the_way_ -= next->end - next->begin;
      if (!read && !failed_) failed_ = read.take_error();
      progress_(done_ += next->positions.size());
      changed_.notify_all();
    }
  }

  Result<Reach> take() {
    const Lock lock(mutex_);
    if (failed_) return std::move(*failed_);
    std::sort(troubles_.begin(), troubles_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.tree, a.node, a.what) < std::tie(b.tree, b.node, b.what);
    });
    return Reach{std::move(used_), std::move(troubles_)};
  }

 private:
  void need_tree(const Id& in, std::string_view node, const Id& tree) HF_REQUIRES(mutex_) {
    const std::optional<size_t> position = table_.position(BlobType::Tree, tree);
    if (!position)
      troubles_.push_back(
          {in, std::string(node), fmt::format("tree {} is in no index", tree.hex())});
    else if (used_.insert(BlobType::Tree, *position))
      waiting_.add(*position);
  }

  /// Nothing if all is read, or it is in vain.
  std::optional<TreeRun> begin_run() {
    const Lock lock(mutex_);
    while (!failed_) {
      if (waiting_.empty() && busy_ == 0) return {};
      // One may be larger than all that is to be on the way; none is begun beside it.
      if (!waiting_.empty() && (busy_ == 0 || on_the_way_ < kMostOnTheWay)) break;
      changed_.wait(mutex_);
    }
    if (failed_) return {};
    TreeRun run = waiting_.take();
    ++busy_;
    on_the_way_ += run.end - run.begin;
    return run;
  }

  Result<void> read_run(const TreeRun& run) {
    const Id pack = table_.location_at(BlobType::Tree, run.positions.front()).pack;
    Result<std::string> sealed = index_.repository().store().get(
        place_of(FileType::Pack, pack), blob::Range{run.begin, run.end - run.begin});
    for (const uint32_t position : run.positions) {
      if (stop_.stop_requested()) return Error(Fault::Unavailable, "stopped");
      const Id& id = table_.id_at(BlobType::Tree, position);
      const Location where = table_.location_at(BlobType::Tree, position);
      std::string plain;
      const bool good = sealed && open(id, where, *sealed, where.offset - run.begin, plain);
      // What is wrong with it, and whether there is another copy, the index finds out.
      HF_TRY(see_tree(
          id, good ? Result<std::string>(std::move(plain)) : index_.read(BlobType::Tree, id)));
    }
    return ok();
  }

  bool open(const Id& id, const Location& where, std::string_view sealed, uint64_t at,
            std::string& plain) {
    Workshop::Lent bench = index_.workshop().lend();
    return bool(open_blob(*bench, id, where, sealed.substr(at, where.length), plain));
  }

  Result<void> see_tree(const Id& id, Result<std::string> json) {
    // A bad sector fails as a store does that is away: only many failures tell them apart.
    if (!json && json.error().fault() != Fault::Corrupt &&
        json.error().fault() != Fault::NotFound && ++failures_ > kMostFailures)
      return json.take_error();
    Result<std::vector<Node>> nodes = json ? parse_tree(*json) : json.take_error();
    if (!nodes) {
      trouble({id, "", nodes.error().what()});
      return ok();
    }
    for (const Node& node : *nodes) see(id, node);
    return ok();
  }

  void see(const Id& tree, const Node& node) {
    if (node.name.empty() || node.name.find('/') != std::string::npos || node.name == "." ||
        node.name == "..")
      trouble({tree, node.name, "this is no name for a file"});
    if (node.type == NodeType::Dir) {
      if (!node.subtree) return trouble({tree, node.name, "a directory without a tree"});
      const Lock lock(mutex_);
      need_tree(tree, node.name, *node.subtree);
      changed_.notify_one();
      return;
    }
    if (node.type != NodeType::File) return;
    if (!node.content) return trouble({tree, node.name, "a file without a list of blobs"});
    for (const Id& blob : *node.content) {
      if (const auto position = table_.position(BlobType::Data, blob))
        used_.insert(BlobType::Data, *position);
      else
        trouble({tree, node.name, fmt::format("blob {} is in no index", blob.hex())});
    }
  }

  void trouble(TreeTrouble what) {
    const Lock lock(mutex_);
    troubles_.push_back(std::move(what));
  }

  IndexedRepository& index_;
  const IndexTable& table_;
  const std::function<void(uint64_t)>& progress_;
  const std::stop_token& stop_;
  BlobSet used_;
  std::atomic<int> failures_{0};
  Mutex mutex_;
  CondVar changed_;
  WaitingTrees waiting_ HF_GUARDED_BY(mutex_);
  int busy_ HF_GUARDED_BY(mutex_) = 0;
  uint64_t on_the_way_ HF_GUARDED_BY(mutex_) = 0;
  uint64_t done_ HF_GUARDED_BY(mutex_) = 0;
  std::optional<Error> failed_ HF_GUARDED_BY(mutex_);
  std::vector<TreeTrouble> troubles_ HF_GUARDED_BY(mutex_);
};

}  // namespace

Result<Reach> reach(IndexedRepository& index, std::span<const Id> roots, int threads,
                    const std::function<void(uint64_t)>& progress, const std::stop_token& stop) {
  Reacher reacher(index, progress, stop);
  reacher.start(roots);
  {
    std::vector<std::jthread> helpers;
    for (int i = 1; i < std::max(threads, kReaders); ++i)
      helpers.emplace_back([&reacher] { reacher.run(); });
    reacher.run();
  }
  return reacher.take();
}

}  // namespace holdfast::repo

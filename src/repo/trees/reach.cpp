#include "trees/reach.h"

#include <holdfast/repo/tree.h>

#include "codec/go_json.h"

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

class Reacher {
 public:
  Reacher(IndexedRepository& index, const std::function<void(uint64_t)>& progress,
          const std::stop_token& stop)
      : index_(index), table_(index.table()), progress_(progress), stop_(stop), used_(table_) {}

  void start(std::span<const Id> roots) {
    const Lock lock(mutex_);
    for (const Id& root : roots) need_tree(root, "", root);
  }

  void run() {
    for (;;) {
      uint32_t position = 0;
      {
        const Lock lock(mutex_);
        while (waiting_.empty() && busy_ > 0 && !failed_) changed_.wait(mutex_);
        if (waiting_.empty() || failed_) return;
        position = waiting_.back();
        waiting_.pop_back();
        ++busy_;
      }
      Result<void> read = stop_.stop_requested()
                              ? Error(Fault::Unavailable, "stopped")
                              : read_tree(table_.id_at(BlobType::Tree, position));
      const Lock lock(mutex_);
      --busy_;
      if (!read && !failed_) failed_ = read.take_error();
      progress_(++done_);
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
      waiting_.push_back(uint32_t(*position));
  }

  Result<void> read_tree(const Id& id) {
    Result<std::string> json = index_.read(BlobType::Tree, id);
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
  std::vector<uint32_t> waiting_ HF_GUARDED_BY(mutex_);
  int busy_ HF_GUARDED_BY(mutex_) = 0;
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
    for (int i = 1; i < threads; ++i) helpers.emplace_back([&reacher] { reacher.run(); });
    reacher.run();
  }
  return reacher.take();
}

}  // namespace holdfast::repo

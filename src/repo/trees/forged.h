/// For tests: trees that no program would write.
#pragma once

#include "upkeep/sample.h"

#include <algorithm>

namespace holdfast::repo {

class Forged {
 public:
  Forged() : index_(sample_.index()), saver_(indexed(), options_) {}

  /// With all that was made so far.
  Indexed& index() {
    HF_CHECK(bool(saver_.finish()));
    return *index_;
  }
  IndexedRepository& indexed() { return static_cast<IndexedRepository&>(*index_); }
  Sample& sample() { return sample_; }

  Node file(std::string name, std::string_view bytes) {
    Node node;
    node.name = std::move(name);
    node.mode = 0644;
    node.size = bytes.size();
    node.content.emplace(1);
    HF_CHECK(bool(saver_.save_blobs(BlobType::Data, {&bytes, 1}, *node.content)));
    return node;
  }
  static Node folder(std::string name, const Id& tree) {
    Node node;
    node.name = std::move(name);
    node.type = NodeType::Dir;
    node.mode = 0755;
    node.subtree = tree;
    return node;
  }
  Id tree(std::vector<Node> nodes) {
    std::sort(nodes.begin(), nodes.end(),
              [](const Node& a, const Node& b) { return a.name < b.name; });
    return saver_.save_tree(nodes).take();
  }
  /// Folders in each other, so many, and a file in the last one.
  Id nested(int depth) {
    Id inner = tree({file("bottom", "far down")});
    for (int i = 0; i < depth; ++i) inner = tree({folder("d", inner)});
    return inner;
  }
  /// Each tree names the next one twice: 2^levels folders at the bottom, each with a file.
  Id doubled(int levels) {
    Id inner = tree({file("bottom", "far down")});
    for (int i = 0; i < levels; ++i) inner = tree({folder("a", inner), folder("b", inner)});
    return inner;
  }

 private:
  Sample sample_;
  std::unique_ptr<Indexed> index_;
  const BackupOptions options_{};
  Saver saver_;
};

}  // namespace holdfast::repo

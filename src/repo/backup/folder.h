/// A folder on its way into the repository. It is stored when everything in it is, by whoever
/// finishes last.
#pragma once

#include <holdfast/repo/tree.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::repo {

struct Image;

struct Folder {
  Folder* above = nullptr;
  size_t place = 0;  ///< among the nodes of the one above
  std::string path{};
  /// Where each thing is, if that is not path/NAME.
  std::vector<std::string> paths{};
  Node self{};
  /// One for each thing in it, in the order of names; a node without a name is left out.
  std::vector<Node> nodes{};
  /// What the parent snapshot has of it.
  std::vector<Node> before{};
  std::optional<Id> before_id{};
  /// For each of `nodes` that is just what the parent has, that one; its own has only the name.
  std::vector<Node*> kept{};
  /// What is not finished yet, and one for the walker while it is here.
  std::atomic<size_t> pending{1};

  Node* find_before(const std::string& name);
  /// Everything in it is done: drops what was left out. True if it is just what the parent has;
  /// otherwise the nodes are complete.
  bool settle();
  /// Of the folder that a disk image becomes; those below it are its segments.
  std::shared_ptr<Image> image{};
  bool is_segment() const { return above != nullptr && above->image != nullptr; }
  std::string path_of(size_t at) const;
};

}  // namespace holdfast::repo

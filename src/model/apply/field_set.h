/// Sets of fields, the currency of server-side apply: who owns what, what changed, what goes.
///
/// A Set is a trie of path elements. A node that is a `member` is in the set itself; its `children`
/// are fields below it that are in the set. Owning a parent says nothing of its children and the
/// other way round.
///
/// Sets are immutable and share their subtrees; nodes live in an Arena and names point into the
/// JSON that they came from. So an operation costs the nodes that differ, a copy costs nothing, and
/// nothing is freed one by one: a Set must not outlive its Arena nor the values it was made of.
#pragma once

#include <holdfast/model/json.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

namespace holdfast::model::apply {

struct KeyField {
  std::string_view name;
  const Value* value = nullptr;
};

/// One step of a path: a member of an object, an item of a list found by its keys or by its value,
/// or by its index.
class Element {
 public:
  enum class Kind : uint8_t { Field, Key, Value, Index };

  static Element field(std::string_view name) { return {Kind::Field, name.data(), name.size()}; }
  /// `keys` are sorted by name.
  static Element key(std::span<const KeyField> keys) {
    return {Kind::Key, keys.data(), keys.size()};
  }
  static Element value(const model::Value* value) { return {Kind::Value, value, 0}; }
  static Element index(int64_t index) { return {Kind::Index, nullptr, static_cast<size_t>(index)}; }

  Kind kind() const { return kind_; }
  std::string_view name() const { return {static_cast<const char*>(data_), size_}; }
  std::span<const KeyField> keys() const { return {static_cast<const KeyField*>(data_), size_}; }
  const model::Value& item() const { return *static_cast<const model::Value*>(data_); }
  int64_t position() const { return static_cast<int64_t>(size_); }

 private:
  Element(Kind kind, const void* data, size_t size) : data_(data), size_(size), kind_(kind) {}
  const void* data_;
  size_t size_;
  Kind kind_;
};

/// The canonical order: fields by name, then keys, then values, then indexes. <0, 0, >0.
int compare(const Element& a, const Element& b);

struct Node;

class Set {
 public:
  Set() = default;
  Set(const Node* nodes, size_t count) : nodes_(nodes), count_(count) {}

  /// An empty set has no nodes at all: no operation leaves a node without members behind.
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  const Node* begin() const { return nodes_; }
  const Node* end() const;
  const Node* find(const Element& element) const;
  bool has(std::span<const Element> path) const;
  bool same_as(const Set& other) const { return nodes_ == other.nodes_ && count_ == other.count_; }

 private:
  const Node* nodes_ = nullptr;
  size_t count_ = 0;
};

struct Node {
  Element element;
  Set children;
  bool member = false;
};

inline const Node* Set::end() const { return nodes_ + count_; }

/// Owns nodes, keys and the values that were parsed out of key texts. Everything dies with it at
/// once.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  Set keep(std::span<const Node> nodes);
  std::span<const KeyField> keep(std::span<const KeyField> keys);
  const Value* keep(Value value);
  std::string_view keep(std::string_view text);
  /// Room for that many nodes, to be filled by the caller.
  Node* room(size_t nodes);

 private:
  // Most writes never need more than this.
  std::array<std::byte, 8192> first_;
  std::pmr::monotonic_buffer_resource memory_{first_.data(), first_.size()};
  std::deque<Value> values_;
};

/// Collects the nodes of one level while deeper levels are collected above them.
class NodeStack {
 public:
  explicit NodeStack(Arena& arena) : arena_(arena) {}
  size_t mark() const { return nodes_.size(); }
  void push(const Element& element, Set children, bool member) {
    if (member || !children.empty()) nodes_.push_back(Node{element, children, member});
  }
  /// What was pushed since `mark`, as a set; sorts it and joins equal elements where needed.
  Set take(size_t mark);

 private:
  Arena& arena_;
  std::vector<Node> nodes_;
};

Set unite(Arena& arena, const Set& a, const Set& b);
Set intersect(Arena& arena, const Set& a, const Set& b);
/// What is in `a` and not in `b`; taking a parent away leaves its children.
Set subtract(Arena& arena, const Set& a, const Set& b);
/// Like subtract, but a parent takes its children along.
Set subtract_trees(Arena& arena, const Set& a, const Set& b);
/// A set of one path.
Set single(Arena& arena, std::span<const Element> path);

}  // namespace holdfast::model::apply

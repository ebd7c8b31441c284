// The algebra of field sets: every operation walks two sorted node lists side by side.

#include "apply/field_set.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace holdfast::model::apply {
namespace {

int sign(int64_t difference) { return difference < 0 ? -1 : difference > 0 ? 1 : 0; }

// Numbers, strings, booleans, lists, objects, null: the order in which unlike values stand.
int rank(const Value& value) {
  switch (value.kind()) {
    case boost::json::kind::double_:
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
      return 0;
    case boost::json::kind::string:
      return 1;
    case boost::json::kind::bool_:
      return 2;
    case boost::json::kind::array:
      return 3;
    case boost::json::kind::object:
      return 4;
    case boost::json::kind::null:
      break;
  }
  return 5;
}

double as_double(const Value& value) {
  if (value.is_double()) return value.get_double();
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  return static_cast<double>(value.get_int64());
}

int compare_numbers(const Value& a, const Value& b) {
  if (a.is_int64() && b.is_int64()) {
    const int64_t x = a.get_int64();
    const int64_t y = b.get_int64();
    return x < y ? -1 : x > y ? 1 : 0;
  }
  const double x = as_double(a);
  const double y = as_double(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

int compare_values(const Value& a, const Value& b);

int compare_arrays(const Array& a, const Array& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (const int c = compare_values(a[i], b[i]); c != 0) return c;
  return sign(static_cast<int64_t>(a.size()) - static_cast<int64_t>(b.size()));
}

std::vector<KeyField> sorted_members(const Object& object) {
  std::vector<KeyField> members;
  for (const auto& member : object) members.push_back({member.key(), &member.value()});
  std::sort(members.begin(), members.end(),
            [](const KeyField& x, const KeyField& y) { return x.name < y.name; });
  return members;
}

int compare_keys(std::span<const KeyField> a, std::span<const KeyField> b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const int c = a[i].name.compare(b[i].name); c != 0) return c;
    if (const int c = compare_values(*a[i].value, *b[i].value); c != 0) return c;
  }
  return sign(static_cast<int64_t>(a.size()) - static_cast<int64_t>(b.size()));
}

int compare_values(const Value& a, const Value& b) {
  if (const int c = rank(a) - rank(b); c != 0) return c;
  switch (rank(a)) {
    case 0:
      return compare_numbers(a, b);
    case 1:
      return view(a.get_string()).compare(view(b.get_string()));
    case 2:
      return static_cast<int>(a.get_bool()) - static_cast<int>(b.get_bool());
    case 3:
      return compare_arrays(a.get_array(), b.get_array());
    case 4:
      return compare_keys(sorted_members(a.get_object()), sorted_members(b.get_object()));
    default:
      return 0;
  }
}

bool less(const Node& a, const Node& b) { return compare(a.element, b.element) < 0; }

// Nodes written straight into the arena, of which `most` will do.
class Filler {
 public:
  Filler(Arena& arena, size_t most) : nodes_(arena.room(most)) {}

  void push(const Node& node) { new (nodes_ + count_++) Node(node); }
  void push(const Element& element, Set children, bool member) {
    if (member || !children.empty()) push(Node{element, children, member});
  }
  void push_all(const Node* from, const Node* end) {
    for (; from != end; ++from) push(*from);
  }
  Set set() const { return count_ == 0 ? Set() : Set(nodes_, count_); }

  // `from` itself if that says the same, so that others see at once that nothing changed.
  Set set_or(const Set& from) const {
    if (count_ != from.size()) return set();
    for (size_t i = 0; i < count_; ++i) {
      const Node& old = from.begin()[i];
      if (nodes_[i].member != old.member || !nodes_[i].children.same_as(old.children)) return set();
    }
    return from;
  }

 private:
  Node* nodes_;
  size_t count_ = 0;
};

}  // namespace

int compare(const Element& a, const Element& b) {
  if (a.kind() != b.kind()) return static_cast<int>(a.kind()) - static_cast<int>(b.kind());
  switch (a.kind()) {
    case Element::Kind::Field:
      return a.name().compare(b.name());
    case Element::Kind::Key:
      return compare_keys(a.keys(), b.keys());
    case Element::Kind::Value:
      return compare_values(a.item(), b.item());
    case Element::Kind::Index:
      break;
  }
  return a.position() < b.position() ? -1 : a.position() > b.position() ? 1 : 0;
}

const Node* Set::find(const Element& element) const {
  const Node* found = std::lower_bound(
      begin(), end(), element,
      [](const Node& node, const Element& wanted) { return compare(node.element, wanted) < 0; });
  return found != end() && compare(found->element, element) == 0 ? found : nullptr;
}

bool Set::has(std::span<const Element> path) const {
  if (path.empty()) return false;
  const Set* level = this;
  for (size_t i = 0;; ++i) {
    const Node* node = level->find(path[i]);
    if (!node) return false;
    if (i + 1 == path.size()) return node->member;
    level = &node->children;
  }
}

Set Arena::keep(std::span<const Node> nodes) {
  if (nodes.empty()) return {};
  Node* copy = room(nodes.size());
  std::uninitialized_copy(nodes.begin(), nodes.end(), copy);
  return {copy, nodes.size()};
}

Node* Arena::room(size_t nodes) {
  return static_cast<Node*>(memory_.allocate(nodes * sizeof(Node), alignof(Node)));
}

std::span<const KeyField> Arena::keep(std::span<const KeyField> keys) {
  auto* copy =
      static_cast<KeyField*>(memory_.allocate(keys.size() * sizeof(KeyField), alignof(KeyField)));
  std::uninitialized_copy(keys.begin(), keys.end(), copy);
  return {copy, keys.size()};
}

const Value* Arena::keep(Value value) { return &values_.emplace_back(std::move(value)); }

std::string_view Arena::keep(std::string_view text) {
  auto* copy = static_cast<char*>(memory_.allocate(text.size() + 1, 1));
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

Set NodeStack::take(size_t mark) {
  const auto first = nodes_.begin() + static_cast<std::ptrdiff_t>(mark);
  const auto not_ascending = [](const Node& a, const Node& b) { return !less(a, b); };
  if (std::adjacent_find(first, nodes_.end(), not_ascending) != nodes_.end()) {
    std::stable_sort(first, nodes_.end(), less);
    auto last = first;
    for (auto next = first + 1; next != nodes_.end(); ++next) {
      if (less(*last, *next)) {
        *++last = *next;
        continue;
      }
      last->member = last->member || next->member;
      last->children = unite(arena_, last->children, next->children);
    }
    nodes_.erase(last + 1, nodes_.end());
  }
  const Set set = arena_.keep(std::span<const Node>(nodes_).subspan(mark));
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(mark), nodes_.end());
  return set;
}

Set unite(Arena& arena, const Set& a, const Set& b) {
  if (a.empty() || a.same_as(b)) return b;
  if (b.empty()) return a;
  Filler out(arena, a.size() + b.size());
  const Node* i = a.begin();
  const Node* j = b.begin();
  while (i != a.end() && j != b.end()) {
    const int order = compare(i->element, j->element);
    if (order == 0) {
      out.push(Node{i->element, unite(arena, i->children, j->children), i->member || j->member});
      ++i, ++j;
    } else {
      out.push(order < 0 ? *i++ : *j++);
    }
  }
  out.push_all(i, a.end());
  out.push_all(j, b.end());
  return out.set_or(a);
}

Set intersect(Arena& arena, const Set& a, const Set& b) {
  if (a.empty() || b.empty()) return {};
  if (a.same_as(b)) return a;
  Filler out(arena, std::min(a.size(), b.size()));
  const Node* i = a.begin();
  const Node* j = b.begin();
  while (i != a.end() && j != b.end()) {
    const int order = compare(i->element, j->element);
    if (order == 0) {
      out.push(i->element, intersect(arena, i->children, j->children), i->member && j->member);
      ++i, ++j;
    } else if (order < 0) {
      ++i;
    } else {
      ++j;
    }
  }
  return out.set();
}

namespace {

Set subtract_with(Arena& arena, const Set& a, const Set& b, bool trees) {
  if (a.empty() || b.empty()) return a;
  Filler out(arena, a.size());
  const Node* i = a.begin();
  const Node* j = b.begin();
  while (i != a.end() && j != b.end()) {
    const int order = compare(i->element, j->element);
    if (order < 0) {
      out.push(*i++);
    } else if (order > 0) {
      ++j;
    } else {
      if (!(trees && j->member))
        out.push(i->element, subtract_with(arena, i->children, j->children, trees),
                 i->member && !j->member);
      ++i, ++j;
    }
  }
  out.push_all(i, a.end());
  return out.set_or(a);
}

}  // namespace

Set subtract(Arena& arena, const Set& a, const Set& b) { return subtract_with(arena, a, b, false); }

Set subtract_trees(Arena& arena, const Set& a, const Set& b) {
  return subtract_with(arena, a, b, true);
}

Set single(Arena& arena, std::span<const Element> path) {
  Set set;
  for (size_t i = path.size(); i > 0; --i) {
    const Node node{path[i - 1], set, i == path.size()};
    set = arena.keep(std::span<const Node>(&node, 1));
  }
  return set;
}

}  // namespace holdfast::model::apply

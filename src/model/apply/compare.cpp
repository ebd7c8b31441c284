// Comparison of two values of one type, side by side.

#include "apply/compare.h"

#include <algorithm>

namespace holdfast::model::apply {
namespace {

enum Change : uint8_t { kNone = 0, kRemoved = 1, kModified = 2, kAdded = 4 };

struct Item {
  Element element;
  const Value* value;
};

class Comparer {
 public:
  explicit Comparer(Arena& arena)
      : arena_(arena), removed_(arena), modified_(arena), added_(arena) {}

  std::optional<Comparison> run(const TypeRef& type, const Value& before, const Value& after) {
    const Marks marks = mark();
    walk(type, &before, &after);
    if (failed_) return std::nullopt;
    return take(marks);
  }

 private:
  struct Marks {
    size_t removed, modified, added;
  };
  struct Outcome {
    uint8_t changes = kNone;
    bool leaf = false;
  };

  Marks mark() const { return {removed_.mark(), modified_.mark(), added_.mark()}; }
  Comparison take(const Marks& m) {
    return {removed_.take(m.removed), modified_.take(m.modified), added_.take(m.added)};
  }

  void step(const Element& element, const TypeRef& type, const Value* before, const Value* after) {
    const Marks marks = mark();
    const uint8_t changes = walk(type, before, after);
    push(element, take(marks), changes);
  }

  void push(const Element& element, const Comparison& below, uint8_t changes) {
    removed_.push(element, below.removed, (changes & kRemoved) != 0);
    modified_.push(element, below.modified, (changes & kModified) != 0);
    added_.push(element, below.added, (changes & kAdded) != 0);
  }

  // Pushes what changed below and says what happened to the place itself.
  uint8_t walk(const TypeRef& type, const Value* before, const Value* after) {
    const uint8_t allowed = forms(type);
    const uint8_t old_form = deduce(allowed, before);
    const uint8_t new_form = deduce(allowed, after);
    uint8_t changes = kNone;
    // A value that changed its form is gone in the one form and new in the other.
    if (before && after && old_form != new_form)
      changes |= walk_as(pick(old_form), type, before, after).changes;
    const Outcome last = walk_as(pick(after ? new_form : old_form), type, before, after);
    changes |= last.changes;
    if (!last.leaf && !before) changes |= kAdded;
    if (!last.leaf && before && !after) changes |= kRemoved;
    return changes;
  }

  Outcome walk_as(Form form, const TypeRef& type, const Value* before, const Value* after) {
    switch (form) {
      case kMap:
        return walk_map(type, before, after);
      case kList:
        return walk_list(type, before, after);
      default:
        return leaf(before, after);
    }
  }

  static Outcome leaf(const Value* before, const Value* after) {
    if (!before) return {kAdded, true};
    if (!after) return {kRemoved, true};
    return {static_cast<uint8_t>(equal(*before, *after) ? kNone : kModified), true};
  }

  Outcome walk_map(const TypeRef& type, const Value* before, const Value* after) {
    const Object* old_map = before ? before->if_object() : nullptr;
    const Object* new_map = after ? after->if_object() : nullptr;
    const bool empty = (!old_map || old_map->empty()) && (!new_map || new_map->empty());
    if (empty || map_is_atomic(type)) return leaf(before, after);
    if (old_map)
      for (const auto& member : *old_map)
        step(Element::field(member.key()), member_type(type, member.key()), &member.value(),
             new_map ? new_map->if_contains(member.key()) : nullptr);
    if (new_map)
      for (const auto& member : *new_map)
        if (!old_map || !old_map->contains(member.key()))
          step(Element::field(member.key()), member_type(type, member.key()), nullptr,
               &member.value());
    return {};
  }

  std::vector<Item> index(const TypeRef& type, const Array* list) {
    std::vector<Item> items;
    if (!list) return items;
    items.reserve(list->size());
    for (const Value& item : *list) {
      const std::optional<Element> element = item_element(arena_, type, item);
      if (element) {
        items.push_back({*element, &item});
      } else {
        failed_ = true;
      }
    }
    const auto less = [](const Item& a, const Item& b) {
      return compare(a.element, b.element) < 0;
    };
    if (!std::is_sorted(items.begin(), items.end(), less))
      std::stable_sort(items.begin(), items.end(), less);
    return items;
  }

  Outcome walk_list(const TypeRef& type, const Value* before, const Value* after) {
    const Array* old_list = before ? before->if_array() : nullptr;
    const Array* new_list = after ? after->if_array() : nullptr;
    const bool empty = (!old_list || old_list->empty()) && (!new_list || new_list->empty());
    if (empty || list_is_atomic(type)) return leaf(before, after);
    const std::vector<Item> old_items = index(type, old_list);
    const std::vector<Item> new_items = index(type, new_list);
    const TypeRef item = item_type(type);
    auto i = old_items.begin();
    auto j = new_items.begin();
    while (i != old_items.end() || j != new_items.end()) {
      const Element element = first_of(i, old_items.end(), j, new_items.end());
      const auto old_end = same(i, old_items.end(), element);
      const auto new_end = same(j, new_items.end(), element);
      compare_items(element, item, {i, old_end}, {j, new_end});
      i = old_end;
      j = new_end;
    }
    return {};
  }

  using Cursor = std::vector<Item>::const_iterator;

  static Element first_of(Cursor i, Cursor i_end, Cursor j, Cursor j_end) {
    if (i == i_end) return j->element;
    if (j == j_end) return i->element;
    return compare(i->element, j->element) <= 0 ? i->element : j->element;
  }

  static Cursor same(Cursor from, Cursor end, const Element& element) {
    while (from != end && compare(from->element, element) == 0) ++from;
    return from;
  }

  void compare_items(const Element& element, const TypeRef& type, std::span<const Item> before,
                     std::span<const Item> after) {
    const Value* old_item = before.empty() ? nullptr : before[0].value;
    const Value* new_item = after.empty() ? nullptr : after[0].value;
    const Marks marks = mark();
    uint8_t changes = kNone;
    if (before.size() <= 1 && after.size() <= 1) {
      changes = walk(type, old_item, new_item);
    } else if (before.size() > 1 && after.size() > 1) {
      const bool same_items =
          std::equal(before.begin(), before.end(), after.begin(), after.end(),
                     [](const Item& a, const Item& b) { return equal(*a.value, *b.value); });
      if (!same_items) changes = kModified;
    } else if (before.size() > 1) {
      if (new_item) changes = walk(type, nullptr, new_item);
      changes |= kRemoved;
    } else {
      if (old_item) changes = walk(type, old_item, nullptr);
      changes |= kAdded;
    }
    push(element, take(marks), changes);
  }

  Arena& arena_;
  NodeStack removed_, modified_, added_;
  bool failed_ = false;
};

class Lister {
 public:
  explicit Lister(Arena& arena) : arena_(arena), stack_(arena) {}

  Set run(const TypeRef& type, const Value& object) {
    walk(type, object);
    return stack_.take(0);
  }

 private:
  // Pushes what is below and says whether the place itself is a leaf.
  bool walk(const TypeRef& type, const Value& value) {
    switch (pick(deduce(forms(type), &value))) {
      case kMap:
        if (map_is_atomic(type)) return true;
        if (value.is_object()) walk_map(type, value.get_object());
        return false;
      case kList:
        if (list_is_atomic(type)) return true;
        if (value.is_array()) walk_list(type, value.get_array());
        return false;
      default:
        return true;
    }
  }

  void walk_map(const TypeRef& type, const Object& map) {
    for (const auto& member : map) {
      const Value& value = member.value();
      const size_t mark = stack_.mark();
      const bool leaf = walk(member_type(type, member.key()), value);
      const bool bare = value.is_null() || (value.is_object() && value.get_object().empty());
      const bool named = is_named(type, member.key());
      stack_.push(Element::field(member.key()), stack_.take(mark), leaf || bare || !named);
    }
  }

  void walk_list(const TypeRef& type, const Array& list) {
    std::vector<Item> items;
    for (const Value& item : list)
      if (const auto element = item_element(arena_, type, item)) items.push_back({*element, &item});
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) {
      return compare(a.element, b.element) < 0;
    });
    const TypeRef item = item_type(type);
    for (size_t i = 0; i < items.size();) {
      size_t end = i + 1;
      while (end < items.size() && compare(items[i].element, items[end].element) == 0) ++end;
      const size_t mark = stack_.mark();
      if (end == i + 1) walk(item, *items[i].value);
      stack_.push(items[i].element, stack_.take(mark), true);
      i = end;
    }
  }

  Arena& arena_;
  NodeStack stack_;
};

}  // namespace

std::optional<Comparison> compare(Arena& arena, const TypeRef& type, const Value& before,
                                  const Value& after) {
  return Comparer(arena).run(type, before, after);
}

Set field_set_of(Arena& arena, const TypeRef& type, const Value& object) {
  return Lister(arena).run(type, object);
}

Set with_named_parents(Arena& arena, const TypeRef& type, const Set& set) {
  std::vector<Node> out;
  out.reserve(set.size());
  for (const Node& node : set) {
    const bool named =
        node.element.kind() == Element::Kind::Field && is_named(type, node.element.name());
    out.push_back(Node{node.element,
                       with_named_parents(arena, type_at(type, node.element), node.children),
                       node.member || named});
  }
  return arena.keep(out);
}

}  // namespace holdfast::model::apply

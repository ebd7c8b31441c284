// Merging a partial object into a live one, and taking given-up fields out again.

#include "apply/merge.h"

#include <algorithm>

namespace holdfast::model::apply {
namespace {

bool same(const Element& a, const Element& b) { return compare(a, b) == 0; }

// The items of a list by their elements, in order and searchable.
class ItemIndex {
 public:
  ItemIndex(Arena& arena, const TypeRef& type, const Array& list) {
    for (const Value& item : list)
      if (const auto element = item_element(arena, type, item)) {
        elements_.push_back(*element);
        items_.push_back(&item);
      }
    for (size_t i = 0; i < elements_.size(); ++i) sorted_.push_back(i);
    std::stable_sort(sorted_.begin(), sorted_.end(), [this](size_t a, size_t b) {
      return compare(elements_[a], elements_[b]) < 0;
    });
  }

  size_t size() const { return elements_.size(); }
  const Element& element(size_t i) const { return elements_[i]; }
  const Value& item(size_t i) const { return *items_[i]; }

  /// The positions that hold the element.
  std::span<const size_t> find(const Element& element) const {
    const auto first = std::lower_bound(
        sorted_.begin(), sorted_.end(), element,
        [this](size_t i, const Element& wanted) { return compare(elements_[i], wanted) < 0; });
    auto last = first;
    while (last != sorted_.end() && same(elements_[*last], element)) ++last;
    return {first, last};
  }
  bool has(const Element& element) const { return !find(element).empty(); }

 private:
  std::vector<Element> elements_;
  std::vector<const Value*> items_;
  std::vector<size_t> sorted_;
};

// Lays the items of one list over those of another. Items that both have come in the order of the
// config; items that only the live list has keep their place between them.
class ListMerge {
 public:
  ListMerge(Arena& arena, const TypeRef& type, const Array& live, const Array& config)
      : arena_(arena),
        item_type_(item_type(type)),
        live_(arena, type, live),
        config_(arena, type, config),
        merged_(config_.size(), false) {
    for (size_t i = 0; i < config_.size(); ++i)
      if (live_.has(config_.element(i))) shared_.push_back(i);
  }

  Array run() {
    size_t l = 0;
    size_t r = 0;
    while (l < live_.size() || r < config_.size()) {
      if (l < live_.size() && r < config_.size()) {
        if (same(live_.element(l), config_.element(r))) {
          take(r++);
          ++l;
          ++next_shared_;
          continue;
        }
        // Shared, but not the one whose turn it is: it comes later, where the config has it.
        if (config_.has(live_.element(l)) && waits_for_other(live_.element(l))) {
          ++l;
          continue;
        }
      }
      if (l < live_.size()) {
        const auto in_config = config_.find(live_.element(l));
        if (in_config.empty()) {
          out_.push_back(live_.item(l++));
          continue;
        }
        if (merged_[in_config[0]]) ++l;
      }
      if (r < config_.size()) {
        const bool was_next = next_shared_ < shared_.size() && shared_[next_shared_] == r;
        take(r++);
        if (was_next) ++next_shared_;
      }
    }
    return std::move(out_);
  }

 private:
  bool waits_for_other(const Element& element) const {
    return next_shared_ < shared_.size() && !same(config_.element(shared_[next_shared_]), element);
  }

  void take(size_t r) {
    merged_[r] = true;
    const auto in_live = live_.find(config_.element(r));
    // Live items that share a key are nobody's partner: the config's item replaces them.
    if (in_live.size() == 1) {
      out_.push_back(merge(arena_, item_type_, live_.item(in_live[0]), config_.item(r)));
    } else {
      out_.push_back(config_.item(r));
    }
  }

  Arena& arena_;
  TypeRef item_type_;
  ItemIndex live_, config_;
  std::vector<bool> merged_;
  std::vector<size_t> shared_;
  size_t next_shared_ = 0;
  Array out_;
};

Value merge_maps(Arena& arena, const TypeRef& type, const Object& live, const Object& config) {
  Object out;
  out.reserve(live.size() + config.size());
  for (const auto& member : live) {
    const Value* over = config.if_contains(member.key());
    out.emplace(member.key(),
                over ? merge(arena, member_type(type, member.key()), member.value(), *over)
                     : member.value());
  }
  for (const auto& member : config)
    if (!live.contains(member.key())) out.emplace(member.key(), member.value());
  return out;
}

Value remove_from_list(Arena& arena, const TypeRef& type, const Array& list, const Set& gone) {
  Array out;
  for (const Value& item : list) {
    const auto element = item_element(arena, type, item);
    const Node* node = element ? gone.find(*element) : nullptr;
    if (node && node->member) continue;
    if (node) {
      out.push_back(remove_items(arena, item_type(type), item, node->children));
    } else {
      out.push_back(item);
    }
  }
  return out.empty() ? Value() : Value(std::move(out));
}

Value remove_from_map(Arena& arena, const TypeRef& type, const Object& map, const Set& gone) {
  Object out;
  out.reserve(map.size());
  for (const auto& member : map) {
    const Node* node = gone.find(Element::field(member.key()));
    if (node && node->member) continue;
    out.emplace(member.key(), node ? remove_items(arena, member_type(type, member.key()),
                                                  member.value(), node->children)
                                   : member.value());
  }
  return out.empty() ? Value() : Value(std::move(out));
}

}  // namespace

Value merge(Arena& arena, const TypeRef& type, const Value& live, const Value& config) {
  switch (pick(deduce(forms(type), &config))) {
    case kMap: {
      const Object* old_map = live.if_object();
      const Object* new_map = config.if_object();
      const bool empty = (!old_map || old_map->empty()) && (!new_map || new_map->empty());
      if (empty || map_is_atomic(type) || !old_map) return config;
      return new_map ? merge_maps(arena, type, *old_map, *new_map) : live;
    }
    case kList: {
      const Array* old_list = live.if_array();
      const Array* new_list = config.if_array();
      const bool empty = (!old_list || old_list->empty()) && (!new_list || new_list->empty());
      if (empty || list_is_atomic(type) || !old_list) return config;
      return new_list ? Value(ListMerge(arena, type, *old_list, *new_list).run()) : live;
    }
    default:
      return config;
  }
}

Value remove_items(Arena& arena, const TypeRef& type, const Value& object, const Set& gone) {
  switch (pick(deduce(forms(type), &object))) {
    case kMap:
      if (!object.is_object() || map_is_atomic(type)) return nullptr;
      return remove_from_map(arena, type, object.get_object(), gone);
    case kList:
      if (!object.is_array() || list_is_atomic(type)) return nullptr;
      return remove_from_list(arena, type, object.get_array(), gone);
    default:
      return object;
  }
}

void drop_nulls(const TypeRef& type, Value& object) {
  if (!type.schema || type.schema->type == Type::Any) return;
  if (Array* list = object.if_array()) {
    for (Value& item : *list) drop_nulls(item_type(type), item);
    return;
  }
  Object* map = object.if_object();
  if (!map) return;
  const auto is_noise = [&type](std::string_view name, const Value& value) {
    const Schema* below = member_type(type, name).schema;
    return value.is_null() && below && below->type != Type::Any && !below->nullable;
  };
  Object kept;
  kept.reserve(map->size());
  for (auto& member : *map) {
    if (is_noise(member.key(), member.value())) continue;
    drop_nulls(member_type(type, member.key()), member.value());
    kept.emplace(member.key(), std::move(member.value()));
  }
  *map = std::move(kept);
}

}  // namespace holdfast::model::apply

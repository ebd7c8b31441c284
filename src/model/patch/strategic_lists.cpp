// Strategic merge of lists, and the order of what comes out: elements of the patch in the patch's
// order, the others in the order of the live list, the two woven together by the live list where it
// knows both.
//
// Searches go through an index by key: the lists are the client's, and a search per element would
// cost the square of them.
#include "patch/strategic.h"
#include "typed/go_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::model::strategic {

namespace {

/// Up to here a sort is done as Go does it, even when the order does not name every element.
constexpr size_t kSmall = 1000;

const Value* key_in(const Value& map, std::string_view merge_key) {
  return map.is_object() ? map.get_object().if_contains(merge_key) : nullptr;
}

std::string index_text(const Value& key) {
  std::string text(1, static_cast<char>('0' + static_cast<int>(key.kind())));
  append_json(text, key);
  return text;
}

Result<void> check_merge_keys(const Array& list, std::string_view merge_key) {
  for (const Value& element : list) {
    if (!element.is_object()) return bad_arg_type(kGoMap, element);
    if (!key_in(element, merge_key)) return no_merge_key(element, merge_key);
  }
  return ok();
}

/// Whether the elements of both lists are maps. They must all be of one type.
Result<bool> elements_are_maps(const Array& original, const Array& patch) {
  const Value* first = nullptr;
  for (const Array* list : {&original, &patch}) {
    for (const Value& element : *list) {
      if (!first) {
        first = &element;
        if (element.is_array()) return Error(Fault::Conflict, "lists of lists are not supported");
      } else if (element.kind() != first->kind()) {
        return failed(fmt::format("list element types are not identical: [{} {}]",
                                  go_print(original), go_print(patch)));
      }
    }
  }
  if (!first) return failed("no elements in any of the given slices");
  return first->is_object();
}

struct Parts {
  Array named, others;
};

/// Splits by presence in `by`.
Result<Parts> partition(Array all, const Array& by, std::string_view merge_key) {
  Parts parts;
  const Positions known(by, merge_key);
  for (Value& element : all) {
    if (!merge_key.empty()) {
      if (!element.is_object()) return bad_arg_type(kGoMap, element);
      if (!key_in(element, merge_key)) return no_merge_key(element, merge_key);
    }
    const bool found = known.of(element) >= 0;
    if (!found && known.first_bad() >= 0)
      return failed(fmt::format("value for key {} is not a map", known.first_bad()));
    (found ? parts.named : parts.others).push_back(std::move(element));
  }
  return parts;
}

/// Sorts by the place in `order`. Go's comparison calls an element that the order does not know
/// "less" than any other, which is no order at all, so the outcome follows from Go's algorithm:
/// insertion.
void sort_by(Array& list, const Positions& order) {
  std::vector<std::pair<int64_t, size_t>> places;
  bool all_known = true;
  for (size_t i = 0; i < list.size(); ++i) {
    places.emplace_back(order.of(list[i]), i);
    all_known = all_known && places.back().first >= 0;
  }
  if (all_known || list.size() > kSmall) {
    std::stable_sort(places.begin(), places.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  } else {
    auto less = [](int64_t a, int64_t b) { return a < 0 || b < 0 || a < b; };
    for (size_t i = 1; i < places.size(); ++i)
      for (size_t j = i; j > 0 && less(places[j].first, places[j - 1].first); --j)
        std::swap(places[j], places[j - 1]);
  }
  Array sorted;
  sorted.reserve(list.size());
  for (const auto& place : places) sorted.push_back(std::move(list[place.second]));
  list = std::move(sorted);
}

/// Puts each of `left` before the first of `right` that the live list has after it.
Array weave(Array left, Array right, const Positions& live) {
  Array all;
  all.reserve(left.size() + right.size());
  size_t i = 0;
  for (Value& element : right) {
    const int64_t place = live.of(element);
    for (; i < left.size() && place >= 0; ++i) {
      const int64_t other = live.of(left[i]);
      if (other < 0 || other >= place) break;
      all.push_back(std::move(left[i]));
    }
    all.push_back(std::move(element));
  }
  for (; i < left.size(); ++i) all.push_back(std::move(left[i]));
  return all;
}

Result<Array> put_in_order(Parts parts, const Array& order, const Array& live,
                           std::string_view merge_key, bool maps) {
  if (maps)
    for (const Array* list :
         std::initializer_list<const Array*>{&parts.named, &order, &parts.others, &live})
      HF_TRY(check_merge_keys(*list, merge_key));
  const Positions wanted(order, merge_key);
  const Positions lived(live, merge_key);
  sort_by(parts.named, wanted);
  sort_by(parts.others, lived);
  return weave(std::move(parts.others), std::move(parts.named), lived);
}

/// Elements of the patch with a `$patch` of their own: delete takes live elements away, replace the
/// whole live list.
Result<void> carry_out_directives(Array& original, Array& patch, std::string_view merge_key) {
  Array plain;
  bool replaces = false;
  std::unordered_map<std::string, bool> doomed;
  for (Value& element : patch) {
    const Value* directive = key_in(element, kDirective);
    if (!directive) {
      plain.push_back(std::move(element));
    } else if (*directive == "delete") {
      const Value* key = key_in(element, merge_key);
      if (!key) return no_merge_key(element, merge_key);
      doomed[index_text(*key)] = true;
    } else if (*directive == "replace") {
      replaces = true;
    } else if (*directive == "merge") {
      return failed("merging lists cannot yet be specified in the patch");
    } else {
      return bad_directive(*directive, element);
    }
  }
  Array left;
  for (Value& element : original) {
    const Value* key = key_in(element, merge_key);
    if (!key || !doomed.contains(index_text(*key))) left.push_back(std::move(element));
  }
  if (replaces) {
    original = std::move(plain);
    patch = Array();
  } else {
    original = std::move(left);
    patch = std::move(plain);
  }
  return ok();
}

Result<Array> merge_maps(const Array& original, const Array& patch, const ListRule& rule) {
  Array merged = original;
  Positions at(original, rule.merge_key);
  for (const Value& element : patch) {
    if (!key_in(element, rule.merge_key)) return no_merge_key(element, rule.merge_key);
    const int64_t place = at.of(element);
    if (place >= 0) {
      HF_TRY(merge_map(merged[static_cast<size_t>(place)].as_object(), element.get_object(),
                       *rule.element));
    } else {
      at.add(element, static_cast<int64_t>(merged.size()));
      merged.push_back(element);
    }
  }
  return merged;
}

Array without_repeats(const Array& original, const Array& patch) {
  Array all;
  Positions seen({}, "");
  for (const Array* list : {&original, &patch}) {
    for (const Value& element : *list) {
      if (seen.of(element) >= 0) continue;
      seen.add(element, 0);
      all.push_back(element);
    }
  }
  return all;
}

/// Whether two elements have the same key, with Go's complaints about elements that have none.
Result<bool> same_key(const Value& left, const Value& right, std::string_view merge_key) {
  if (merge_key.empty()) return index_text(left) == index_text(right);
  for (const Value* element : {&left, &right})
    if (!element->is_object()) return bad_arg_type(kGoMap, *element);
  for (const Value* element : {&left, &right})
    if (!key_in(*element, merge_key)) return no_merge_key(*element, merge_key);
  return index_text(*key_in(left, merge_key)) == index_text(*key_in(right, merge_key));
}

/// What the patch holds must stand in the order list too, in the same sequence.
Result<void> check_order(const Array& patch, const Array& order, std::string_view merge_key) {
  if (patch.empty() || order.empty()) return ok();
  if (!merge_key.empty())
    for (const Value& element : patch)
      if (!element.is_object()) return bad_arg_type(kGoMap, element);
  size_t at = 0;
  for (const Value& element : patch) {
    const Value* directive = merge_key.empty() ? nullptr : key_in(element, kDirective);
    if (directive && *directive == "delete") continue;
    if (directive && at < order.size()) continue;
    for (bool same = false; !same; ++at) {
      if (at == order.size())
        return failed(fmt::format("The order in patch list:\n{}\n doesn't match {} list:\n{}\n",
                                  go_print(patch), kElementOrder, go_print(order)));
      same = HF_TRY(same_key(element, order[at], merge_key));
    }
  }
  return ok();
}

}  // namespace

Positions::Positions(const Array& list, std::string_view merge_key) : merge_key_(merge_key) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (!merge_key.empty() && !list[i].is_object()) {
      first_bad_ = static_cast<int64_t>(i);
      return;
    }
    add(list[i], static_cast<int64_t>(i));
  }
}

void Positions::add(const Value& element, int64_t at) {
  const Value* key = merge_key_.empty() ? &element : key_in(element, merge_key_);
  if (key) at_.emplace(index_text(*key), at);
}

int64_t Positions::of(const Value& element) const {
  const Value* key = merge_key_.empty() ? &element : key_in(element, merge_key_);
  if (!key) return -1;
  auto found = at_.find(index_text(*key));
  return found == at_.end() ? -1 : found->second;
}

Result<void> merge_list(Array& original, Array patch, const ListRule& rule, bool deleting) {
  if (!rule.merges && !deleting) {
    original = std::move(patch);
    return ok();
  }
  if (original.empty() && patch.empty()) return ok();
  const bool maps = HF_TRY(elements_are_maps(original, patch));
  Array merged;
  if (maps) {
    if (rule.merge_key.empty())
      return failed(fmt::format("cannot merge lists without merge key for {}", rule.element_kind));
    HF_TRY(carry_out_directives(original, patch, rule.merge_key));
    merged = HF_TRY(merge_maps(original, patch, rule));
  } else if (deleting) {
    original = HF_TRY(partition(std::move(original), patch, "")).others;
    return ok();
  } else {
    merged = without_repeats(original, patch);
  }
  Parts parts = HF_TRY(partition(std::move(merged), patch, rule.merge_key));
  original = HF_TRY(put_in_order(std::move(parts), patch, original, rule.merge_key, maps));
  return ok();
}

Result<Array> merge_ordered(const Array* original, const Array* patch, const Array& order,
                            const ListRule& rule) {
  static const Array none;
  const Array& live = original ? *original : none;
  const Array& given = patch ? *patch : none;
  HF_TRY(check_order(given, order, rule.merge_key));
  Array merged = live;
  if (!original && !patch) return merged;
  if (original && patch) {
    HF_TRY(merge_list(merged, given, rule, false));
  } else if (patch) {
    Value added(given);
    remove_directives(added);
    merged = std::move(added.get_array());
  }
  Parts parts = HF_TRY(partition(std::move(merged), order, rule.merge_key));
  const bool maps = HF_TRY(elements_are_maps(live, given));
  return put_in_order(std::move(parts), order, live, rule.merge_key, maps);
}

}  // namespace holdfast::model::strategic

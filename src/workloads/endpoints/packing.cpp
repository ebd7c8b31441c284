#include "endpoints/packing.h"

#include "endpoints/endpoint.h"
#include "endpoints/slices.h"
#include "pods/template.h"

#include <map>

namespace holdfast::workloads::endpoints {

using model::Array;
using model::Value;

namespace {

constexpr size_t kMostPerSlice = 100;

/// Endpoints with the same ports, by their identity.
struct Group {
  Array ports{};
  std::map<std::string, Value> wanted{};
};
using Groups = std::map<std::string, Group>;  ///< by the text of the ports

std::string ports_key(const Array& ports) {
  std::vector<std::string> texts;
  for (const Value& port : ports) texts.push_back(canonical_json(port));
  std::sort(texts.begin(), texts.end());
  std::string key;
  for (const std::string& text : texts) key += text;
  return key;
}

Groups group(const Service& service, const std::vector<Backend>& pods, std::string_view family) {
  Groups groups;
  for (const Backend& pod : pods) {
    if (!pod.reachable()) continue;
    Array ports = ports_of(service, pod);
    Group& same = groups[ports_key(ports)];
    same.ports = std::move(ports);
    if (pod.node_missing && !service.publishes_unready) continue;
    if (Value endpoint = endpoint_of(service, pod, family); !endpoint.is_null())
      same.wanted[identity_of(endpoint)] = std::move(endpoint);
  }
  return groups;
}

bool owned_by(const model::Meta& slice, std::string_view uid) {
  return std::any_of(slice.owners.begin(), slice.owners.end(),
                     [&](const auto& owner) { return owner.uid == uid; });
}

/// Keeps of a slice what is still wanted, and takes that out of `wanted`.
PackedSlice keep(const kube::Cached& slice, const Value& value, Group& same) {
  PackedSlice kept{.object = slice, .ports = model::array_at(value, {"ports"})};
  for (const Value& endpoint : model::array_at(value, {"endpoints"})) {
    const auto wanted = same.wanted.find(identity_of(endpoint));
    if (wanted == same.wanted.end()) {
      kept.changed = true;
      continue;
    }
    kept.changed |= !model::equal(wanted->second, endpoint);
    kept.endpoints.push_back(std::move(wanted->second));
    same.wanted.erase(wanted);
  }
  return kept;
}

void fill(PackedSlice& slice, Group& same) {
  while (!same.wanted.empty() && slice.endpoints.size() < kMostPerSlice) {
    slice.endpoints.push_back(std::move(same.wanted.begin()->second));
    same.wanted.erase(same.wanted.begin());
    slice.changed = true;
  }
}

/// The unchanged slice that all of the rest fits into and that it fills up the most.
PackedSlice* roomy(std::vector<PackedSlice*>& slices, size_t rest) {
  PackedSlice* best = nullptr;
  for (PackedSlice* slice : slices) {
    if (slice->changed || slice->endpoints.size() + rest > kMostPerSlice) continue;
    if (best == nullptr || slice->endpoints.size() > best->endpoints.size()) best = slice;
  }
  return best;
}

void place(Group& same, std::vector<PackedSlice*> there, std::vector<PackedSlice>& fresh) {
  std::stable_sort(there.begin(), there.end(), [](const PackedSlice* a, const PackedSlice* b) {
    return a->endpoints.size() > b->endpoints.size();
  });
  for (PackedSlice* slice : there)
    if (slice->changed) fill(*slice, same);
  while (!same.wanted.empty()) {
    PackedSlice* slice = nullptr;
    if (same.wanted.size() < kMostPerSlice) slice = roomy(there, same.wanted.size());
    if (slice == nullptr) slice = &fresh.emplace_back(PackedSlice{.ports = same.ports});
    fill(*slice, same);
  }
}

bool labels_differ(const Service& service, const Value& slice) {
  return !model::equal(slice_labels(service), model::object_at(slice, {"metadata", "labels"}));
}

/// Gives slices that would go to those that would come: a name less to forget for whoever watches.
void reuse(std::vector<PackedSlice>& fresh, std::vector<kube::Cached>& unused, Packing& packing) {
  for (PackedSlice& slice : fresh) {
    if (!unused.empty()) {
      slice.object = unused.front();
      slice.changed = true;
      unused.erase(unused.begin());
    }
    packing.slices.push_back(std::move(slice));
  }
  packing.surplus.insert(packing.surplus.end(), unused.begin(), unused.end());
}

/// Kept slices by the ports they are for; those of no use, or not ours, are sorted out.
std::map<std::string, std::vector<PackedSlice>> sort_out(const Service& service, Groups& groups,
                                                         const std::vector<kube::Cached>& slices,
                                                         std::string_view family,
                                                         std::vector<kube::Cached>& unused,
                                                         Packing& packing) {
  std::map<std::string, std::vector<PackedSlice>> kept;
  for (const kube::Cached& slice : slices) {
    const Value value = slice.value();
    if (model::string_at(value, {"addressType"}) != family) continue;
    if (!owned_by(slice.meta(), service.uid)) {
      packing.surplus.push_back(slice);
      continue;
    }
    const std::string key = ports_key(model::array_at(value, {"ports"}));
    const auto same = groups.find(key);
    PackedSlice still;
    if (same != groups.end()) still = keep(slice, value, same->second);
    const bool was_empty = model::array_at(value, {"endpoints"}).empty();
    if (same == groups.end() || (still.endpoints.empty() && !was_empty)) {
      unused.push_back(slice);
      continue;
    }
    still.changed |= labels_differ(service, value);
    kept[key].push_back(std::move(still));
  }
  return kept;
}

bool is_placeholder(const Service& service, const kube::Cached& slice) {
  const Value value = slice.value();
  return model::array_at(value, {"endpoints"}).empty() &&
         model::array_at(value, {"ports"}).empty() && !labels_differ(service, value);
}

}  // namespace

Packing pack(const Service& service, const std::vector<Backend>& pods,
             const std::vector<kube::Cached>& slices, std::string_view family) {
  Packing packing;
  std::vector<kube::Cached> unused;
  Groups groups = group(service, pods, family);
  auto kept = sort_out(service, groups, slices, family, unused, packing);
  std::vector<PackedSlice> fresh;
  for (auto& [key, same] : groups) {
    std::vector<PackedSlice*> there;
    for (PackedSlice& slice : kept[key]) there.push_back(&slice);
    place(same, std::move(there), fresh);
  }
  for (auto& [key, each] : kept)
    for (PackedSlice& slice : each) packing.slices.push_back(std::move(slice));
  if (packing.slices.empty() && fresh.empty()) {
    if (unused.size() == 1 && packing.surplus.empty() && is_placeholder(service, unused.front()))
      return packing;
    fresh.emplace_back();
  }
  reuse(fresh, unused, packing);
  return packing;
}

}  // namespace holdfast::workloads::endpoints

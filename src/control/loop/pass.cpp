#include "loop/pass.h"

#include <holdfast/base/walls.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::control {

namespace {

/// Objects of several caches as if of one: by namespace and name, none twice.
std::vector<kube::Cached> merged(std::vector<std::vector<kube::Cached>> parts) {
  if (parts.empty()) return {};
  if (parts.size() == 1) return std::move(parts.front());
  std::vector<kube::Cached> all;
  for (auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  auto place = [](const kube::Cached& object) { return std::pair(object.ns(), object.name()); };
  std::stable_sort(all.begin(), all.end(), [&](const kube::Cached& a, const kube::Cached& b) {
    return place(a) < place(b);
  });
  all.erase(std::unique(
                all.begin(), all.end(),
                [&](const kube::Cached& a, const kube::Cached& b) { return place(a) == place(b); }),
            all.end());
  return all;
}

}  // namespace

Caches::Caches(kube::Informers& informers, const std::vector<Watch>& watches) {
  for (const Watch& watch : watches) {
    kube::Informer& informer = informers.of(watch.scope);
    informer.add_index(kube::kByController, kube::index_by_controller);
    for (const auto& [name, function] : watch.indexes) informer.add_index(name, function);
    Cache cache{&informer, {}};
    if (auto only = model::LabelSelector::parse(watch.scope.label_selector);
        only && !watch.scope.label_selector.empty())
      cache.only = only.take();
    caches_.push_back(std::move(cache));
  }
}

std::vector<kube::Informer*> Caches::of(const kube::Resource& resource, std::string_view ns) const {
  std::vector<kube::Informer*> found;
  for (const auto& [informer, only] : caches_) {
    const kube::Scope& scope = informer->scope();
    if (!(scope.resource == resource)) continue;
    if (!scope.ns.empty() && !ns.empty() && scope.ns != ns) continue;
    if (std::find(found.begin(), found.end(), informer) == found.end()) found.push_back(informer);
  }
  return found;
}

std::vector<kube::Informer*> Caches::told_of(const kube::Resource& resource,
                                             const model::Value& object) const {
  const model::Meta meta = model::meta_of(object);
  std::vector<kube::Informer*> told = of(resource, meta.ns);
  // What a selector leaves out is never told of, unless it is told that it left.
  std::erase_if(told, [&](const kube::Informer* informer) {
    for (const auto& cache : caches_)
      if (cache.informer == informer && cache.only && !cache.only->matches(meta.labels))
        return !informer->get(meta.ns, meta.name);
    return false;
  });
  return told;
}

std::vector<kube::Informer*> CachedPass::read(const kube::Resource& resource, std::string_view ns) {
  // A controller that reads what it does not watch would decide on nothing and never wake. A
  // namespace outside its watches is not its defect: objects of users may name any.
  HF_CHECK(!caches_.of(resource, "").empty());
  std::vector<kube::Informer*> informers = caches_.of(resource, ns);
  for (const kube::Informer* informer : informers) {
    const bool known = std::any_of(basis_.begin(), basis_.end(),
                                   [&](const auto& each) { return each.first == informer; });
    if (!known) basis_.emplace_back(informer, informer->progress());
  }
  return informers;
}

kube::Cached CachedPass::get(const kube::Resource& resource, std::string_view ns,
                             std::string_view name) {
  for (const kube::Informer* informer : read(resource, ns))
    if (kube::Cached object = informer->get(ns, name)) return object;
  return {};
}

std::vector<kube::Cached> CachedPass::list(const kube::Resource& resource, std::string_view ns,
                                           const model::LabelSelector& selector) {
  std::vector<std::vector<kube::Cached>> parts;
  for (const kube::Informer* informer : read(resource, ns))
    parts.push_back(informer->list(ns, selector));
  return merged(std::move(parts));
}

std::vector<kube::Cached> CachedPass::controlled_by(const kube::Resource& resource,
                                                    std::string_view uid) {
  std::vector<kube::Cached> found = find(resource, kube::kByController, uid);
  if (!key_.ns.empty() && wall_stands("owners of the same namespace"))
    std::erase_if(found, [this](const kube::Cached& each) { return each.ns() != key_.ns; });
  return found;
}

std::vector<kube::Cached> CachedPass::find(const kube::Resource& resource, std::string_view index,
                                           std::string_view value) {
  std::vector<std::vector<kube::Cached>> parts;
  for (const kube::Informer* informer : read(resource, ""))
    parts.push_back(informer->find(index, value));
  return merged(std::move(parts));
}

kube::Reply<model::Value> CachedPass::live(const kube::Resource& resource, std::string_view ns,
                                           std::string_view name) {
  return client_.get(resource, ns, name);
}

kube::Reply<std::string> CachedPass::live_list(const kube::Resource& resource, std::string_view ns,
                                               std::string_view label_selector,
                                               const std::function<bool(model::Value)>& each) {
  return client_.list(resource, ns, {.label_selector = std::string(label_selector)}, each);
}

kube::Reply<model::Value> CachedPass::try_create(const kube::Resource& resource,
                                                 const model::Value& object) {
  return client_.create(resource, model::string_at(object, {"metadata", "namespace"}), object,
                        {.dry_run = true});
}

std::string CachedPass::basis() const {
  std::string text;
  for (const auto& [informer, progress] : basis_)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", informer->scope().resource.text(),
                        progress);
  return text;
}

}  // namespace holdfast::control

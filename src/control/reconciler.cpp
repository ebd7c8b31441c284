#include <holdfast/control/reconciler.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::control {

namespace {

bool is_of(const model::OwnerReference& reference, const kube::Resource& owner) {
  if (reference.kind != owner.kind) return false;
  std::string_view group;
  std::string_view version = reference.api_version;
  if (auto slash = version.find('/'); slash != std::string_view::npos)
    group = version.substr(0, slash);
  return group == owner.group;
}

void add_controller(Keys& keys, const kube::Cached& object, const kube::Resource& owner) {
  if (!object) return;
  auto meta = object.meta();
  for (const auto& reference : meta.owners) {
    if (!reference.controller || !is_of(reference, owner)) continue;
    kube::Key key{owner.namespaced ? meta.ns : "", reference.name};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
  }
}

}  // namespace

Result<kube::Cached> read_live(Pass& pass, const kube::Resource& resource, std::string_view ns,
                               std::string_view name) {
  if (name.empty()) return kube::Cached();
  const kube::Reply<model::Value> found = pass.live(resource, ns, name);
  if (found) return kube::Cached::from_value(*found);
  if (found.error().not_found()) return kube::Cached();
  return found.error().error.copy().with_context(fmt::format("read {} {}", resource.text(), name));
}

Result<kube::Cached> read_cached(Pass& pass, const kube::Resource& resource, std::string_view ns,
                                 std::string_view name) {
  kube::Cached found = pass.get(resource, ns, name);
  return found ? Result<kube::Cached>(std::move(found)) : read_live(pass, resource, ns, name);
}

Result<std::vector<kube::Cached>> list_live(Pass& pass, const kube::Resource& resource,
                                            std::string_view ns, std::string_view label_selector) {
  std::vector<kube::Cached> out;
  Result<void> read = ok();
  const auto listed = pass.live_list(resource, ns, label_selector, [&](const model::Value& each) {
    Result<kube::Cached> object = kube::Cached::from_value(each);
    if (object)
      out.push_back(object.take());
    else
      read = object.take_error();
    return bool(read);
  });
  if (!listed) return listed.error().error.copy().with_context("list " + resource.text());
  if (!read) return read.take_error();
  return out;
}

Watch& ControllerSpec::watch(const kube::Resource& resource) {
  return watches.emplace_back(Watch{.scope = {.resource = resource}});
}

Keys itself(const kube::Change& change) { return {kube::key_of(change.object())}; }

Keys nobody(const kube::Change&) { return {}; }

Mapper controlling_owner(const kube::Resource& owner) {
  return [owner](const kube::Change& change) {
    Keys keys;
    add_controller(keys, change.after, owner);
    add_controller(keys, change.before, owner);
    return keys;
  };
}

Predicate generation_changed() {
  return [](const kube::Change& change) {
    return change.kind != kube::Change::Kind::Updated ||
           change.before.meta().generation != change.after.meta().generation;
  };
}

}  // namespace holdfast::control

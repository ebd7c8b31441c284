#include "pods/claim.h"

#include "pods/pod.h"

#include <fmt/format.h>

namespace holdfast::workloads {
namespace {

using model::Array;
using model::Object;
using model::Value;

/// A strategic merge patch; control::patch adds whose object it is for.
control::Write owner_patch(const kube::Resource& resource, const kube::Cached& child,
                           Value reference) {
  Object metadata;
  metadata["ownerReferences"] = Array{std::move(reference)};
  control::Write write = control::patch(resource, child, Object{{"metadata", std::move(metadata)}},
                                        control::Decides::No);
  write.patch_type = kube::PatchType::Strategic;
  return write;
}

void add_owner(const kube::Resource& owners, const model::Meta& meta, control::Keys& out) {
  for (const model::OwnerReference& owner : meta.owners)
    if (owner.controller && owner.kind == owners.kind) out.push_back({meta.ns, owner.name});
}

void add_selecting(const kube::Resource& owners, const model::Meta& orphan,
                   kube::Informers& informers, control::Keys& out) {
  const kube::Informer* cache = informers.covering(owners, orphan.ns);
  if (cache == nullptr || orphan.labels.empty()) return;
  for (const kube::Cached& owner : cache->list(orphan.ns)) {
    const Value object = owner.value();
    const Value* selector = model::find(object, {"spec", "selector"});
    if (selector == nullptr) continue;
    const Result<model::LabelSelector> parsed = model::LabelSelector::from_object(*selector);
    if (parsed && !parsed->empty() && parsed->matches(orphan.labels))
      out.push_back(kube::key_of(owner));
  }
}

}  // namespace

Claim claim_of(const Claimant& claimant, const model::Meta& child) {
  const std::string controller = controller_of(child);
  const bool matches = claimant.selector.matches(child.labels);
  if (!controller.empty()) {
    if (controller != claimant.uid) return Claim::Foreign;
    if (matches) return Claim::Ours;
    return claimant.deleting ? Claim::Foreign : Claim::Release;
  }
  const bool adoptable =
      matches && !claimant.deleting && child.deletion_timestamp.empty() && child.ns == claimant.ns;
  return adoptable ? Claim::Adopt : Claim::Foreign;
}

Result<void> may_adopt(control::Pass& pass, const kube::Resource& resource,
                       const kube::Cached& owner) {
  const auto fresh = pass.live(resource, owner.ns(), owner.name());
  if (!fresh) {
    if (!fresh.error().not_found()) return fresh.error().error.copy();
    return Error(Fault::Conflict, fmt::format("adopt for {} {}: it is gone", resource.text(),
                                              kube::key_of(owner).text()));
  }
  const model::Meta meta = model::meta_of(*fresh);
  if (meta.uid != owner.uid())
    return Error(Fault::Conflict,
                 fmt::format("adopt for {} {}: it is another one now, uid {} instead of {}",
                             resource.text(), kube::key_of(owner).text(), meta.uid, owner.uid()));
  if (!meta.deletion_timestamp.empty())
    return Error(Fault::Conflict,
                 fmt::format("adopt for {} {}: it has been deleted at {}", resource.text(),
                             kube::key_of(owner).text(), meta.deletion_timestamp));
  return ok();
}

control::Write adopt(const kube::Resource& owner_resource, const kube::Cached& owner,
                     const kube::Resource& resource, const kube::Cached& child) {
  return owner_patch(resource, child, control::controller_reference(owner_resource, owner));
}

control::Write release(std::string_view owner_uid, const kube::Resource& resource,
                       const kube::Cached& child) {
  return owner_patch(resource, child, Object{{"$patch", "delete"}, {"uid", owner_uid}});
}

void index_orphans(const kube::Cached& object, std::vector<std::string>& values) {
  if (controller_of(object.meta()).empty()) values.emplace_back(object.ns());
}

control::Lookup owner_or_selecting(const kube::Resource& owners) {
  return [owners](const kube::Change& change, kube::Informers& informers) {
    control::Keys keys;
    const model::Meta after = change.object().meta();
    add_owner(owners, after, keys);
    if (!change.before || !change.after) {
      if (change.after && keys.empty() && controller_of(after).empty())
        add_selecting(owners, after, informers, keys);
      return keys;
    }
    const model::Meta before = change.before.meta();
    const bool owner_changed = controller_of(before) != controller_of(after);
    if (owner_changed) add_owner(owners, before, keys);
    if (controller_of(after).empty() && (owner_changed || before.labels != after.labels))
      add_selecting(owners, after, informers, keys);
    return keys;
  };
}

}  // namespace holdfast::workloads

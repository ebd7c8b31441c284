/// Marks on objects made for another object, and the way back to it. For owners that an owner
/// reference cannot name: in another namespace, or gone before what they made.
///
///   labels:       MARK.label:      UID of the owner             all of it is found by this
///   annotations:  MARK.annotation: NAMESPACE/NAME of the owner  it is woken by this
#pragma once

#include <holdfast/control/reconciler.h>

#include <map>
#include <string>
#include <string_view>

namespace holdfast::control {

struct Mark {
  std::string_view label;
  std::string_view annotation;  ///< "": the way back is an owner reference, or none is needed
};

struct Owner {
  std::string_view ns, name, uid;
};

/// The metadata of an object so named; `ns` is "" for kinds without namespaces.
model::Object made_metadata(const Mark& mark, const Owner& owner, std::string_view ns,
                            std::string_view name);
/// An object of that kind with this metadata.
model::Value made_object(const kube::Resource& resource, model::Object metadata,
                         model::Object spec);
/// By the label.
bool is_made_for(const kube::Cached& object, const Mark& mark, std::string_view owner_uid);
/// All of a kind that was made for the owner of that uid, by name, as the server has it now: one
/// request, however many there are.
Result<std::map<std::string, kube::Cached>> list_made(Pass& pass, const kube::Resource& resource,
                                                      std::string_view ns, const Mark& mark,
                                                      std::string_view owner_uid);
/// The uid in the label, for an index.
kube::IndexFunction by_owner(const Mark& mark);
/// The owner that the annotation names.
Mapper owner_marked(const Mark& mark);

/// PREFIX-<16 hex>, fixed by the owner, the part that it is made of and the step: doing a step
/// twice does it once. `child_name` is for names that people read.
std::string made_name(std::string_view prefix, std::string_view owner_uid, std::string_view part,
                      std::string_view step);
/// FNV-1a, the hash in all names. Names were given out by it: it stays.
uint64_t name_hash(std::string_view text);

}  // namespace holdfast::control

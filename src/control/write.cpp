#include <holdfast/control/made_for.h>
#include <holdfast/control/sabotage.h>
#include <holdfast/control/write.h>

#include <fmt/format.h>

#include <array>

namespace holdfast::control {

namespace {

/// The letters that Kubernetes draws names from: no vowels, so no words; no look-alikes.
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kSuffixLength = 5;
/// Names that become host names or label values may have no more.
constexpr size_t kLongestName = 63;

std::string letters(uint64_t number, size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i, number /= kLetters.size())
    out += kLetters[number % kLetters.size()];
  return out;
}

/// FNV's low bits depend on few bits of the input; folding lets all of them count.
uint64_t folded(std::string_view text) {
  uint64_t hash = name_hash(text);
  return hash ^ (hash >> 32U);
}

kube::Preconditions as_seen(const kube::Cached& seen, Decides decides) {
  kube::Preconditions only{std::string(seen.uid()), ""};
  if (decides == Decides::Yes) only.resource_version = std::to_string(seen.version());
  return only;
}

/// Puts the preconditions where the server looks for those of a body: into its metadata.
void demand(model::Value& body, const kube::Preconditions& only) {
  auto& meta = model::ensure_object(body, {"metadata"});
  meta.erase("uid");
  meta.erase("resourceVersion");
  if (sabotage().no_uid) return;
  if (!only.uid.empty()) meta["uid"] = only.uid;
  if (!only.resource_version.empty()) meta["resourceVersion"] = only.resource_version;
}

Write replace(const kube::Resource& resource, const kube::Cached& seen, model::Value changed,
              std::string subresource) {
  Write write{.verb = Write::Verb::Update, .resource = resource, .key = kube::key_of(seen)};
  write.subresource = std::move(subresource);
  write.only = as_seen(seen, Decides::Yes);
  write.body = std::move(changed);
  demand(write.body, write.only);
  return write;
}

std::string_view word(Write::Verb verb) {
  constexpr std::array<std::string_view, 5> kWords{"create", "update", "patch", "apply", "delete"};
  return kWords[static_cast<size_t>(verb)];
}

}  // namespace

std::string Write::text() const {
  return fmt::format("{} {}{}{} {}", word(verb), resource.text(), subresource.empty() ? "" : "/",
                     subresource, key.text());
}

Write create(const kube::Resource& resource, model::Value object) {
  Write write{.verb = Write::Verb::Create, .resource = resource};
  write.key = {std::string(model::string_at(object, {"metadata", "namespace"})),
               std::string(model::string_at(object, {"metadata", "name"}))};
  HF_CHECK(!write.key.name.empty());
  write.body = std::move(object);
  return write;
}

Write update(const kube::Resource& resource, const kube::Cached& seen, model::Value changed) {
  return replace(resource, seen, std::move(changed), "");
}

Write update_status(const kube::Resource& resource, const kube::Cached& seen,
                    model::Value changed) {
  return replace(resource, seen, std::move(changed), "status");
}

Write patch(const kube::Resource& resource, const kube::Cached& seen, model::Value merge,
            Decides decides, std::string subresource) {
  Write write{.verb = Write::Verb::Patch, .resource = resource, .key = kube::key_of(seen)};
  write.subresource = std::move(subresource);
  write.only = as_seen(seen, write.subresource.empty() ? decides : Decides::Yes);
  write.body = std::move(merge);
  demand(write.body, write.only);
  return write;
}

Write drop_label(const kube::Resource& resource, const kube::Cached& seen, std::string_view label) {
  model::Object labels;
  labels[label] = nullptr;
  return patch(resource, seen,
               model::Object{{"metadata", model::Object{{"labels", std::move(labels)}}}},
               Decides::Yes);
}

Write apply(const kube::Resource& resource, model::Value configuration, const kube::Cached& seen) {
  Write write{.verb = Write::Verb::Apply, .resource = resource};
  write.key = {std::string(model::string_at(configuration, {"metadata", "namespace"})),
               std::string(model::string_at(configuration, {"metadata", "name"}))};
  HF_CHECK(!write.key.name.empty());
  if (seen) write.only = as_seen(seen, Decides::No);
  write.body = std::move(configuration);
  demand(write.body, write.only);
  return write;
}

Write remove(const kube::Resource& resource, const kube::Cached& seen, std::string propagation) {
  Write write{.verb = Write::Verb::Delete, .resource = resource, .key = kube::key_of(seen)};
  write.only = as_seen(seen, Decides::No);
  write.propagation = std::move(propagation);
  return write;
}

Write&& with_note(Write&& write, Note note) {
  write.note = std::move(note);
  return std::move(write);
}

std::string child_name(std::string_view base, std::string_view owner_uid, std::string_view step) {
  base = base.substr(0, kLongestName - kSuffixLength - 1);
  while (base.ends_with('-') || base.ends_with('.')) base.remove_suffix(1);
  uint64_t hash = folded(fmt::format("{}/{}", owner_uid, step));
  return fmt::format("{}-{}", base, letters(hash, kSuffixLength));
}

std::string short_hash(std::string_view text) {
  // Ten letters hold 47 bits: with a thousand revisions the odds of two alike are one in 10^8.
  constexpr size_t kLength = 10;
  return letters(folded(text), kLength);
}

model::Value controller_reference(const kube::Resource& resource, const kube::Cached& owner) {
  return model::Object{{"apiVersion", resource.api_version()},
                       {"kind", model::Value(std::string(resource.kind))},
                       {"name", model::Value(std::string(owner.name()))},
                       {"uid", model::Value(std::string(owner.uid()))},
                       {"controller", true},
                       {"blockOwnerDeletion", true}};
}

}  // namespace holdfast::control

/// Write: the one change of the API server that a pass may make; a value, made by `act` functions,
/// carried out by `control` alone, compared in tests.
#pragma once

#include <holdfast/kube/cached.h>
#include <holdfast/kube/client.h>

#include <optional>
#include <string>

namespace holdfast::control {

/// An event to be recorded on the object that the pass is about.
struct Note {
  bool warning = false;
  std::string reason{};   ///< SuccessfulCreate
  std::string message{};  ///< "Created pod: web-7x2kd"
  std::string action{};   ///< what was done, for events.k8s.io: "Create"
  std::string field{};    ///< the part of the object it is about: "spec.containers{web}"
};

/// Made only by the functions below, so that a write which acts on an object seen earlier cannot
/// forget whose name it was: it carries the UID, and the resourceVersion where the decision hangs
/// on the whole object.
struct Write {
  enum class Verb { Create, Update, Patch, Apply, Delete };
  Verb verb = Verb::Create;
  kube::Resource resource{};
  kube::Key key{};
  std::string subresource{};
  model::Value body{};
  kube::PatchType patch_type = kube::PatchType::Merge;
  bool force = false;  ///< Apply
  kube::Preconditions only{};
  std::string propagation{};               ///< Delete
  std::optional<int64_t> grace_seconds{};  ///< Delete
  std::optional<Note> note{};              ///< recorded once it succeeded
  std::optional<Note>
      refused{};  ///< recorded if the server refused it, with the server's words added

  /// "create pods shop/web-7x2kd", "patch statefulsets.apps/status shop/db"
  std::string text() const;
};

/// The name must be set: a name drawn by the server would make a second object when the first
/// answer is lost (`child_name` makes one). A name that is already there with our owner is success.
Write create(const kube::Resource& resource, model::Value object);
/// Replaces the whole object: `changed` keeps the uid and resourceVersion of `seen`.
Write update(const kube::Resource& resource, const kube::Cached& seen, model::Value changed);
Write update_status(const kube::Resource& resource, const kube::Cached& seen, model::Value changed);
/// A merge patch for the object seen; with `Decides::Yes` only if it has not changed since. A patch
/// of a subresource always decides: for custom kinds the server lets go of the uid in a patch of
/// the status before it could compare it, so the resourceVersion has to tell objects apart.
enum class Decides { Yes, No };
Write patch(const kube::Resource& resource, const kube::Cached& seen, model::Value merge,
            Decides decides, std::string subresource = "");
/// Takes a label away, only if the object is still the one seen: it may have been set anew.
Write drop_label(const kube::Resource& resource, const kube::Cached& seen, std::string_view label);
/// Server-side apply of what we want of it; `owner_of` gives the uid when it was seen before.
Write apply(const kube::Resource& resource, model::Value configuration, const kube::Cached& seen);
Write remove(const kube::Resource& resource, const kube::Cached& seen,
             std::string propagation = "Background");

Write&& with_note(Write&& write, Note note);

/// BASE-SUFFIX with a suffix of five of the letters that Kubernetes draws names from, fixed by
/// the owner's uid and the step: doing a step twice does it once. BASE is cut to fit.
std::string child_name(std::string_view base, std::string_view owner_uid, std::string_view step);
/// FNV-1a over the text, in the same letters: for template and revision hashes.
std::string short_hash(std::string_view text);
/// {apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true}
model::Value controller_reference(const kube::Resource& resource, const kube::Cached& owner);

}  // namespace holdfast::control

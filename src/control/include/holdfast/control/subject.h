/// Subject of a pass: the object that its key names, decoded, with what every plan asks of its
/// metadata. What a plan is shown begins with it.
#pragma once

#include <holdfast/control/reconciler.h>
#include <holdfast/kube/typed.h>

#include <optional>
#include <string>

namespace holdfast::control {

struct Subject {
  kube::Cached object{};  ///< what it was read from, for who writes it
  std::string ns{}, name{}, uid{};
  int64_t generation = 0;
  bool deleting = false;
  std::optional<WallTime> created{};
  WallTime now{};
};

/// By the metadata of `object`, at the time of the pass.
Subject subject_of(const Pass& pass, const kube::Cached& object);

/// Nothing if it is not there.
template <class T>
kube::Cached find_subject(Pass& pass) {
  return pass.get(kube::resource_of<T>(), pass.key().ns, pass.key().name);
}

/// The object in both forms. Invalid if it is not what the type says, which no retry cures: the
/// pass ends with it.
template <class T>
Result<void> read_subject(const Pass& pass, const kube::Cached& object, Subject& subject,
                          T& decoded) {
  subject = subject_of(pass, object);
  decoded = HF_TRY(model::decode_object<T>(*object.shared_value()));
  return ok();
}

}  // namespace holdfast::control

/// Writes of a plan's Outcome, for the tests of this room.
#pragma once

#include <holdfast/control/outcome.h>
#include <holdfast/kube/typed.h>
#include <holdfast/model/patch.h>

#include <gtest/gtest.h>

namespace holdfast::protect {

/// An object as a cache would hold it, at version 7.
inline kube::Cached cached_object(std::string_view ns, std::string_view name,
                                  model::Object others = {}) {
  using model::Object;
  others["metadata"] =
      Object{{"namespace", ns}, {"name", name}, {"uid", "u1"}, {"resourceVersion", "7"}};
  return kube::Cached::from_value(std::move(others)).take();
}

/// "create pods shop/web", "patch datamoves.holdfast.dev/status shop/nightly"; "" if nothing is.
inline std::string written(const control::Outcome& outcome) {
  return outcome.write() == nullptr ? "" : outcome.write()->text();
}

/// The status of `seen` once the outcome has been written, which must be a status of its kind.
template <class T>
decltype(T::status) status_after(const T& seen, const control::Outcome& outcome) {
  const control::Write* write = outcome.write();
  if (write == nullptr || !(write->resource == kube::resource_of<T>()) ||
      write->subresource != "status" || write->verb != control::Write::Verb::Patch) {
    ADD_FAILURE() << "no status is written, but \"" << written(outcome) << "\"";
    return seen.status;
  }
  EXPECT_EQ(write->only.resource_version, "7") << "only as it was seen";
  Result<T> after =
      model::decode_object<T>(model::apply_merge_patch(model::encode_object(seen), write->body));
  if (!after) ADD_FAILURE() << after.error().what();
  return after ? after->status : seen.status;
}

/// The event that the write records; without a reason if there is none.
inline control::Note noted(const control::Outcome& outcome) {
  return outcome.write() == nullptr ? control::Note()
                                    : outcome.write()->note.value_or(control::Note());
}

}  // namespace holdfast::protect

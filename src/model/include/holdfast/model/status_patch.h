/// The status of a typed object as a patch.
#pragma once

#include <holdfast/model/fields.h>
#include <holdfast/model/patch.h>

namespace holdfast::model {

/// What turns the status of `seen` into `status`, as a merge patch of the status.
template <class T>
Value changed_status(const T& seen, decltype(T::status) status) {
  const Value before = encode_object(seen);
  T reported = seen;
  reported.status = std::move(status);
  const Value after = encode_object(reported);
  return make_merge_patch(Value(object_at(before, {"status"})),
                          Value(object_at(after, {"status"})));
}

}  // namespace holdfast::model

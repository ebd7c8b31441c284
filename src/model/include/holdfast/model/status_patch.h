/// The status of a typed object as a patch.
#pragma once

#include <holdfast/model/fields.h>
#include <holdfast/model/patch.h>

namespace holdfast::model {

/// What turns the status of `seen` into `status`, as a merge patch of the status.
template <class T>
Value changed_status(const T& seen, decltype(T::status) status) {
  const FieldType& type = field_type<decltype(T::status)>();
  Value before, after;
  type.encode(&seen.status, before);
  type.encode(&status, after);
  return make_merge_patch(before, after);
}

}  // namespace holdfast::model

/// A status as a merge patch: what is no longer there is null.
#pragma once

#include <holdfast/model/fields.h>

namespace holdfast::protect {

template <class T>
model::Value changed_status(const T& seen, decltype(T::status) status) {
  const model::Value before = model::encode_object(seen);
  T reported = seen;
  reported.status = std::move(status);
  const model::Value after = model::encode_object(reported);
  model::Object patch = model::object_at(after, {"status"});
  for (const auto& old : model::object_at(before, {"status"}))
    if (!patch.contains(old.key())) patch[old.key()] = nullptr;
  return model::Value(std::move(patch));
}

}  // namespace holdfast::protect

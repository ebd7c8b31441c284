/// Driver objects: one per driver of the operator, with its state.
#pragma once

#include <holdfast/model/fields.h>
#include <holdfast/model/object.h>

#include <vector>

namespace holdfast::protect {

struct DriverRecord {
  static constexpr model::Kind kKind{"holdfast.dev", "v1alpha1", "Driver"};
  static constexpr bool kClusterScoped = true;

  struct Spec {
    template <class V>
    void fields(V&) {}
  } spec{};

  struct Status {
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("conditions", conditions,
                 "condition Running: True, or False with the reason SwitchedOff, KindNotServed, "
                 "Forbidden, ServerAway or CachesFilling");
    }
  } status{};
};

}  // namespace holdfast::protect

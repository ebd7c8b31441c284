/// Objects as caches hold them, for the tests of this room.
#pragma once

#include <holdfast/kube/cached.h>

namespace holdfast::control {

inline kube::Cached cached(std::string_view json) {
  auto object = kube::Cached::from_text(json);
  HF_CHECK(object);
  return object.take();
}

inline model::Value json(std::string_view text) {
  auto parsed = model::parse_json(text);
  HF_CHECK(parsed);
  return std::move(parsed->value);
}

}  // namespace holdfast::control

/// Record that a Cached points to: one allocation.
///
///   refs │ size │ version │ where metadata, name, namespace, uid stand in the text │ text …
///   ◄────────────────────── 48 bytes ─────────────────────────────────────────────►
///
/// The text is minified JSON that Scanner has checked, so that whoever looks into it later may rely
/// on it; the four spans need no unescaping.
#pragma once

#include <holdfast/kube/cached.h>

namespace holdfast::kube {

struct Cached::Record {
  std::atomic<uint32_t> refs{1};
  uint32_t size = 0;
  uint64_t version = 0;
  uint32_t metadata_at = 0, metadata_size = 0;
  uint32_t name_at = 0, ns_at = 0, uid_at = 0;
  uint16_t name_size = 0, ns_size = 0, uid_size = 0;
  bool being_deleted = false;

  const char* text() const { return reinterpret_cast<const char*>(this + 1); }
  char* text() { return reinterpret_cast<char*>(this + 1); }
  std::string_view part(uint32_t at, uint32_t length) const { return {text() + at, length}; }
};

}  // namespace holdfast::kube

/// A stored version of an object: the public part, and where in the text its revision stands, so
/// that a deletion can put its own revision there without parsing. Also the compact form of the
/// metadata that lies beside the text on disk, so that loading parses no JSON.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/model/object.h>

#include "store/store.h"

#include <string>
#include <string_view>

namespace holdfast::apiserver::storage {

/// Every StoredPtr that leaves the store points to one of these.
struct Kept final : Stored {
  size_t version_at = 0;  ///< offset of the decimal revision in `text`
};

/// The text is put together around `revision`; the name in `draft.meta` is made to be the key's.
StoredPtr make_kept(const Key& key, Revision revision, Revision created, int64_t wall_us,
                    Draft draft);
/// The last state of a deleted object: the same text with the deletion's revision in it.
StoredPtr restamp(const Stored& last, Revision revision, int64_t wall_us);
size_t version_at(const Stored& stored);

/// Metadata as bytes: each text is a varint length and its bytes, each list a varint count and its
/// members, in the order uid, deletion timestamp, generation (varint), labels (key, value),
/// finalizers, owners (apiVersion, kind, name, uid, flags: 1 controller, 2 blockOwnerDeletion).
/// Namespace and name are not in it: they are the row's.
std::string pack(const model::Meta& meta);
/// False if the bytes are not what `pack` makes.
bool unpack(std::string_view bytes, model::Meta& meta);

/// A 64-bit sum over several texts, each with its length; tells bit rot, not malice.
class Sum {
 public:
  Sum& add(std::string_view text);
  Sum& add(int64_t number);
  int64_t value() const;

 private:
  void mix(uint64_t word);
  uint64_t state_ = 0x9e3779b97f4a7c15;
};

}  // namespace holdfast::apiserver::storage

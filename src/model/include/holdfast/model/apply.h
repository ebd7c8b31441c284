/// Server-side apply: who owns which field, and the merge that respects it (structured-merge-diff's
/// semantics).
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/schema.h>
#include <holdfast/model/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

/// Who writes, and how. `api_version` is the version the object is written in.
struct Writer {
  std::string manager;
  std::string api_version;
  std::string subresource;  ///< "" or "status", "scale"
  WallTime now;
};

/// Applies `config` (a partial object) to `live` (null Value if it does not exist yet) and returns
/// the new object with metadata.managedFields updated. Unforced conflicts: 409 with a
/// FieldManagerConflict cause per field. Fields under `ignored` paths are merged but not owned; the
/// caller resets them, then decodes and defaults the result as any object.
Answer<Value> apply_config(const Value& live, const Value& config, const Schema& schema,
                           const Writer& writer, bool force,
                           const std::vector<std::string>& ignored = {});

/// For create, update and the patches: gives `object` the managedFields that follow from `live`
/// (null if new) and what `writer` changed. `object` comes with the managedFields the client sent
/// ([] or [{}] resets ownership; others are taken). Fields under `ignored` paths (dot-separated,
/// e.g. "status" for a kind with that subresource) are not recorded.
void track_update(const Value& live, Value& object, const Schema& schema, const Writer& writer,
                  const std::vector<std::string>& ignored);

/// For what is about to be stored: if `object` differs from `live` in nothing but the times of its
/// managedFields, gives it the old times back, so that a write which changes nothing stays one.
void keep_times_if_unchanged(const Value& live, Value& object);

/// The first part of a user agent ("kubectl/v1.34.4 …" → "kubectl"), the default manager name; at
/// most 128 bytes.
std::string manager_from_user_agent(std::string_view user_agent);

/// Checks entries that a client sent: operation, fieldsType, fieldsV1, manager, apiVersion.
FieldErrors validate_managed_fields(const Value& managed_fields, std::string_view path);

}  // namespace holdfast::model

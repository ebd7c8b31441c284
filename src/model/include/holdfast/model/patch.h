/// Patches: JSON patch, merge patch and strategic merge (server-side apply: apply.h).
#pragma once

#include <holdfast/model/schema.h>

namespace holdfast::model {

/// RFC 6902. Fault::Invalid for a document that is no patch; `test` that fails and paths that do
/// not exist are Fault::Conflict here and 422 to the client. All or nothing.
Result<Value> apply_json_patch(const Value& object, const Value& patch);
/// RFC 7386.
Value apply_merge_patch(Value object, const Value& patch);
/// The patch that turns `from` into `to` (null removes).
Value make_merge_patch(const Value& from, const Value& to);
/// Kubernetes' strategic merge with $patch, $setElementOrder/…, $deleteFromPrimitiveList/… and
/// $retainKeys directives.
/// The result may hold members in any order and nulls inside of added lists: decode it as its type.
/// Faults say what the real server answers: Invalid is 400, Conflict 422, and Internal 500 (a
/// missing merge key, an unknown directive).
Result<Value> apply_strategic_patch(Value object, const Value& patch, const Schema& schema);

}  // namespace holdfast::model

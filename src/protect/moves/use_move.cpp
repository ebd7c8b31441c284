#include <holdfast/model/json.h>
#include <holdfast/protect/use_move.h>

namespace holdfast::protect {
namespace {

using model::Object;
using model::Value;

Value without_progress(const kube::Cached& move) {
  Value out = move.value();
  if (Value* metadata = out.as_object().if_contains("metadata");
      metadata && metadata->is_object()) {
    metadata->as_object().erase("resourceVersion");
    metadata->as_object().erase("managedFields");
  }
  if (Value* status = out.as_object().if_contains("status"); status && status->is_object())
    status->as_object().erase("progress");
  return out;
}

}  // namespace

bool beyond_progress(const kube::Change& change) {
  if (change.kind != kube::Change::Kind::Updated) return true;
  return !model::equal(without_progress(change.before), without_progress(change.after));
}

}  // namespace holdfast::protect

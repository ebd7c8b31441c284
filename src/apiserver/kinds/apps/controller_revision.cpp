/// ControllerRevision: a snapshot of a workload, which never changes once made.
#include "kinds/apps/apps.h"

namespace holdfast::apiserver::apps {

using model::Value;

namespace {

void validate(const Value& revision, model::FieldErrors& errors) {
  const Place root(revision, errors);
  root["revision"].non_negative();
  if (!root["data"].present())
    root["data"].required("data is mandatory");
  else if (!root["data"].value().is_object())
    root["data"].required("data must be a valid JSON object");
}

void validate_update(const Value& revision, const Value& old, model::FieldErrors& errors) {
  const Place root(revision, errors);
  root["revision"].non_negative();
  const Value* data = model::find(old, {"data"});
  immutable(root["data"], data == nullptr ? Value() : *data);
}

}  // namespace

constinit const KindRules kControllerRevision = {
    .group = "apps",
    .kind = "ControllerRevision",
    .validate = validate,
    .validate_update = validate_update,
};

}  // namespace holdfast::apiserver::apps

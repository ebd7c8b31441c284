/// The form in which the real server holds a CRD while it validates it. Users see it in two ways:
/// what is equal in all versions is moved to the top (a one-version CRD's schema is called
/// spec.validation in messages), and values are shown with Go's field names.
#pragma once

#include <holdfast/model/json.h>

#include <string>

namespace holdfast::apiserver {

/// Which parts of spec.versions are the same in every version, hence reported at the top.
struct Hoisted {
  bool schema = false, subresources = false, columns = false, selectable_fields = false;
};
Hoisted hoisted(const model::Array& versions);

model::Value internal_versions(const model::Value* versions, const Hoisted& hoisted);
model::Value internal_schema(const model::Value& schema);
/// True if the schema has a member at its root whose checks would be lost when `status` is
/// validated on its own.
bool has_more_than_status_allows(const model::Value& schema);
/// "[Description Type …]": what may stand there.
std::string allowed_beside_status();

}  // namespace holdfast::apiserver

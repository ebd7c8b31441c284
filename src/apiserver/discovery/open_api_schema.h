/// Component schemas of an OpenAPI v3 document, made from our Schemas.
#pragma once

#include <holdfast/model/schema.h>

#include "kinds/resource.h"

#include <set>
#include <string>

namespace holdfast::apiserver {

/// Collects the components that a document needs: a shape brings in all shapes it refers to.
class Components {
 public:
  /// {"$ref":"#/components/schemas/NAME"}; the component and what it needs are added.
  model::Value reference(const model::Shape& shape);
  /// A custom kind's own component, under its group's reversed name.
  model::Value reference(const Resource& custom);
  model::Object take();

 private:
  model::Value use(const model::Schema& schema);
  model::Value scalar(const model::Schema& schema);
  model::Value well_known(std::string_view name, model::Object definition);
  void add(const model::Shape& shape);

  std::set<std::string> done_;
  model::Object components_;
};

}  // namespace holdfast::apiserver

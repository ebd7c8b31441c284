/// The fields that field selectors may name, per kind, and their values.
#pragma once

#include "kinds/resource.h"

#include <string>
#include <string_view>

namespace holdfast::apiserver {

bool is_field_label(const Resource& resource, std::string_view field);
/// `field label not supported: spec.note`, or the kind's own sentence.
std::string unsupported_field_label(const Resource& resource, std::string_view field);
/// "" if unset; booleans and numbers as text.
std::string field_label(const Resource& resource, const model::Value& object,
                        std::string_view field);

}  // namespace holdfast::apiserver

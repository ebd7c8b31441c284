/// Rules of a built-in kind beyond its table entry: defaults, what a write may not touch,
/// validation.
///
/// Rules see decoded objects (model::decode_typed has run: types are right, unknown members are
/// gone, names are canonical). They are pure. Order for a create: set_defaults → prepare_create →
/// validate. For an update: set_defaults → prepare_update → validate_update (which includes what
/// `validate` checks). Generic metadata (names, labels, owner references, immutable uid …) is
/// validated by the caller, by `name_rule`.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/names.h>

#include <string_view>

namespace holdfast::apiserver {

struct KindRules {
  std::string_view group;
  std::string_view kind;
  /// Go's SetObjectDefaults_X; also run on objects given to apply and dry runs.
  void (*set_defaults)(model::Value& object) = nullptr;
  /// Strategy.PrepareForCreate less what is generic: drops status, sets derived fields.
  void (*prepare_create)(model::Value& object) = nullptr;
  /// Strategy.PrepareForUpdate less status and generation, which are generic.
  void (*prepare_update)(model::Value& object, const model::Value& old) = nullptr;
  /// The status strategy's PrepareForUpdate; `now` is RFC 3339.
  void (*prepare_status)(model::Value& object, const model::Value& old,
                         std::string_view now) = nullptr;
  void (*validate)(const model::Value& object, model::FieldErrors& errors) = nullptr;
  void (*validate_update)(const model::Value& object, const model::Value& old,
                          model::FieldErrors& errors) = nullptr;
  /// For the status subresource; null: nothing beyond metadata.
  void (*validate_status)(const model::Value& object, const model::Value& old,
                          model::FieldErrors& errors) = nullptr;
  model::Complaints (*name_rule)(std::string_view name) = nullptr;  ///< default: DNS subdomain
  /// Warnings for the client (deprecated fields and the like).
  void (*warn)(const model::Value& object, std::vector<std::string>& warnings) = nullptr;
};

/// Null if the kind has nothing special.
const KindRules* find_rules(std::string_view group, std::string_view kind);

}  // namespace holdfast::apiserver

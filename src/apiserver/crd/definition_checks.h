/// The parts of a definition's validation that have a file of their own.
#pragma once

#include <holdfast/model/field_error.h>

#include "crd/internal_form.h"

namespace holdfast::apiserver {

void check_versions(const model::Value& definition, const Hoisted& hoisted,
                    model::FieldErrors& errors);
/// What is equal in all versions, under its name at the top.
void check_hoisted(const model::Value& definition, const Hoisted& hoisted,
                   model::FieldErrors& errors);
void check_conversion(const model::Value& definition, model::FieldErrors& errors);
void check_definition_names(const model::Value& names, const std::string& path,
                            model::FieldErrors& errors);

enum class Approval { Unneeded, Approved, Bypassed, Missing, Invalid };
struct ApprovalState {
  Approval state = Approval::Unneeded;
  std::string reason;
};
/// Groups under k8s.io and kubernetes.io must say who approved them.
ApprovalState approval_of(const model::Value& definition);

inline constexpr std::string_view kApproved = "api-approved.kubernetes.io";

}  // namespace holdfast::apiserver

/// Reading requirements of label selectors, shared by the two forms in which selectors come.
#pragma once

#include <holdfast/model/selector.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace holdfast::model {

/// The query-string form, in the order given.
Result<std::vector<LabelSelector::Requirement>> parse_requirements(std::string_view text);
/// The requirement with its values sorted, or what is wrong with its key, values or their number.
Result<LabelSelector::Requirement> checked_requirement(LabelSelector::Requirement wanted);
/// A whole decimal int64, as Go's ParseInt reads it.
std::optional<int64_t> label_integer(std::string_view text);

}  // namespace holdfast::model

/// Policies of the Pod Security Standards, as the labels of a namespace name them.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/json.h>

#include <cstdint>
#include <optional>
#include <string>

namespace holdfast::apiserver::pod_security {

/// From the most permissive to the strictest.
enum class Level { Privileged, Baseline, Restricted };

struct LevelVersion {
  Level level = Level::Privileged;
  std::optional<int64_t> minor{};  ///< of v1.MINOR; absent: latest
  bool operator==(const LevelVersion&) const = default;
  /// "restricted:v1.25"
  std::string text() const;
};

struct Policy {
  LevelVersion enforce{}, audit{}, warn{};
};

/// What a namespace asks for. A label that does not parse is an error, and counts as the strictest
/// for `enforce` and as nothing asked for the others. Pure.
Policy policy_of(const model::Value& ns, model::FieldErrors& errors);

}  // namespace holdfast::apiserver::pod_security

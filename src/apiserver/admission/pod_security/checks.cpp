#include "admission/pod_security/checks.h"

#include "admission/pod_security/profiles.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver::pod_security {
namespace {

/// The newest version in which a check differs: later ones, and `latest`, are as this one.
constexpr int64_t kNewest = 34;

/// Of each id the row that counts in that version.
std::vector<const CheckRow*> rows_of(std::span<const CheckRow> table, int64_t minor) {
  std::vector<const CheckRow*> rows;
  for (const CheckRow& row : table) {
    if (row.since > minor) continue;
    if (!rows.empty() && rows.back()->id == row.id)
      rows.back() = &row;
    else
      rows.push_back(&row);
  }
  return rows;
}

}  // namespace

std::vector<Violation> violations(const LevelVersion& policy, const PodIn& pod) {
  if (policy.level == Level::Privileged) return {};
  const int64_t minor = std::min(policy.minor.value_or(kNewest), kNewest);
  std::vector<const CheckRow*> rows = rows_of(baseline_checks(), minor);
  if (policy.level == Level::Restricted) {
    const std::vector<const CheckRow*> more = rows_of(restricted_checks(), minor);
    std::erase_if(rows, [&more](const CheckRow* row) {
      return std::any_of(more.begin(), more.end(),
                         [row](const CheckRow* each) { return each->replaces == row->id; });
    });
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::vector<Violation> out;
  for (const CheckRow* row : rows)
    if (std::optional<Violation> violation = row->check(pod)) out.push_back(std::move(*violation));
  return out;
}

std::optional<Violation> forbidden_seccomp(const PodIn& pod) {
  Sorted types;
  const auto is_bad = [&types](const model::Value& holder) {
    const model::Value* profile = given(holder, {"securityContext", "seccompProfile"});
    if (profile == nullptr) return false;
    const std::string_view type = model::string_at(*profile, {"type"});
    if (type == "RuntimeDefault" || type == "Localhost") return false;
    types.emplace(type);
    return true;
  };
  const bool by_pod = is_bad(*pod.spec);
  const Names names = containers_that(pod, is_bad);
  if (!by_pod && names.empty()) return std::nullopt;
  return Violation{"seccompProfile",
                   fmt::format("{} must not set securityContext.seccompProfile.type to {}",
                               setters(by_pod, names), quote_each(types))};
}

std::string reasons_of(const std::vector<Violation>& violations) {
  std::string out;
  for (const Violation& each : violations) out += (out.empty() ? "" : ", ") + each.reason;
  return out;
}

std::string details_of(const std::vector<Violation>& violations) {
  std::string out;
  for (const Violation& each : violations) {
    out += (out.empty() ? "" : ", ") + each.reason;
    if (!each.detail.empty()) out += " (" + each.detail + ")";
  }
  return out;
}

}  // namespace holdfast::apiserver::pod_security

#include "admission/pod_security/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::apiserver::pod_security {
namespace {

using model::FieldErrors;
using model::Value;

constexpr std::string_view kPrefix = "pod-security.kubernetes.io/";
constexpr std::string_view kLevels[] = {"privileged", "baseline", "restricted"};

class Labels {
 public:
  Labels(const Value& ns, FieldErrors& errors) : ns_(ns), errors_(errors) {}

  /// True if the label is there and good. Bad: `otherwise`, and an error.
  bool read_level(std::string_view mode, Level otherwise, Level& level) {
    const std::optional<std::string_view> text = label(mode);
    if (!text) return false;
    const auto* at = std::find(std::begin(kLevels), std::end(kLevels), *text);
    const bool good = at != std::end(kLevels);
    level = good ? Level(at - std::begin(kLevels)) : otherwise;
    if (!good) refuse(mode, *text, "must be one of privileged, baseline, restricted");
    return good;
  }

  /// True if the label is there.
  bool read_version(std::string_view mode, std::optional<int64_t>& minor) {
    const std::optional<std::string_view> text = label(mode);
    if (!text) return false;
    minor.reset();
    if (*text != "latest" && !parse_minor(*text, minor))
      refuse(mode, *text, "must be \"latest\" or \"v1.x\"");
    return true;
  }

  bool has(std::string_view mode) const { return label(mode).has_value(); }

 private:
  std::optional<std::string_view> label(std::string_view mode) const {
    const std::string name = fmt::format("{}{}", kPrefix, mode);
    const Value* value = model::find(ns_, {"metadata", "labels", name});
    if (value == nullptr || !value->is_string()) return std::nullopt;
    return model::view(value->get_string());
  }

  static bool parse_minor(std::string_view text, std::optional<int64_t>& minor) {
    if (!text.starts_with("v1.")) return false;
    text.remove_prefix(3);
    const bool digits = !text.empty() &&
                        text.find_first_not_of("0123456789") == std::string_view::npos &&
                        (text.size() == 1 || text.front() != '0');
    int64_t number = 0;
    if (!digits ||
        std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc())
      return false;
    minor = number;
    return true;
  }

  void refuse(std::string_view mode, std::string_view text, std::string_view detail) {
    errors_.push_back(model::invalid_field(fmt::format("metadata.labels[{}{}]", kPrefix, mode),
                                           Value(text), std::string(detail)));
  }

  const Value& ns_;
  FieldErrors& errors_;
};

}  // namespace

std::string LevelVersion::text() const {
  return fmt::format("{}:{}", kLevels[size_t(level)],
                     minor ? fmt::format("v1.{}", *minor) : "latest");
}

Policy policy_of(const Value& ns, FieldErrors& errors) {
  Policy policy;
  Labels labels(ns, errors);
  const bool enforces = labels.read_level("enforce", Level::Restricted, policy.enforce.level);
  labels.read_version("enforce-version", policy.enforce.minor);
  labels.read_level("audit", Level::Privileged, policy.audit.level);
  labels.read_version("audit-version", policy.audit.minor);
  labels.read_level("warn", Level::Privileged, policy.warn.level);
  const bool dated = labels.read_version("warn-version", policy.warn.minor);
  // What is enforced is warned of too, unless the labels say otherwise.
  if (!labels.has("warn") && enforces && policy.enforce.level > policy.warn.level) {
    policy.warn.level = policy.enforce.level;
    if (!dated) policy.warn.minor = policy.enforce.minor;
  }
  return policy;
}

}  // namespace holdfast::apiserver::pod_security

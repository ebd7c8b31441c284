/// Job policies: when a Job counts as failed or done before its pods are.
#include <holdfast/base/text.h>

#include "kinds/batch/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::apiserver::batch {

using model::Value;

namespace {

constexpr size_t kMaxRules = 20;
constexpr size_t kMaxExitCodes = 255;
constexpr size_t kMaxIndexText = size_t(64) << 10;

void check_at_most(const Place& list, size_t max) {
  if (list.items().size() > max) list.too_many(int64_t(list.items().size()), int64_t(max));
}

bool has_container(const Place& pod_spec, std::string_view name) {
  for (std::string_view list : {"containers", "initContainers"})
    for (const Value& container : pod_spec[list].items())
      if (model::string_at(container, {"name"}) == name) return true;
  return false;
}

void check_exit_codes(const Place& codes, const Place& pod_spec) {
  const Place op = codes["operator"];
  if (op.need("valid values: [\"In\" \"NotIn\"]")) op.one_of({"In", "NotIn"});
  const Place container = codes["containerName"];
  if (container.present() && !has_container(pod_spec, container.text()))
    container.invalid("must be one of the container or initContainer names in the pod template");
  const Place values = codes["values"];
  if (values.empty()) values.invalid("at least one value is required");
  check_at_most(values, kMaxExitCodes);
  std::set<int64_t> seen;
  bool ordered = true;
  values.each([&](const Place& value) {
    const int64_t code = value.number();
    if (op.text() == "In" && code == 0) value.invalid("must not be 0 for the In operator");
    if (!seen.empty() && code < *seen.rbegin()) ordered = false;
    if (!seen.insert(code).second) value.duplicate();
  });
  if (!ordered) values.invalid("must be ordered");
}

void check_conditions(const Place& conditions) {
  check_at_most(conditions, kMaxRules);
  conditions.each([](const Place& pattern) {
    pattern["type"].qualified_name();
    if (pattern["status"].need("valid values: [\"False\" \"True\" \"Unknown\"]"))
      pattern["status"].one_of({"False", "True", "Unknown"});
  });
}

void check_rule(const Place& rule, const Place& spec) {
  const Place action = rule["action"];
  if (action.empty())
    action.required("valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]");
  else if (action.text() == "FailIndex" && !spec["backoffLimitPerIndex"].present())
    action.invalid("requires the backoffLimitPerIndex to be set");
  else
    action.one_of({"Count", "FailIndex", "FailJob", "Ignore"});
  const Place codes = rule["onExitCodes"];
  const Place conditions = rule["onPodConditions"];
  if (codes.present()) check_exit_codes(codes, spec["template"]["spec"]);
  check_conditions(conditions);
  if (codes.present() && !conditions.empty())
    rule.invalid_unshown("specifying both OnExitCodes and OnPodConditions is not supported");
  if (!codes.present() && conditions.empty())
    rule.invalid_unshown("specifying one of OnExitCodes and OnPodConditions is required");
}

/// Index lists are `1,3-5,7`: rising, below the number of completions.
class IndexList {
 public:
  IndexList(std::string_view text, int64_t completions) : completions_(completions) {
    if (text.empty()) return;
    for (std::string_view part : split(text, ',')) {
      read(part);
      if (!fault_.empty()) return;
    }
  }
  int64_t total() const { return fault_.empty() ? total_ : 0; }
  const std::string& fault() const { return fault_; }

 private:
  int64_t number(std::string_view text) {
    int64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size())
      fault_ = fmt::format("cannot convert string to integer for index: {}", quoted(text));
    else if (out >= completions_)
      fault_ = fmt::format("too large index: {}", quoted(text));
    return out;
  }

  void read(std::string_view part) {
    const auto ends = split(part, '-');
    if (ends.size() > 2) {
      fault_ = fmt::format(
          "the fragment {} violates the requirement that an index interval can have at most two "
          "parts separated by '-'",
          quoted(part));
      return;
    }
    const int64_t first = number(ends[0]);
    if (!fault_.empty()) return;
    const int64_t last = ends.size() == 2 ? number(ends[1]) : first;
    if (!fault_.empty()) return;
    if (ends.size() == 2 && first >= last)
      fault_ = fmt::format("non-increasing order, previous: {}, current: {}", first, last);
    else if (last_ >= first)
      fault_ = fmt::format("non-increasing order, previous: {}, current: {}", last_, first);
    total_ += last - first + 1;
    last_ = last;
  }

  int64_t completions_;
  int64_t total_ = 0;
  int64_t last_ = -1;
  std::string fault_;
};

void check_success_rule(const Place& rule, int64_t completions) {
  const Place count = rule["succeededCount"];
  const Place indexes = rule["succeededIndexes"];
  if (!count.present() && !indexes.present())
    rule.required("at least one of succeededCount or succeededIndexes must be specified");
  const IndexList list(indexes.text(), completions);
  if (indexes.text().size() > kMaxIndexText) indexes.too_long(int64_t{kMaxIndexText});
  if (!list.fault().empty())
    indexes.invalid(fmt::format("error parsing succeededIndexes: {}", list.fault()));
  if (!count.present()) return;
  count.non_negative();
  if (count.number() > completions)
    count.invalid(fmt::format(
        "must be less than or equal to {} (the number of specified completions)", completions));
  if (indexes.present() && count.number() > list.total())
    count.invalid(
        fmt::format("must be less than or equal to {} (the number of indexes in the specified "
                    "succeededIndexes field)",
                    list.total()));
}

}  // namespace

void check_failure_policy(const Place& spec) {
  const Place rules = spec["podFailurePolicy"]["rules"];
  check_at_most(rules, kMaxRules);
  rules.each([&](const Place& rule) { check_rule(rule, spec); });
}

void check_success_policy(const Place& spec) {
  const Place policy = spec["successPolicy"];
  if (spec["completionMode"].text() != "Indexed") {
    model::Array rules;
    for (const Value& rule : policy["rules"].items())
      rules.push_back(go_form(rule, {"SucceededIndexes", "SucceededCount"}));
    return policy.invalid(model::Object{{"Rules", std::move(rules)}},
                          "requires indexed completion mode");
  }
  const Place rules = policy["rules"];
  rules.need("at least one rules must be specified when the successPolicy is specified");
  check_at_most(rules, kMaxRules);
  rules.each([&](const Place& rule) { check_success_rule(rule, spec["completions"].number()); });
}

std::string index_list_fault(std::string_view text, int64_t completions) {
  return IndexList(text, completions).fault();
}

}  // namespace holdfast::apiserver::batch

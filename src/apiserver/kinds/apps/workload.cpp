#include "kinds/apps/workload.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::apiserver::apps {

using model::Value;

namespace {

/// `25%` → 25; nothing if it is no percentage.
std::optional<int64_t> percent_of(const Place& amount) {
  std::string_view text = amount.text();
  if (!amount.value().is_string() || !text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

void check_required_selector(const Place& spec, std::string_view word) {
  const Place selector = spec["selector"];
  if (!selector.present()) return selector.required();
  check_label_selector(selector);
  if (selects_everything(selector.value()))
    selector.invalid(fmt::format("empty selector is invalid for {}", word));
}

void check_restarts_always(const Place& spec, std::string_view word) {
  const Place pod_spec = spec["template"]["spec"];
  if (pod_spec["restartPolicy"].text() != "Always")
    pod_spec["restartPolicy"].unsupported({"Always"});
  if (pod_spec["activeDeadlineSeconds"].present())
    pod_spec["activeDeadlineSeconds"].forbidden(
        fmt::format("activeDeadlineSeconds in {} is not Supported", word));
}

void check_selected_template(const Place& spec, std::string_view word) {
  const Place selector = spec["selector"];
  const Place labels = spec["template"]["metadata"]["labels"];
  const Match match = match_labels(selector.value(), labels.value());
  if (match == Match::Unparsable) return selector.invalid("invalid label selector");
  const bool selects = selector.present() && !selects_everything(selector.value());
  if ((selects || !selector.present()) && match == Match::No)
    labels.invalid("`selector` does not match template `labels`");
  pod::check_template(spec["template"]);
  check_restarts_always(spec, word);
}

void check_int_or_percent(const Place& amount) {
  if (!amount.value().is_string()) return amount.non_negative();
  if (!percent_of(amount))
    amount.invalid(
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
        "'93%', regex used for "
        "validation is '[0-9]+%')");
}

void check_at_most_all(const Place& amount) {
  if (percent_of(amount).value_or(0) > 100) amount.invalid("must not be greater than 100%");
}

int64_t int_or_percent(const Place& amount) {
  if (const auto percent = percent_of(amount)) return *percent;
  if (!amount.value().is_string()) return amount.number();
  int64_t number = 0;  // Go reads a plain number in a string as that number
  std::from_chars(amount.text().data(), amount.text().data() + amount.text().size(), number);
  return number;
}

void check_status_counts(const Place& status, const StatusCounts& counts) {
  for (std::string_view name : counts.non_negative) status[name].non_negative();
  const int64_t replicas = status["replicas"].number();
  for (std::string_view name : counts.at_most_replicas)
    if (status[name].number() > replicas)
      status[name].invalid("cannot be greater than status.replicas");
  if (counts.at_most_replicas.size() != 0 &&
      status["availableReplicas"].number() > status["readyReplicas"].number())
    status["availableReplicas"].invalid(
        fmt::format("cannot be greater than {}", counts.ready_word));
}

void check_collisions_grow(const Place& status, const Value& old) {
  const Value* before = model::find(old, {"status", "collisionCount"});
  const Place now = status["collisionCount"];
  if (before != nullptr && now.number() < model::int_at(*before, {}, 0))
    now.invalid(Value(now.number()), "cannot be decremented");
}

}  // namespace holdfast::apiserver::apps

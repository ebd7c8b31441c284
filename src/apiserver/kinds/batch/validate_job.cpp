/// The spec of a job, which a CronJob's template shares.
#include <holdfast/base/text.h>

#include "kinds/batch/batch.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace holdfast::apiserver::batch {

using model::Value;

namespace {

constexpr int64_t kMaxIndexedParallelism = 100'000;
constexpr int64_t kMaxFailedIndexes = 100'000;
constexpr int64_t kManyCompletions = 100'000;
constexpr int64_t kLimitForManyCompletions = 10'000;
constexpr size_t kMaxManagedBy = 63;

void check_managed_by(const Place& manager) {
  if (!manager.present()) return;
  const std::string_view text = manager.text();
  const size_t slash = text.find('/');
  if (text.empty()) return manager.required();
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == text.size()) {
    manager.invalid("must be a domain-prefixed path (such as \"acme.io/foo\")");
  } else {
    const Value domain(text.substr(0, slash));
    for (std::string& complaint : model::check_dns1123_subdomain(text.substr(0, slash)))
      manager.invalid(domain, std::move(complaint));
  }
  if (text.size() > kMaxManagedBy) manager.too_long(int64_t{kMaxManagedBy});
}

void check_many_completions(const Place& spec) {
  const Place failed = spec["maxFailedIndexes"];
  const Place parallelism = spec["parallelism"];
  if (spec["completions"].number() <= kManyCompletions || !spec["backoffLimitPerIndex"].present())
    return;
  const std::string sentence = fmt::format(
      "must be less than or equal to {} when completions are above {} and used with backoff limit "
      "per index",
      kLimitForManyCompletions, kManyCompletions);
  if (!failed.present())
    failed.required(
        fmt::format("must be specified when completions is above {}", kManyCompletions));
  if (parallelism.number() > kLimitForManyCompletions) parallelism.invalid(sentence);
  if (failed.number() > kLimitForManyCompletions) failed.invalid(sentence);
}

void check_indexed(const Place& spec) {
  const Place completions = spec["completions"];
  const Place failed = spec["maxFailedIndexes"];
  if (!completions.present()) completions.required("when completion mode is Indexed");
  if (spec["parallelism"].number() > kMaxIndexedParallelism)
    spec["parallelism"].invalid(
        fmt::format("must be less than or equal to {} when completion mode is Indexed",
                    kMaxIndexedParallelism));
  if (completions.present() && failed.number() > completions.number())
    failed.invalid("must be less than or equal to completions");
  if (failed.number() > kMaxFailedIndexes)
    failed.invalid(fmt::format("must be less than or equal to {}", kMaxFailedIndexes));
  check_many_completions(spec);
}

void check_mode(const Place& spec) {
  const std::string_view mode = spec["completionMode"].text();
  spec["completionMode"].one_of_if_present({"NonIndexed", "Indexed"});
  if (mode == "Indexed") check_indexed(spec);
  if (!mode.empty() && mode != "NonIndexed") return;
  for (std::string_view name : {"backoffLimitPerIndex", "maxFailedIndexes"})
    if (spec[name].present()) spec[name].invalid("requires indexed completion mode");
}

void check_replacement(const Place& spec) {
  const Place policy = spec["podReplacementPolicy"];
  if (spec["podFailurePolicy"].present())
    policy.one_of_if_present({"Failed"});
  else
    policy.one_of_if_present({"Failed", "TerminatingOrFailed"});
}

void check_restart_policy(const Place& spec) {
  const Place policy = spec["template"]["spec"]["restartPolicy"];
  const std::string_view text = policy.text();
  if (text.empty() || text == "Always")
    policy.required("valid values: \"OnFailure\", \"Never\"");
  else if (text != "OnFailure" && text != "Never")
    policy.unsupported({"OnFailure", "Never"});
  else if (spec["podFailurePolicy"].present() && text != "Never")
    policy.invalid("only \"Never\" is supported when podFailurePolicy is specified");
}

}  // namespace

void check_job_spec(const Place& spec) {
  for (std::string_view name :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"})
    spec[name].non_negative();
  if (spec["maxFailedIndexes"].present() && !spec["backoffLimitPerIndex"].present())
    spec["backoffLimitPerIndex"].required("when maxFailedIndexes is specified");
  check_managed_by(spec["managedBy"]);
  check_mode(spec);
  if (spec["podFailurePolicy"].present()) check_failure_policy(spec);
  if (spec["successPolicy"].present()) check_success_policy(spec);
  check_replacement(spec);
  pod::check_template(spec["template"]);
  check_restart_policy(spec);
}

void check_job_selector(const Place& spec) {
  const Place selector = spec["selector"];
  const Place labels = spec["template"]["metadata"]["labels"];
  if (!selector.present()) selector.required();
  check_label_selector(selector);
  if (match_labels(selector.value(), labels.value()) == Match::No)
    labels.invalid("`selector` does not match template `labels`");
}

}  // namespace holdfast::apiserver::batch

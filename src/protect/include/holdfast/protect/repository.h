/// Repository: a repository in a location, and its maintenance. Without it buckets grow for ever.
#pragma once

#include <holdfast/protect/types.h>

#include <string_view>

namespace holdfast::protect {

/// On a Repository, whatever its value: what it stood for is gone for good, and the next backup may
/// make a new one.
inline constexpr std::string_view kAnewAnnotation = "holdfast.dev/begin-anew";

struct Repository {
  static constexpr model::Kind kKind{"holdfast.dev", "v1alpha1", "Repository"};
  static constexpr std::string_view kPlural = "repositories";

  struct Prune {
    std::string schedule{};
    template <class V>
    void fields(V& v) {
      v.optional("schedule", schedule, "cron expression; empty: never");
    }
  };
  struct Check {
    std::string schedule{}, read_data_subset{};
    template <class V>
    void fields(V& v) {
      v.optional("schedule", schedule, "cron expression; empty: never");
      v.optional("readDataSubset", read_data_subset,
                 "amount of data that each check reads: 10%, 1/7, 500M; empty: structure only");
    }
  };
  struct Maintenance {
    Prune prune{};
    Check check{};
    template <class V>
    void fields(V& v) {
      v.optional("prune", prune, "removal of data that no snapshot needs");
      v.optional("check", check, "verification that the data can be read");
    }
  };
  struct Spec {
    Reference location{};
    std::string ns{};
    Maintenance maintenance{};
    template <class V>
    void fields(V& v) {
      v.required("location", location,
                 "BackupLocation that holds the repository, in the same namespace");
      v.optional("namespace", ns,
                 "namespace whose data the repository holds; empty: the Repository's own; "
                 "ADMINS.NAMESPACE: what groups of the administrators' namespace ADMINS have "
                 "backed up of it");
      v.optional("maintenance", maintenance,
                 "schedules of prune and check; only the operator prunes");
    }
  } spec{};

  /// Upkeep under way: written before its Job is made, gone when its result is told.
  struct Run {
    std::string kind{}, scheduled_for{}, job{}, message{};
    bool asked_for = false;
    template <class V>
    void fields(V& v) {
      v.required("kind", kind, "Open (reads size and snapshots), Check or Prune");
      v.required("scheduledFor", scheduled_for, "time at which the run was due",
                 {.format = "date-time"});
      v.required("job", job, "name of the Job of the run");
      v.optional("askedFor", asked_for,
                 "true: requested by the annotation holdfast.dev/run, before scheduled runs");
      v.optional("message", message, "reason why the run does not start");
    }
  };
  struct Retry {
    std::string kind{}, at{};
    template <class V>
    void fields(V& v) {
      v.required("kind", kind, "kind of the failed run: Open, Check or Prune");
      v.required("at", at, "time of the next attempt", {.format = "date-time"});
    }
  };
  struct Status {
    std::string size{}, last_prune{}, last_check{}, oldest_unverified_data{};
    std::string last_opened{}, prune_scheduled{}, check_scheduled{}, opened_with{};
    std::string repository_id{}, anew_since{};
    std::optional<int64_t> snapshots{};
    std::optional<Run> running{};
    std::optional<Retry> retry{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("size", size, "size in bytes in the location, as a quantity");
      v.optional("snapshots", snapshots, "number of snapshots");
      v.optional("lastOpened", last_opened, "time at which size and snapshots were counted",
                 {.format = "date-time"});
      v.optional("lastPrune", last_prune, "end of the last prune", {.format = "date-time"});
      v.optional("lastCheck", last_check, "end of the last check", {.format = "date-time"});
      v.optional("oldestUnverifiedData", oldest_unverified_data,
                 "time since which some data has not been read back", {.format = "date-time"});
      v.optional("running", running, "run of open, check or prune under way");
      v.optional("retry", retry, "failed run that is retried before its schedule");
      v.optional("pruneScheduled", prune_scheduled, "time up to which all due prunes are done",
                 {.format = "date-time"});
      v.optional("checkScheduled", check_scheduled, "time up to which all due checks are done",
                 {.format = "date-time"});
      v.optional(
          "openedWith", opened_with,
          "generation of the location and resourceVersions of its Secrets at the last opening");
      v.optional("repositoryID", repository_id,
                 "id of the repository; another one in its place is not used");
      v.optional("anewSince", anew_since,
                 "time since which a new repository may be begun in the place of the last one",
                 {.format = "date-time"});
      v.optional("conditions", conditions, "conditions of the repository");
    }
  } status{};
};

}  // namespace holdfast::protect

/// Repository: a repository in a location, and its maintenance. Without it buckets grow for ever.
#pragma once

#include <holdfast/protect/types.h>

namespace holdfast::protect {

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
                 "how much data each check reads: 10%, 1/7, 500M; empty: structure only");
    }
  };
  struct Maintenance {
    Prune prune{};
    Check check{};
    template <class V>
    void fields(V& v) {
      v.optional("prune", prune, "removal of data that no snapshot needs");
      v.optional("check", check, "proof that what is there can be read");
    }
  };
  struct Spec {
    Reference location{};
    std::string ns{};
    Maintenance maintenance{};
    template <class V>
    void fields(V& v) {
      v.required("location", location, "BackupLocation of the same namespace that it lies in");
      v.optional("namespace", ns, "whose data it holds; empty: its own");
      v.optional("maintenance", maintenance, "upkeep on a schedule; nobody else prunes");
    }
  } spec{};

  /// Upkeep under way: written before its Job is made, gone when its result is told.
  struct Run {
    std::string kind{}, scheduled_for{}, job{}, message{};
    bool asked_for = false;
    template <class V>
    void fields(V& v) {
      v.required("kind", kind, "Open (looks what is there), Check or Prune");
      v.required("scheduledFor", scheduled_for, "when it was due", {.format = "date-time"});
      v.required("job", job, "the Job that does it");
      v.optional("askedFor", asked_for, "by the annotation holdfast.dev/run, which goes first");
      v.optional("message", message, "why it does not begin");
    }
  };
  struct Retry {
    std::string kind{}, at{};
    template <class V>
    void fields(V& v) {
      v.required("kind", kind, "what failed, and may succeed by itself");
      v.required("at", at, "when it is tried again", {.format = "date-time"});
    }
  };
  struct Status {
    std::string size{}, last_prune{}, last_check{}, oldest_unverified_data{};
    std::string last_opened{}, prune_scheduled{}, check_scheduled{}, opened_with{};
    std::optional<int64_t> snapshots{};
    std::optional<Run> running{};
    std::optional<Retry> retry{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("size", size, "bytes in the location, as a quantity");
      v.optional("snapshots", snapshots, "how many it holds");
      v.optional("lastOpened", last_opened, "when size and snapshots were counted",
                 {.format = "date-time"});
      v.optional("lastPrune", last_prune, "end of the last prune", {.format = "date-time"});
      v.optional("lastCheck", last_check, "end of the last check", {.format = "date-time"});
      v.optional("oldestUnverifiedData", oldest_unverified_data,
                 "age of the data longest not read back", {.format = "date-time"});
      v.optional("running", running, "upkeep under way");
      v.optional("retry", retry, "upkeep that failed and is tried again before its schedule");
      v.optional("pruneScheduled", prune_scheduled, "up to when the prunes that were due are done",
                 {.format = "date-time"});
      v.optional("checkScheduled", check_scheduled, "up to when the checks that were due are done",
                 {.format = "date-time"});
      v.optional("openedWith", opened_with,
                 "generation of the location and resourceVersions of its Secrets when it was last "
                 "opened");
      v.optional("conditions", conditions, "what is known of it");
    }
  } status{};
};

}  // namespace holdfast::protect

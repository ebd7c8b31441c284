/// One repository in a location, and its upkeep. Without it buckets grow for ever.
#pragma once

#include <holdfast/protect/types.h>

namespace holdfast::protect {

struct Repository {
  static constexpr model::Kind kKind{"holdfast.dev", "v1alpha1", "Repository"};

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
    Maintenance maintenance{};
    template <class V>
    void fields(V& v) {
      v.required("location", location, "BackupLocation that it lies in");
      v.optional("maintenance", maintenance, "upkeep on a schedule; nobody else prunes");
    }
  } spec{};

  struct Status {
    std::string size{}, last_prune{}, last_check{}, oldest_unverified_data{};
    std::optional<int64_t> snapshots{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("size", size, "bytes in the location, as a quantity");
      v.optional("snapshots", snapshots, "how many it holds");
      v.optional("lastPrune", last_prune, "end of the last prune", {.format = "date-time"});
      v.optional("lastCheck", last_check, "end of the last check", {.format = "date-time"});
      v.optional("oldestUnverifiedData", oldest_unverified_data,
                 "age of the data longest not read back", {.format = "date-time"});
      v.optional("conditions", conditions, "what is known of it");
    }
  } status{};
};

}  // namespace holdfast::protect

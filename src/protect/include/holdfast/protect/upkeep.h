/// Upkeep of a repository: the process that opens, checks or prunes it, in the pod of a Job that
/// its controller has made beside the location.
#pragma once

#include <holdfast/model/fields.h>
#include <holdfast/protect/mover.h>

#include <stop_token>
#include <string>

namespace holdfast::protect {

/// Handed over as JSON in the variable HOLDFAST_UPKEEP, without a secret.
struct UpkeepTask {
  std::string kind{};  ///< Open, Check or Prune
  RepositoryAccess access{};
  std::string read_data_subset{};  ///< of a check

  template <class V>
  void fields(V& v) {
    v.required("kind", kind, "");
    v.required("access", access, "");
    v.optional("readDataSubset", read_data_subset, "");
  }
};

/// How it ended; the container's termination message, as JSON.
struct UpkeepReport {
  std::string kind{};
  int64_t size = 0, snapshots = 0;
  std::string repository_id{};
  std::string oldest_unverified{};  ///< RFC 3339; "" if nothing is there
  std::string summary{};            ///< of what was done
  std::string reason{}, message{};  ///< why it failed; "" if it did not
  bool again = false;               ///< another try may succeed

  template <class V>
  void fields(V& v) {
    v.required("kind", kind, "");
    v.required("size", size, "");
    v.required("snapshots", snapshots, "");
    v.optional("repositoryID", repository_id, "");
    v.optional("oldestUnverified", oldest_unverified, "");
    v.optional("summary", summary, "");
    v.optional("reason", reason, "");
    v.optional("message", message, "");
    v.required("again", again, "");
  }
};

std::string to_text(const UpkeepTask& task);
Result<UpkeepTask> parse_upkeep_task(std::string_view json);
std::string to_text(const UpkeepReport& report);
Result<UpkeepReport> parse_upkeep_report(std::string_view json);

/// Exit codes of the process: what another try may mend, and what it cannot.
inline constexpr int kUpkeepAgain = 1, kUpkeepHopeless = 3;

/// 0 if it is done and all is well; the report says what came of it.
int run_upkeep(const UpkeepTask& task, const MoverPlaces& places, std::stop_token stop);

}  // namespace holdfast::protect

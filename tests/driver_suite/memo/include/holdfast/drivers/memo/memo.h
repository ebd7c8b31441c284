/// Memo: the output of a command in a pod, kept in a repository; the smallest driver there is.
#pragma once

#include <holdfast/control/operation.h>
#include <holdfast/protect/driver.h>

namespace holdfast::drivers::memo {

struct Memo {
  static constexpr model::Kind kKind{"test.holdfast.dev", "v1", "Memo"};

  struct Spec {
    std::string pod{}, account{};
    std::vector<std::string> command{};
    template <class V>
    void fields(V& v) {
      v.required("pod", pod, "running pod of the same namespace, with one container");
      v.required("serviceAccountName", account, "whose rights the command is run with");
      v.required("command", command, "its output is kept; run again if an operator dies meanwhile");
    }
  } spec{};

  struct Status {
    std::string phase{}, snapshot_id{};
    std::vector<control::OperationRecord> operations{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("phase", phase, "Completed or Failed, once it is over");
      v.optional("snapshotID", snapshot_id, "the repository's snapshot that holds it");
      v.optional("operations", operations, "the command");
      v.optional("conditions", conditions, "how it ended");
    }
  } status{};
};

inline constexpr std::chrono::seconds kCommandLimit{4};
inline constexpr const char* kDocument = "memo.txt";                 ///< the file in the snapshot
inline constexpr const char* kMemoLabel = "test.holdfast.dev/memo";  ///< of its DataMove: its uid

protect::Driver driver();

}  // namespace holdfast::drivers::memo

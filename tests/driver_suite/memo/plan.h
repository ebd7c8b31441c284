/// Plan of a Memo: its command, the output into a repository, the end.
#pragma once

#include <holdfast/control/outcome.h>
#include <holdfast/drivers/memo/memo.h>
#include <holdfast/protect/data_move.h>

namespace holdfast::drivers::memo {

struct Seen {
  kube::Cached object{};
  Memo memo{};
  std::optional<control::OperationRecord> command{};
  std::optional<protect::DataMove> move{};
  WallTime now{};
};

/// Of an operation `run` is the caller's to say.
control::Outcome plan(const Seen& seen);

}  // namespace holdfast::drivers::memo

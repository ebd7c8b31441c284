/// Plan of a Memo: its command, the output into a repository, the end.
#pragma once

#include <holdfast/control/subject.h>
#include <holdfast/drivers/memo/memo.h>
#include <holdfast/protect/data_move.h>

namespace holdfast::drivers::memo {

struct Seen : control::Subject {
  Memo memo{};
  std::optional<control::OperationRecord> command{};
  std::optional<protect::DataMove> move{};
};

/// Asks for `command`: the controller has the hands.
control::Outcome plan(const Seen& seen);

}  // namespace holdfast::drivers::memo

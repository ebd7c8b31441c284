/// View of a data move: how far it is, and how it ended.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/model/json.h>
#include <holdfast/protect/data_move.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::cli {

struct MoveView {
  std::string ns{}, name{}, direction{};
  std::string phase = "New";
  int64_t attempt = 0;
  uint64_t done = 0, total = 0, uploaded = 0;  ///< bytes; total = 0: not known yet
  uint64_t per_second = 0;
  std::optional<std::chrono::seconds> left{};
  std::string snapshot{}, verified{};
  std::string reason{}, message{};  ///< why it has ended so, does not go on, or is tried again
  bool refused = false;             ///< they are of what the server refuses

  bool ended() const;
  bool completed() const { return phase == "Completed"; }
};

MoveView view_of(const model::Value& move, WallTime now);

/// "InProgress  34.1%  1.2 GiB of 4.0 GiB, 250.0 MiB/s, ETA 0:12, attempt 2"
std::string progress_text(const MoveView& view);
/// The last word: "Completed: snapshot 1a2b…, 4.0 GiB, verified by Structure", or the reason and
/// message of a failure.
std::string end_text(const MoveView& view);
/// "34.1%  1.2 GiB of 4.0 GiB, 250.0 MiB/s": those of that direction together; "" before any has
/// begun. What is refused of one of them is said behind it.
std::string moves_text(const std::vector<model::Value>& moves,
                       protect::DataMove::Direction direction, WallTime now);
/// One line of `--json`; message_type is `status`, and `summary` of a move that has ended.
std::string json_line(const MoveView& view);

}  // namespace holdfast::cli

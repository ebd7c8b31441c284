/// The DataMove that the flags of `holdfast move` ask for.
#pragma once

#include <holdfast/protect/data_move.h>

#include <string>
#include <vector>

namespace holdfast::cli {

struct MoveFlags {
  std::string volume{};  ///< CLAIM, persistentvolumeclaim/NAME, volumesnapshot/NAME or pod/NAME
  std::string directory{}, container{};  ///< of a pod
  std::string snapshot{};                ///< to restore
  std::string location{};                ///< NAME or NAMESPACE/NAME; "" = the default one
  std::string limit{};                   ///< bytes per second: 512k, 10M
  std::string follow{};                  ///< a snapshot each: 15m
  std::vector<std::string> command{};    ///< of a pod: what is read from, or written to
  int64_t backoff_limit = 3;
};

/// Invalid names the flag.
Result<protect::DataMove> backup_move(const MoveFlags& flags);
Result<protect::DataMove> restore_move(const MoveFlags& flags);

}  // namespace holdfast::cli

/// Asked spec of a DataMove: recorded when the move is accepted, obeyed until its end.
#pragma once

#include <holdfast/protect/data_move.h>

#include <string>
#include <vector>

namespace holdfast::protect {

/// Writes the spec down. Of a document the digest only: its text twice in one object would be more
/// than etcd takes.
void record_asked(const DataMove& move, DataMove::Status& status);

/// Puts the spec back to what was asked for; the fields that had been edited since. A document's
/// text that was edited cannot be put back: it is taken away.
std::vector<std::string> keep_to_asked(DataMove& move);

/// Fields in which what a move was asked for is not what `wished` says.
std::vector<std::string> differing(const DataMove& move, const DataMove& wished);

}  // namespace holdfast::protect

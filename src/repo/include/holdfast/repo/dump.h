/// Content of a snapshot as a stream.
#pragma once

#include <holdfast/repo/tree.h>

#include <functional>
#include <stop_token>

namespace holdfast::repo {

using Sink = std::function<Result<void>(std::string_view)>;

/// A file's bytes in order. Every blob is checked against its id before it goes out; the next few
/// are fetched meanwhile.
Result<void> dump_file(Indexed& index, const Node& node, const Sink& out,
                       const std::stop_token& stop);

/// The bytes of an image, segment after segment. Corrupt if one is not what the folder speaks of.
Result<void> dump_image(Indexed& index, const Node& folder, const Sink& out,
                        const std::stop_token& stop);

/// All below a tree as a tar archive (POSIX, with pax records for what the old header cannot say:
/// long names, nanoseconds, extended attributes). `prefix` stands before the names, "" or "a/b".
/// Images are files in it; sockets cannot be said in it and are left out. A tree that does not load
/// is an error: half a stream cannot be told from a whole one.
Result<void> dump_tar(Indexed& index, const Id& tree, const std::string& prefix, const Sink& out,
                      const std::stop_token& stop);

}  // namespace holdfast::repo

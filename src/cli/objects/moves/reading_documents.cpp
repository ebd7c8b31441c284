// Documents of a location: a data move reads them, is asked for them, and goes.
#include <holdfast/cli/asking.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/follow.h>
#include <holdfast/cli/moves.h>
#include <holdfast/cli/refused.h>
#include <holdfast/kube/typed.h>

#include "objects/moves/move_view.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::Value;
using protect::DataMove;

Result<DataMove> reading_move(const DocumentQuery& query) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  move.spec.document = DataMove::Document{.name = query.document, .content = {}};
  move.spec.find = DataMove::Find{.tags = query.tags, .before = "", .limit = query.limit};
  move.spec.repository = query.repository;
  if (!query.location.empty())
    move.spec.location = HF_TRY(parse_reference("--location", query.location));
  return move;
}

/// A move that is there as long as somebody reads of it.
class ReadingMove {
 public:
  static Result<std::unique_ptr<ReadingMove>> make(Server& server, const DocumentQuery& query) {
    const DataMove move = HF_TRY(reading_move(query));
    const kube::Resource& moves = kube::resource_of<DataMove>();
    auto made = make_object(server, moves, model::encode_object(move), {.prefix = query.prefix});
    if (!made)
      return refused(server, moves, made.error(), "make the DataMove that reads " + query.what);
    return std::unique_ptr<ReadingMove>(new ReadingMove(server, made.take()));
  }
  ~ReadingMove() {
    (void)server_.client().remove(kube::resource_of<DataMove>(), server_.ns(), name_);
  }
  ReadingMove(const ReadingMove&) = delete;
  ReadingMove& operator=(const ReadingMove&) = delete;

  Result<Followed> wait(const std::string& what, const std::stop_token& stop) {
    const auto look = [&](const Value& move) {
      const MoveView view = view_of(move, server_.clock().now());
      return Look{.over = view.ended(), .text = fmt::format("reading {}: {}", what, view.phase)};
    };
    auto followed = follow(server_,
                           {.resource = kube::resource_of<DataMove>(),
                            .name = name_,
                            .look = look,
                            .telling = Telling::Terminal},
                           stop);
    if (!followed) return error_of(followed.error(), fmt::format("read DataMove {}", name_));
    return followed.take();
  }

 private:
  ReadingMove(Server& server, std::string name) : server_(server), name_(std::move(name)) {}
  Server& server_;
  const std::string name_;
};

Error failure_of(const MoveView& view, const DocumentQuery& query) {
  const std::string& location = query.location;
  if (view.reason == "RepositoryNotFound")
    return Error(Fault::NotFound,
                 fmt::format("location {} has no repository {}", location,
                             query.repository.empty() ? view.ns : query.repository))
        .with_hint(
            "each namespace has a repository of its own there; -n names another, and "
            "--repository ADMINS.NAMESPACE what an administrators' group has backed up");
  return Error(view.reason == "AccessDenied" ? Fault::Denied : Fault::Unavailable,
               fmt::format("read location {}: {}: {}", location, view.reason, view.message))
      .with_hint(fmt::format("see: holdfast location describe {}", location));
}

}  // namespace

Result<std::optional<Documents>> read_documents(Server& server, const DocumentQuery& query,
                                                const std::stop_token& stop) {
  const std::unique_ptr<ReadingMove> move = HF_TRY(ReadingMove::make(server, query));
  const Followed followed = HF_TRY(move->wait(query.what, stop));
  if (followed.why == Followed::Why::Stopped) return std::optional<Documents>();
  const MoveView view = view_of(followed.object, server.clock().now());
  if (!view.completed()) return failure_of(view, query);
  DataMove::Status status = HF_TRY(model::decode_object<DataMove>(followed.object)).status;
  const bool more =
      status.documents_truncated.value_or(false) || int64_t(status.documents.size()) >= query.limit;
  return std::optional(Documents{.found = std::move(status.documents), .more = more});
}

}  // namespace holdfast::cli

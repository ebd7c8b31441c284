// What a location holds of groups: a data move reads the catalogues, is asked for them, and goes.
#include <holdfast/base/sleep.h>
#include <holdfast/drivers/volume_group_catalogue.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>

#include "objects/describe/describe.h"
#include "objects/groups/group_access.h"
#include "objects/groups/listing.h"
#include "objects/moves/move_spec.h"
#include "objects/moves/move_view.h"
#include "objects/object_text.h"
#include "objects/table_text.h"
#include "repo/interrupts.h"
#include "repo/print/status_line.h"
#include "repo/print/words.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using drivers::volumegroup::Catalogue;
using model::Array;
using model::Object;
using model::Value;
using protect::DataMove;

constexpr auto kLook = 250ms;

Result<DataMove> reading_move(const GroupListOptions& options, const std::string& ns) {
  DataMove move;
  move.spec.direction = DataMove::Direction::Restore;
  move.spec.document =
      DataMove::Document{.name = std::string(drivers::volumegroup::kCatalogueName), .content = {}};
  move.spec.find = DataMove::Find{.tags = {std::string(drivers::volumegroup::kCatalogueTag)},
                                  .before = "",
                                  .limit = options.limit};
  if (!options.group.empty())
    move.spec.find->tags.push_back(options.group.find('/') == std::string::npos
                                       ? fmt::format("vg={}/{}", ns, options.group)
                                       : "vg=" + options.group);
  move.spec.location = HF_TRY(parse_reference("--location", options.location));
  return move;
}

/// A move that is there as long as somebody reads of it.
class ReadingMove {
 public:
  static Result<std::unique_ptr<ReadingMove>> make(Server& server, const DataMove& move) {
    Value object = model::encode_object(move);
    object.as_object()["metadata"] = Object{{"generateName", "group-list-"}};
    const auto made = server.client().create(kube::resource_of<DataMove>(), server.ns(), object);
    if (!made) return error_of(made.error(), "make the DataMove that reads the catalogues");
    return std::unique_ptr<ReadingMove>(
        new ReadingMove(server, std::string(model::string_at(*made, {"metadata", "name"}))));
  }
  ~ReadingMove() {
    (void)server_.client().remove(kube::resource_of<DataMove>(), server_.ns(), name_);
  }
  ReadingMove(const ReadingMove&) = delete;
  ReadingMove& operator=(const ReadingMove&) = delete;

  /// As it ended; null: told to stop.
  Result<Value> wait(const std::stop_token& stop) {
    const Sleep pause = holdfast::sleep_until_stopped();
    StatusLine line;
    std::string shown;
    for (; !stop.stop_requested(); pause(kLook, stop)) {
      auto found = server_.client().get(kube::resource_of<DataMove>(), server_.ns(), name_);
      if (!found && found.error().error.transient()) continue;
      if (!found) return error_of(found.error(), fmt::format("read DataMove {}", name_));
      const MoveView view = view_of(*found, server_.clock().now());
      if (view.ended()) return found.take();
      if (const std::string text = "reading the catalogues: " + view.phase;
          line.terminal() && text != shown)
        line.show(shown = text);
    }
    return Value();
  }

 private:
  ReadingMove(Server& server, std::string name) : server_(server), name_(std::move(name)) {}
  Server& server_;
  const std::string name_;
};

Error failure_of(const MoveView& view, const GroupListOptions& options) {
  if (view.reason == "RepositoryNotFound")
    return Error(Fault::NotFound, fmt::format("location {} holds nothing of namespace {}",
                                              options.location, view.ns))
        .with_hint("each namespace has a repository of its own there; -n names another");
  return Error(view.reason == "AccessDenied" ? Fault::Denied : Fault::Unavailable,
               fmt::format("read location {}: {}: {}", options.location, view.reason, view.message))
      .with_hint(fmt::format("see: holdfast location describe {}", options.location));
}

std::vector<std::string> row_of(const Catalogue& each, WallTime now) {
  uint64_t bytes = 0, claims = 0;
  for (const auto& claim : each.claims) {
    if (claim.log) continue;
    bytes += uint64_t(std::max<int64_t>(0, claim.bytes.value_or(0)));
    ++claims;
  }
  return {harmless(each.group),   harmless(each.id), harmless(each.time),      age(each.time, now),
          fmt::to_string(claims), size_text(bytes),  model::word(each.verdict)};
}

int print(const DataMove& move, const GroupListOptions& options, OutputForm form, WallTime now) {
  std::vector<std::vector<std::string>> rows;
  if (!options.no_headers)
    rows.push_back({"GROUP", "ID", "TIME", "AGE", "CLAIMS", "SIZE", "CONSISTENCY"});
  Array items;
  int code = 0;
  for (const auto& each : move.status.documents) {
    const Result<Catalogue> read = drivers::volumegroup::parse_catalogue(each.content.value_or(""));
    if (!read) {
      fmt::print(stderr, "snapshot {}: {}\n", each.snapshot_id,
                 harmless(each.error.empty() ? read.error().what() : each.error));
      code = 3;
      continue;
    }
    rows.push_back(row_of(*read, now));
    Value item;
    model::field_type<Catalogue>().encode(&*read, item);
    items.push_back(std::move(item));
  }
  if (move.status.documents_truncated.value_or(false) ||
      int64_t(move.status.documents.size()) >= options.limit) {
    fmt::print(stderr, "there may be more; name a group, or see --limit\n");
    code = 3;
  }
  const bool none = items.empty();
  if (none && code == 0) fmt::print(stderr, "No backups of groups in {}\n", options.location);
  std::vector<size_t> widths;
  if (form == OutputForm::Json || form == OutputForm::Yaml)
    fmt::print("{}", object_text(Value(std::move(items)), form));
  else if (!none)
    fmt::print("{}", aligned(rows, widths));
  return code;
}

}  // namespace

Result<int> list_location(const GroupListOptions& options) {
  const OutputForm form = HF_TRY(output_form(options.output));
  const std::unique_ptr<Server> server = HF_TRY(Server::connect(options.server));
  const DataMove wanted = HF_TRY(reading_move(options, server->ns()));
  const Interrupts interrupts;
  const std::unique_ptr<ReadingMove> move = HF_TRY(ReadingMove::make(*server, wanted));
  const Value ended = HF_TRY(move->wait(interrupts.token()));
  if (ended.is_null()) return kInterruptedCode;
  const MoveView view = view_of(ended, server->clock().now());
  if (!view.completed()) return failure_of(view, options);
  const DataMove told = HF_TRY(model::decode_object<DataMove>(ended));
  return print(told, options, form, server->clock().now());
}

}  // namespace holdfast::cli

#include "objects/moves/following.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/follow.h>
#include <holdfast/cli/refused.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>

#include "objects/moves/move_view.h"

#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

int end(const MoveView& view, const MoveStyle& style) {
  const bool good = view.completed() || (style.cancel_is_good && view.phase == "Canceled");
  if (style.json)
    fmt::print("{}\n", json_line(view));
  else
    fmt::print(good ? stdout : stderr, "{}\n", harmless_line(end_text(view)));
  return good ? codes::kDone : codes::kFailed;
}

}  // namespace

int follow_move(Server& server, const std::string& name, const MoveStyle& style,
                const std::stop_token& stop) {
  const auto view = [&server](const model::Value& move) {
    return view_of(move, server.clock().now());
  };
  const auto look = [&](const model::Value& move) {
    const MoveView seen = view(move);
    return Look{.over = seen.ended(),
                .noticed = seen.phase != "New",
                .stage = fmt::format("{} {}", seen.phase, seen.attempt),
                .text = style.json ? json_line(seen) : progress_text(seen)};
  };
  const auto followed = follow(server,
                               {.resource = kube::resource_of<protect::DataMove>(),
                                .name = name,
                                .look = look,
                                .telling = style.json ? Telling::Output : Telling::Lines,
                                .every = 500ms},
                               stop);
  if (!followed)
    return say_refused(server, kube::resource_of<protect::DataMove>(), followed.error());
  if (followed->why == Followed::Why::Stopped) return codes::kInterrupted;
  return end(view(followed->object), style);
}

std::string goes_on(const std::string& name) {
  return fmt::format(
      "the move goes on; holdfast move watch {} shows it again, holdfast move cancel {} ends it",
      name, name);
}

}  // namespace holdfast::cli

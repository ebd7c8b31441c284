#include "objects/moves/following.h"

#include <holdfast/base/sleep.h>
#include <holdfast/kube/typed.h>
#include <holdfast/protect/data_move.h>

#include "repo/print/status_line.h"
#include "repo/print/words.h"

#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kLook = 500ms;
constexpr MonoTime kPlainEvery = 10s;
/// A server that is being restarted is waited for so long.
constexpr MonoTime kPatience = 5min;
/// A move that nobody has looked at by then waits for an operator that is not there.
constexpr MonoTime kUnnoticed = 15s;
constexpr int kInterrupted = 130;

class Follower {
 public:
  Follower(Server& server, const std::string& name, const Following& style)
      : server_(server), name_(name), style_(style), began_(server.clock().mono()) {}

  int run(const std::stop_token& stop) {
    const Sleep pause = holdfast::sleep_until_stopped();
    MonoTime answered = server_.clock().mono();
    while (!stop.stop_requested()) {
      const auto move =
          server_.client().get(kube::resource_of<protect::DataMove>(), server_.ns(), name_);
      const MonoTime now = server_.clock().mono();
      if (move) {
        answered = now;
        const MoveView view = view_of(*move, server_.clock().now());
        if (view.ended()) return end(view);
        show(view);
      } else if (!move.error().error.transient() || now - answered > kPatience) {
        line_.clear();
        fmt::print(stderr, "{}\n", server_words(move.error()));
        return 1;
      }
      pause(kLook, stop);
    }
    line_.clear();
    return kInterrupted;
  }

 private:
  void show(const MoveView& view) {
    const MonoTime now = server_.clock().mono();
    const bool unnoticed = view.phase == "New" && now - began_ > kUnnoticed;
    std::string text = style_.json ? json_line(view) : progress_text(view);
    if (unnoticed && !style_.json) text += ": nobody has taken it up; does the operator run?";
    const std::string stage = fmt::format("{} {} {}", view.phase, view.attempt, unnoticed);
    const bool news = stage != stage_;
    stage_ = stage;
    if (style_.json) {
      if (text == said_) return;
      fmt::print("{}\n", text);
      std::fflush(stdout);
    } else if (line_.terminal() || news || (text != said_ && now - last_ > kPlainEvery)) {
      const auto time = std::chrono::duration_cast<std::chrono::seconds>(now - began_);
      line_.show(fmt::format("[{}] {}", clock_text(time), text));
      last_ = now;
    }
    said_ = text;
  }

  int end(const MoveView& view) {
    line_.clear();
    const bool good = view.completed() || (style_.cancel_is_good && view.phase == "Canceled");
    if (style_.json)
      fmt::print("{}\n", json_line(view));
    else
      fmt::print(good ? stdout : stderr, "{}\n", end_text(view));
    return good ? 0 : 1;
  }

  Server& server_;
  const std::string& name_;
  const Following style_;
  const MonoTime began_;
  StatusLine line_{};
  MonoTime last_{};
  std::string said_, stage_;
};

}  // namespace

int follow_move(Server& server, const std::string& name, const Following& style,
                const std::stop_token& stop) {
  return Follower(server, name, style).run(stop);
}

std::string goes_on(const std::string& name) {
  return fmt::format(
      "the move goes on; holdfast move watch {} shows it again, holdfast move cancel {} ends it",
      name, name);
}

}  // namespace holdfast::cli

#include <holdfast/base/sleep.h>
#include <holdfast/cli/follow.h>
#include <holdfast/cli/sheet.h>
#include <holdfast/cli/words.h>
#include <holdfast/control/reconciler.h>

#include "repo/print/status_line.h"

#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using model::Value;

constexpr MonoTime kPlainEvery = 10s;
/// What no controller has looked at by then waits for an operator that is not there.
constexpr MonoTime kUnnoticed = 15s;
constexpr auto kTryEvery = 200ms;

class Follower {
 public:
  Follower(Server& server, const Following& following)
      : server_(server), following_(following), began_(server.clock().mono()) {}

  kube::Reply<Followed> run(const std::stop_token& stop) {
    const Sleep pause = holdfast::sleep_until_stopped();
    MonoTime answered = began_;
    Followed out;
    for (; !stop.stop_requested(); pause(following_.every, stop)) {
      auto found = server_.client().get(following_.resource, server_.ns(), following_.name);
      const MonoTime now = server_.clock().mono();
      if (found) {
        answered = now;
        out.object = found.take();
        const Look look = following_.look(out.object);
        if (look.over) return out;
        tell(look, out.object);
      } else if (!found.error().error.transient() || now - answered > following_.patience) {
        return found.take_error();
      }
      if (following_.limit && now - began_ >= *following_.limit) {
        out.why = Followed::Why::TimeUp;
        return out;
      }
    }
    out.why = Followed::Why::Stopped;
    return out;
  }

 private:
  void tell(const Look& look, const Value& object) {
    switch (following_.telling) {
      case Telling::Nothing:
        return;
      case Telling::Output:
        if (look.text == said_) return;
        said_ = look.text;
        fmt::print("{}\n", said_);
        std::fflush(stdout);
        return;
      case Telling::Terminal:
        if (!line_.terminal()) return;
        break;
      case Telling::Lines:
        break;
    }
    show(look, object);
  }

  void show(const Look& look, const Value& object) {
    const MonoTime now = server_.clock().mono();
    const std::string refused = refusal_text(object);
    const bool unnoticed = !look.noticed && refused.empty() && now - began_ > kUnnoticed;
    const bool news = stage_ != look.stage || unnoticed != unnoticed_ || refused != refused_;
    if (!news && !line_.terminal() && now - last_ <= kPlainEvery) return;
    stage_ = look.stage;
    unnoticed_ = unnoticed;
    refused_ = refused;
    last_ = now;
    std::string text = look.text;
    if (!refused.empty() && text.find(refused) == std::string::npos) text += ": " + refused;
    if (unnoticed) text += ": no controller has started on it; does the operator run?";
    if (following_.detail)
      if (const std::string detail = following_.detail(object); !detail.empty())
        text += "  " + detail;
    if (!news && !line_.terminal() && text == said_) return;
    said_ = text;
    const auto time = std::chrono::duration_cast<std::chrono::seconds>(now - began_);
    line_.show(fmt::format("[{}] {}", clock_text(time), text));
  }

  Server& server_;
  const Following& following_;
  const MonoTime began_;
  StatusLine line_{};
  MonoTime last_{};
  std::optional<std::string> stage_;
  std::string said_, refused_;
  bool unnoticed_ = false;
};

}  // namespace

std::string refusal_text(const Value& object) {
  using model::string_at;
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    if (string_at(each, {"type"}) == control::kRefused && string_at(each, {"status"}) == "True")
      return harmless(fmt::format("refused: {}", string_at(each, {"message"})));
  return "";
}

kube::Reply<Followed> follow(Server& server, const Following& following,
                             const std::stop_token& stop) {
  return Follower(server, following).run(stop);
}

Result<bool> wait_until(Server& server, const std::function<std::string()>& late,
                        const std::stop_token& stop, const std::function<Result<bool>()>& done) {
  const Sleep pause = holdfast::sleep_until_stopped();
  const MonoTime began = server.clock().mono();
  StatusLine line;
  bool said = false;
  for (; !stop.stop_requested(); pause(kTryEvery, stop)) {
    if (HF_TRY(done())) return true;
    if (said || server.clock().mono() - began <= kUnnoticed) continue;
    line.show(late());
    said = true;
  }
  return false;
}

}  // namespace holdfast::cli

/// Follows an object to its end: one line on a terminal that is written over, lines where there is
/// none.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/cli/server.h>
#include <holdfast/kube/client.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

namespace holdfast::cli {

/// What an object says at one look.
struct Look {
  bool over = false;
  bool noticed = true;  ///< a controller has taken it up
  std::string stage{};  ///< a change of it is told at once
  std::string text{};   ///< the line
};

enum class Telling {
  Lines,     ///< on standard error
  Terminal,  ///< the same, if that is a terminal
  Output,    ///< each new text on standard output, for programs
  Nothing,
};

/// What the server refuses of it, by its condition Refused; "" if nothing. Said behind every line
/// that is told of the object.
std::string refusal_text(const model::Value& object);

struct Following {
  const kube::Resource& resource;
  std::string name{};
  std::function<Look(const model::Value& object)> look{};
  /// Told behind the line, and asked for only when one is due: it may cost a request. May be empty.
  std::function<std::string(const model::Value& object)> detail{};
  Telling telling = Telling::Lines;
  /// A server that is being restarted is waited for so long.
  std::chrono::seconds patience = std::chrono::minutes(5);
  std::optional<std::chrono::seconds> limit{};  ///< of the whole
  std::chrono::milliseconds every{250};
};

struct Followed {
  enum class Why { Over, Stopped, TimeUp };
  Why why = Why::Over;
  model::Value object{};  ///< as it was last seen; null if it never was
};

/// Looks at the object until it is over, the time is up or it is told to stop. Fails with what the
/// server refuses: an object that is deleted meanwhile is not found.
kube::Reply<Followed> follow(Server& server, const Following& following,
                             const std::stop_token& stop);

/// Tries until `done` says so; what `late` gives is said once if that takes long. False: told to
/// stop.
Result<bool> wait_until(Server& server, const std::function<std::string()>& late,
                        const std::stop_token& stop, const std::function<Result<bool>()>& done);

}  // namespace holdfast::cli

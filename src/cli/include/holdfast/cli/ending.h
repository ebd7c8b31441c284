/// Ends of commands: exit codes, errors with hints, plans that need --yes.
#pragma once

#include <holdfast/base/result.h>
#include <holdfast/kube/client.h>
#include <holdfast/model/json.h>

#include <string>
#include <string_view>

namespace holdfast::cli {

/// Exit codes of commands that follow objects; each command's help names those that it has.
namespace codes {
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;  ///< what was typed is wrong, or --yes is missing
inline constexpr int kPartly = 3;
inline constexpr int kNotFound = 10;
inline constexpr int kDenied = 12;
inline constexpr int kInterrupted = 130;  ///< told to stop watching: what was begun goes on
}  // namespace codes

/// Says an error and its hint on standard error: 1.
int fail(const Error& error);
/// The same: 2 what was typed is wrong, 10 not found, 12 denied, 1 otherwise.
int end_with(const Error& error);
/// Says what the server refused, in kubectl's words: 1.
int say(const kube::Failure& failure);

/// What the server refused, in kubectl's words: "Error from server (NotFound): pods "a" not found".
std::string server_words(const kube::Failure& failure);
/// What the server refused, as an error about `doing`.
Error error_of(const kube::Failure& failure, std::string_view doing);

/// How something that was followed ended.
struct Ending {
  int code = codes::kDone;
  std::string said{};
  std::string next{};  ///< what to do about it, or the next command
};
/// Says it: on standard output, or as an error; `next` on standard error. With `json` the object
/// itself takes the place of what is said on standard output. The exit code.
int tell(const Ending& ending, const model::Value* json);

/// Shows what a command that takes something away would do; true if it is to be done.
bool agreed(const std::string& plan, bool yes);

}  // namespace holdfast::cli

#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/object_text.h>

#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {

using model::string_at;

int fail(const Error& error) {
  fmt::print(stderr, "error: {}\n", harmless(error.what()));
  if (!error.hint().empty()) fmt::print(stderr, "  {}\n", harmless(error.hint()));
  return codes::kFailed;
}

int end_with(const Error& error) {
  fail(error);
  switch (error.fault()) {
    case Fault::Invalid:
      return codes::kUsage;
    case Fault::NotFound:
      return codes::kNotFound;
    case Fault::Denied:
      return codes::kDenied;
    default:
      return codes::kFailed;
  }
}

int say(const kube::Failure& failure) {
  fmt::print(stderr, "{}\n", harmless(server_words(failure)));
  return codes::kFailed;
}

std::string server_words(const kube::Failure& failure) {
  const std::string_view message = string_at(failure.status, {"message"});
  if (failure.code == 0)
    return fmt::format("Unable to connect to the server: {}", failure.error.what());
  if (failure.code == 401)
    return fmt::format("error: You must be logged in to the server ({})", message);
  if (message.empty()) return fmt::format("Error from server: {}", failure.error.what());
  if (failure.reason.empty()) return fmt::format("Error from server: {}", message);
  return fmt::format("Error from server ({}): {}", failure.reason, message);
}

Error error_of(const kube::Failure& failure, std::string_view doing) {
  const std::string_view said = string_at(failure.status, {"message"});
  return Error(failure.error.fault(), std::string(said.empty() ? failure.error.what() : said))
      .with_context(doing);
}

int tell(const Ending& ending, const model::Value* json) {
  const bool failed = ending.code == codes::kFailed;
  if (json != nullptr) fmt::print("{}", object_text(shown_object(*json), OutputForm::Json));
  if (!failed && json == nullptr) fmt::print("{}\n", harmless(ending.said));
  if (failed) fmt::print(stderr, "error: {}\n", harmless(ending.said));
  if (!ending.next.empty()) fmt::print(stderr, "  {}\n", harmless(ending.next));
  return ending.code;
}

bool agreed(const std::string& plan, bool yes) {
  fmt::print(stderr, "{}", harmless(plan));
  if (!yes) fmt::print(stderr, "nothing was done; with --yes it is\n");
  return yes;
}

}  // namespace holdfast::cli

#include "objects/locations/waiting.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/follow.h>

#include <fmt/format.h>

#include <cstdio>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using model::string_at;
using model::Value;

std::string conditions_text(const Value& object) {
  std::vector<std::string> known;
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    known.push_back(fmt::format("{}={} ({}: {})", string_at(each, {"type"}),
                                string_at(each, {"status"}), string_at(each, {"reason"}),
                                string_at(each, {"message"})));
  return known.empty() ? "no controller has looked at it: does the operator run?"
                       : join(known, "; ");
}

}  // namespace

std::optional<Judgement> judge_location(const Value& location) {
  const int64_t generation = model::int_at(location, {"metadata", "generation"}, 0);
  for (const Value& each : model::array_at(location, {"status", "conditions"})) {
    if (string_at(each, {"type"}) != "Available" ||
        model::int_at(each, {"observedGeneration"}, 0) < generation)
      continue;
    const std::string_view status = string_at(each, {"status"});
    const std::string why =
        fmt::format("{}: {}", string_at(each, {"reason"}), string_at(each, {"message"}));
    if (status == "True") return Judgement{Verdict::Good, "Available"};
    if (status == "False") return Judgement{Verdict::Bad, "Unavailable: " + why};
    // Only a mover can tell: nothing more will be known by waiting.
    return Judgement{Verdict::Good, why};
  }
  return std::nullopt;
}

kube::Reply<Judgement> wait_for(Server& server, const kube::Resource& resource,
                                const std::string& name, std::chrono::seconds limit,
                                const Judge& judge) {
  std::optional<Judgement> judged;
  const auto look = [&](const Value& object) {
    judged = judge(object);
    return Look{.over = judged.has_value()};
  };
  const Followed followed = HF_TRY(follow(server,
                                          {.resource = resource,
                                           .name = name,
                                           .look = look,
                                           .telling = Telling::Nothing,
                                           .patience = 0s,
                                           .limit = limit,
                                           .every = 300ms},
                                          {}));
  if (judged) return *std::move(judged);
  return Judgement{Verdict::Unknown, fmt::format("not known after {} s: {}", limit.count(),
                                                 conditions_text(followed.object))};
}

int tell(const std::string& name, const Judgement& judged) {
  fmt::print(judged.verdict == Verdict::Good ? stdout : stderr, "{}: {}\n", name,
             harmless_line(judged.said));
  return int(judged.verdict);
}

}  // namespace holdfast::cli

#include "objects/locations/waiting.h"

#include <holdfast/base/sleep.h>
#include <holdfast/base/text.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using model::string_at;
using model::Value;

constexpr auto kLook = 300ms;

std::string conditions_text(const Value& object) {
  std::vector<std::string> known;
  for (const Value& each : model::array_at(object, {"status", "conditions"}))
    known.push_back(fmt::format("{}={} ({}: {})", string_at(each, {"type"}),
                                string_at(each, {"status"}), string_at(each, {"reason"}),
                                string_at(each, {"message"})));
  return known.empty() ? "nobody has looked at it: does the operator run?" : join(known, "; ");
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
  const Sleep pause = holdfast::sleep_until_stopped();
  const MonoTime end = server.clock().mono() + limit;
  for (;;) {
    const Value object = HF_TRY(server.client().get(resource, server.ns(), name));
    if (std::optional<Judgement> judged = judge(object)) return *std::move(judged);
    if (server.clock().mono() >= end)
      return Judgement{Verdict::Unknown, fmt::format("not known after {} s: {}", limit.count(),
                                                     conditions_text(object))};
    pause(kLook, {});
  }
}

}  // namespace holdfast::cli

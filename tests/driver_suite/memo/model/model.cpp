// Memos in the simulation: pods that say something, and one document of each.
#include <holdfast/drivers/memo/memo.h>
#include <holdfast/kube/typed.h>
#include <holdfast/sim/model.h>

namespace holdfast::drivers::memo {
namespace {

constexpr std::string_view kSaid = "remember me";

class Saying final : public sim::Program {
  void act(sim::Inside& inside) override {
    inside.say(std::string(kSaid));
    inside.end(0);
  }
};

class Part final : public sim::DriverPart {
  std::unique_ptr<sim::Program> program(const sim::Command& command) override {
    if (command.words.back() != "say") return nullptr;
    return std::make_unique<Saying>();
  }
};

/// one-document: each Memo is kept once, and as it was said.
std::optional<std::string> one_document(const sim::History& history, const sim::Commit& commit) {
  const auto memo_of = [](const model::Value& move) {
    return model::string_at(move, {"metadata", "labels", kMemoLabel});
  };
  if (commit.kind != sim::Commit::Kind::Created || memo_of(*commit.object).empty()) return {};
  if (!model::string_at(*commit.object, {"spec", "document", "content"}).starts_with(kSaid))
    return commit.key.name + " keeps what was not said";
  for (const auto& [key, other] : history.now("datamoves"))
    if (key != commit.key && memo_of(*other) == memo_of(*commit.object))
      return commit.key.name + " keeps what " + key.name + " keeps";
  return std::nullopt;
}

}  // namespace

sim::DriverModel model() {
  return {.driver = driver(),
          .followed = {kube::resource_of<Memo>()},
          .invariants = {{"one-document", one_document}},
          .part = [](const sim::Sight&) { return std::make_unique<Part>(); }};
}

}  // namespace holdfast::drivers::memo

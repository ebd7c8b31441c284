#include <holdfast/control/outcome.h>

namespace holdfast::control {

namespace {

Outcome ended(Outcome::Kind kind, std::string reason, std::string message) {
  Outcome outcome;
  outcome.kind = kind;
  outcome.reason = std::move(reason);
  outcome.message = std::move(message);
  return outcome;
}

}  // namespace

Outcome Outcome::act(Write write) {
  Outcome outcome = ended(Kind::Act, "", "");
  outcome.effect = std::move(write);
  return outcome;
}

Outcome Outcome::act(Operation operation) {
  Outcome outcome = ended(Kind::Act, "", "");
  outcome.effect = std::move(operation);
  return outcome;
}

Outcome Outcome::ask(std::string name, int64_t attempt) {
  Operation operation;
  operation.name = std::move(name);
  operation.attempt = attempt;
  return act(std::move(operation));
}

Outcome Outcome::wait(std::chrono::milliseconds again, std::string reason, std::string message) {
  Outcome outcome = ended(Kind::Wait, std::move(reason), std::move(message));
  outcome.again = again;
  return outcome;
}

Outcome Outcome::done(std::string reason, std::string message) {
  return ended(Kind::Done, std::move(reason), std::move(message));
}

Outcome Outcome::stop(std::string reason, std::string message) {
  return ended(Kind::Stop, std::move(reason), std::move(message));
}

std::string_view Outcome::asked() const {
  return operation() == nullptr || operation()->run ? std::string_view() : operation()->name;
}

}  // namespace holdfast::control

/// Answers of a real API server (Kubernetes 1.34.4) to good and bad objects, replayed against our
/// rules. A line of testdata/recorded.jsonl is {name, group, kind, object, old?, status?, errors,
/// warnings?, result?}: `object` as decoded, `old` for an update, `status` for one of the status,
/// `result` what a create stores but for what admission adds.
#include "kinds/recorded.h"

#include "kinds/place.h"
#include "kinds/rules.h"

namespace holdfast::apiserver {
namespace {

using model::Value;

struct Answer {
  Value object;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

/// Without what follows the first line: the real server appends a diff of Go structs there.
std::vector<std::string> first_lines(const model::FieldErrors& errors) {
  std::vector<std::string> out;
  for (const model::FieldError& error : errors) {
    const std::string text = error.text();
    out.push_back(text.substr(0, text.find('\n')));
  }
  return out;
}

Answer ask(const Value& recorded_case) {
  const KindRules* rules = find_rules(model::string_at(recorded_case, {"group"}),
                                      model::string_at(recorded_case, {"kind"}));
  Answer answer{*model::find(recorded_case, {"object"}), {}, {}};
  model::FieldErrors errors;
  if (model::bool_at(recorded_case, {"status"}, false)) {
    rules->validate_status(answer.object, *model::find(recorded_case, {"old"}), errors);
    answer.errors = first_lines(errors);
    return answer;
  }
  if (rules->set_defaults != nullptr) rules->set_defaults(answer.object);
  if (const Value* old = model::find(recorded_case, {"old"})) {
    if (rules->prepare_update != nullptr) rules->prepare_update(answer.object, *old);
    rules->validate_update(answer.object, *old, errors);
  } else {
    if (rules->prepare_create != nullptr) rules->prepare_create(answer.object);
    rules->validate(answer.object, errors);
    if (rules->warn != nullptr) rules->warn(answer.object, answer.warnings);
  }
  answer.errors = first_lines(errors);
  return answer;
}

TEST(RecordedRules, ErrorsWarningsAndDefaultsAreTheRealServers) {
  const std::vector<Value> cases = recorded("kinds/testdata/recorded.jsonl");
  ASSERT_GT(cases.size(), 200U);

  for (const Value& each : cases) {
    const Answer answer = ask(each);

    const std::string_view name = model::string_at(each, {"name"});
    EXPECT_EQ(answer.errors, recorded_strings(each, "errors")) << name;
    if (model::find(each, {"old"}) == nullptr) {
      EXPECT_EQ(answer.warnings, recorded_strings(each, "warnings")) << name;
    }
    if (const Value* result = model::find(each, {"result"})) {
      EXPECT_TRUE(model::equal(answer.object, *result))
          << name << "\n  real: " << model::to_json(*result)
          << "\n  ours: " << model::to_json(answer.object);
    }
  }
}

}  // namespace
}  // namespace holdfast::apiserver

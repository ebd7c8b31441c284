/// Answers of a real API server (Kubernetes 1.34.4) to writes of the kinds without pods, replayed
/// against our rules. A line of testdata/writes.jsonl, written by testdata/record from
/// testdata/writes.yaml, is {name, object, old?, door?, warnings, errors?, result?}: `object` as
/// sent, `old` for an update, `door` "status" for one of the status.
#include <holdfast/model/kinds.h>
#include <holdfast/model/object.h>
#include <holdfast/model/typed.h>

#include "kinds/place.h"
#include "kinds/recorded.h"
#include "kinds/rules.h"

namespace holdfast::apiserver {
namespace {

using model::Value;

/// Sorted: Go walks maps in any order, and so do the errors of their members.
std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::sort(texts.begin(), texts.end());
  return texts;
}

/// What the server would make of the object on its way in or out.
void decode(Value& object, const model::Schema& schema) {
  EXPECT_TRUE(model::decode_typed(object, schema));
  model::erase(object, {"metadata", "creationTimestamp"});
  model::erase(object, {"metadata", "namespace"});
}

struct Answer {
  Value object;
  std::vector<std::string> errors;
  std::vector<std::string> warnings;
};

void update(const KindRules& rules, std::string_view door, Value& object, const Value& old,
            model::FieldErrors& errors) {
  if (door == "status") {
    if (rules.validate_status != nullptr) rules.validate_status(object, old, errors);
    return;
  }
  if (const Value* status = model::find(old, {"status"})) object.get_object()["status"] = *status;
  if (rules.prepare_update != nullptr) rules.prepare_update(object, old);
  if (rules.validate_update != nullptr)
    rules.validate_update(object, old, errors);
  else if (rules.validate != nullptr)
    rules.validate(object, errors);
}

void create(const KindRules& rules, Value& object, model::FieldErrors& errors) {
  if (rules.prepare_create != nullptr) rules.prepare_create(object);
  const std::string_view name = model::string_at(object, {"metadata", "name"});
  const auto rule = rules.name_rule != nullptr ? rules.name_rule : model::check_dns1123_subdomain;
  for (const std::string& complaint : rule(name))
    errors.push_back(model::invalid_field("metadata.name", Value(name), complaint));
  if (rules.validate != nullptr) rules.validate(object, errors);
}

Answer ask(const Value& recorded_case) {
  Answer answer{*model::find(recorded_case, {"object"}), {}, {}};
  const auto gvk = model::gvk_of(answer.object);
  const model::Schema& schema = *model::Kinds::builtin().schema(*gvk);
  const KindRules* rules = find_rules(gvk->group, gvk->kind);
  if (rules == nullptr) return answer;
  decode(answer.object, schema);
  // Namespaced objects of the record live in its namespace.
  if (gvk->kind == "Event")
    answer.object.get_object()["metadata"].get_object()["namespace"] = "rules-record";
  if (rules->set_defaults != nullptr) rules->set_defaults(answer.object);
  model::FieldErrors errors;
  if (const Value* old = model::find(recorded_case, {"old"})) {
    Value before = *old;
    decode(before, schema);
    update(*rules, model::string_at(recorded_case, {"door"}), answer.object, before, errors);
  } else {
    create(*rules, answer.object, errors);
  }
  if (errors.empty() && rules->warn != nullptr) rules->warn(answer.object, answer.warnings);
  for (const model::FieldError& error : errors) answer.errors.push_back(error.text());
  answer.errors = sorted(std::move(answer.errors));
  answer.warnings = sorted(std::move(answer.warnings));
  decode(answer.object, schema);
  return answer;
}

TEST(RecordedWrites, ErrorsWarningsAndDefaultsAreTheRealServers) {
  const std::vector<Value> cases = recorded("kinds/testdata/writes.jsonl");
  ASSERT_GT(cases.size(), 180U);

  for (const Value& each : cases) {
    const Answer answer = ask(each);

    const std::string_view name = model::string_at(each, {"name"});
    EXPECT_EQ(answer.errors, sorted(recorded_strings(each, "errors"))) << name;
    EXPECT_EQ(answer.warnings, sorted(recorded_strings(each, "warnings"))) << name;
    if (const Value* result = model::find(each, {"result"});
        result != nullptr && model::string_at(each, {"door"}).empty()) {
      Value real = *result;
      decode(real, *model::Kinds::builtin().schema(*model::gvk_of(real)));
      EXPECT_TRUE(model::equal(answer.object, real))
          << name << "\n  real: " << model::to_json(real)
          << "\n  ours: " << model::to_json(answer.object);
    }
  }
}

}  // namespace
}  // namespace holdfast::apiserver

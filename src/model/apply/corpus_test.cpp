// Holds apply_config and track_update to what a real API server did, request by request
// (testdata/recorded.json, written by testdata/record): the same owners with the same fields and
// times, the same objects, the same refusals.

#include <holdfast/model/apply.h>
#include <holdfast/model/kinds.h>
#include <holdfast/model/structural.h>
#include <holdfast/model/time.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace holdfast::model {
namespace {

const Value& corpus() {
  static const Value value = [] {
    const char* source = std::getenv("HOLDFAST_SOURCE_DIR");
    const std::string here = __FILE__;
    const std::string folder =
        source ? std::string(source) + "/src/model/apply" : here.substr(0, here.rfind('/'));
    std::ifstream file(folder + "/testdata/recorded.json");
    std::ostringstream text;
    text << file.rdbuf();
    auto parsed = parse_json(text.str());
    return parsed ? std::move(parsed->value) : Value();
  }();
  return value;
}

const Schema& schema_for(const Value& step) {
  static const StructuralSchema thing = [] {
    FieldErrors errors;
    StructuralSchema built = build_structural(*find(corpus(), {"thing_schema"}), "schema", errors);
    EXPECT_TRUE(errors.empty());
    return built;
  }();
  if (string_at(step, {"kind"}) == "Thing") return thing.root;
  const auto gvk = gvk_of(*find(step, {"sent"}));
  return *Kinds::builtin().schema(*gvk);
}

WallTime newest_time(const Value& object) {
  WallTime newest{};
  for (const Value& entry : array_at(object, {"metadata", "managedFields"}))
    if (const auto time = parse_rfc3339(string_at(entry, {"time"})))
      newest = std::max(newest, *time);
  return newest;
}

Writer writer_of(const Value& step) {
  return {.manager = std::string(string_at(step, {"manager"})),
          .api_version = std::string(string_at(step, {"apiVersion"})),
          .subresource = std::string(string_at(step, {"subresource"})),
          .now = newest_time(*find(step, {"answer"}))};
}

std::vector<std::string> ignored_of(const Value& step) {
  std::vector<std::string> out;
  for (const Value& path : array_at(step, {"ignored"})) out.emplace_back(view(path.get_string()));
  return out;
}

std::string name_of(const Value& step) {
  return std::string(string_at(step, {"scenario"})) + " step " +
         std::to_string(int_at(step, {"step"}, -1));
}

std::string owners_text(const Value& object) {
  std::string out;
  for (const Value& entry : array_at(object, {"metadata", "managedFields"})) {
    const Value* fields = find(entry, {"fieldsV1"});
    for (const auto* part : {"manager", "operation", "apiVersion", "subresource", "time"})
      out += std::string(string_at(entry, {part})) + " ";
    out += (fields ? to_json(*fields) : "-") + "\n";
  }
  return out;
}

// What the write itself decides: without what the server sets, and without what this request may
// not touch.
Value essence(Value object, const std::vector<std::string>& ignored) {
  for (const char* name :
       {"managedFields", "resourceVersion", "generation", "creationTimestamp", "uid"})
    erase(object, {"metadata", name});
  for (const std::string& path : ignored) erase(object, {path});
  if (object_at(object, {"metadata", "labels"}).empty()) erase(object, {"metadata", "labels"});
  if (object_at(object, {"metadata", "annotations"}).empty())
    erase(object, {"metadata", "annotations"});
  return object;
}

// All that `part` says stands in `whole`, list by list item.
bool contains(const Value& whole, const Value& part) {
  if (part.is_object() && whole.is_object()) {
    for (const auto& member : part.get_object()) {
      const Value* other = whole.get_object().if_contains(member.key());
      if (!other || !contains(*other, member.value())) return false;
    }
    return true;
  }
  if (part.is_array() && whole.is_array()) {
    const Array& a = whole.get_array();
    const Array& b = part.get_array();
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Value& x, const Value& y) { return contains(x, y); });
  }
  // Decoding turns a quantity into its shortest form; that is after apply.
  if (part == Value("1000m")) return whole == Value("1");
  return equal(whole, part);
}

// The object that the server went on with, as it came to the tracking: with the managedFields that
// the client sent.
Value untracked(const Value& step) {
  Value object = *find(step, {"answer"});
  erase(object, {"metadata", "managedFields"});
  const Value* sent = find(step, {"sent", "metadata", "managedFields"});
  const bool patched = string_at(step, {"how"}) != "post" && string_at(step, {"how"}) != "put";
  if (!sent && patched) sent = find(step, {"live", "metadata", "managedFields"});
  if (sent) ensure_object(object, {"metadata"}).insert_or_assign("managedFields", *sent);
  return object;
}

void expect_applied(const Value& step) {
  const Value& answer = *find(step, {"answer"});
  const bool created = find(step, {"live"})->is_null();
  const std::vector<std::string> ignored = ignored_of(step);

  auto result = apply_config(*find(step, {"live"}), *find(step, {"sent"}), schema_for(step),
                             writer_of(step), bool_at(step, {"force"}, false), ignored);

  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(owners_text(*result), owners_text(answer));
  if (created) return;  // what is new is mostly defaults
  const Value ours = essence(*result, ignored);
  const Value theirs = essence(answer, ignored);
  const bool no_defaults = string_at(step, {"kind"}) == "ConfigMap";
  const bool same = no_defaults ? equal(theirs, ours) : contains(theirs, ours);
  EXPECT_TRUE(same) << to_json(ours) << "\n" << to_json(theirs);
}

void expect_refused(const Value& step) {
  const Value& answer = *find(step, {"answer"});

  auto result = apply_config(*find(step, {"live"}), *find(step, {"sent"}), schema_for(step),
                             writer_of(step), bool_at(step, {"force"}, false), ignored_of(step));

  ASSERT_FALSE(result) << to_json(*result);
  EXPECT_EQ(to_json(to_value(result.error())), to_json(answer));
}

TEST(ApplyCorpus, AppliesLikeTheRealServer) {
  ASSERT_FALSE(array_at(corpus(), {"steps"}).empty());
  int applied = 0;
  for (const Value& step : array_at(corpus(), {"steps"})) {
    const int64_t code = int_at(step, {"code"}, 0);
    if (string_at(step, {"how"}) != "apply" || code == 422) continue;
    SCOPED_TRACE(name_of(step));
    if (code < 300) expect_applied(step);
    if (code >= 300) expect_refused(step);
    ++applied;
  }
  EXPECT_GE(applied, 30);
}

TEST(ApplyCorpus, TracksUpdatesLikeTheRealServer) {
  int tracked = 0;
  for (const Value& step : array_at(corpus(), {"steps"})) {
    if (string_at(step, {"how"}) == "apply" || int_at(step, {"code"}, 0) >= 300) continue;
    SCOPED_TRACE(name_of(step));
    Value object = untracked(step);

    track_update(*find(step, {"live"}), object, schema_for(step), writer_of(step),
                 ignored_of(step));

    EXPECT_EQ(owners_text(object), owners_text(*find(step, {"answer"})));
    ++tracked;
  }
  EXPECT_GE(tracked, 25);
}

}  // namespace
}  // namespace holdfast::model

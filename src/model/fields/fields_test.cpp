#include <holdfast/model/fields.h>

#include <array>

namespace holdfast::model {
namespace {

enum class Phase { Pending, Running };
constexpr auto words(Phase) {
  return std::array{std::pair{Phase::Pending, "Pending"}, std::pair{Phase::Running, "Running"}};
}

struct Target {
  std::string name;
  std::optional<int64_t> revision;
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the backup");
    v.optional("revision", revision, "revision; default: the newest");
  }
};

struct Rescue {
  static constexpr Kind kKind{"test.hold.fast", "v1", "Rescue"};

  struct Spec {
    std::string cluster;
    Target from;
    int32_t keep = 0;
    double ratio = 0;
    bool force = false;
    std::vector<Target> others;
    std::map<std::string, std::string> labels;
    Value extra;
    template <class V>
    void fields(V& v) {
      v.required("cluster", cluster, "cluster to create", {.max_length = 63});
      v.required("from", from, "backup to restore");
      v.defaulted("keep", keep, 3, "backups to keep", {.minimum = 1});
      v.defaulted("ratio", ratio, 0.5, "share");
      v.optional("force", force, "even if it exists");
      v.optional("others", others, "more backups");
      v.optional("labels", labels, "labels of what is made");
      v.optional("extra", extra, "anything");
    }
  } spec;

  struct Status {
    Phase phase = Phase::Pending;
    std::vector<Condition> conditions;
    template <class V>
    void fields(V& v) {
      v.required("phase", phase, "how far it is");
      v.optional("conditions", conditions, "what is true of it");
    }
  } status;
};

Value json(std::string_view text) {
  auto parsed = parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? parsed->value : Value();
}

const Definition kDefinition{.doc = "Brings a cluster back.",
                             .short_names = {"rsc"},
                             .categories = {"all"},
                             .columns = {{"Phase", "string", ".status.phase"}}};

TEST(Fields, ReadsWhatItWrote) {
  const Value object =
      json(R"({"apiVersion":"test.hold.fast/v1","kind":"Rescue","spec":{"cluster":"main",
    "from":{"name":"nightly","revision":7},"keep":5,"ratio":0.25,"force":true,"others":[{"name":"a"}],
    "labels":{"x":"y"},"extra":{"q":[1]}},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True",
    "reason":"Up","message":"it is up","lastTransitionTime":"2026-01-02T03:04:05Z"}]}})");

  auto decoded = decode_object<Rescue>(object);

  ASSERT_TRUE(decoded) << decoded.error().what();
  EXPECT_EQ(decoded->spec.from.revision, 7);
  EXPECT_EQ(decoded->status.phase, Phase::Running);
  EXPECT_EQ(decoded->status.conditions.at(0).reason, "Up");
  EXPECT_TRUE(equal(encode_object(*decoded), object)) << to_json(encode_object(*decoded));
}

TEST(Fields, DefaultsAndLeavesOutWhatIsAbsent) {
  auto decoded = decode_object<Rescue>(json(R"({"spec":{"cluster":"main","from":{"name":"n"}}})"));

  ASSERT_TRUE(decoded) << decoded.error().what();
  EXPECT_EQ(decoded->spec.keep, 3);
  EXPECT_FALSE(decoded->spec.from.revision);
  EXPECT_EQ(to_json(*find(encode_object(*decoded), {"spec"})),
            R"({"cluster":"main","from":{"name":"n"},"keep":3,"ratio":0.5,"force":false})");
}

std::string complaint(std::string_view text) {
  auto decoded = decode_object<Rescue>(json(text));
  return decoded ? "" : decoded.error().what();
}

TEST(Fields, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(complaint(R"({"spec":{"from":{"name":"n"}}})"), "spec.cluster: is required");
  EXPECT_EQ(complaint(R"({"spec":{"cluster":5}})"), "spec.cluster: must be a string, is 5");
  EXPECT_EQ(complaint(R"({"spec":{"cluster":"m","from":{"name":"n"},"keep":3000000000}})"),
            "spec.keep: must be an integer of 32 bits, is 3000000000");
  EXPECT_EQ(complaint(R"({"spec":{"cluster":"m","from":{"name":"n"},"others":[{"name":"a"},{}]}})"),
            "spec.others[1].name: is required");
  EXPECT_EQ(complaint(R"({"spec":{"cluster":"m","from":{"name":"n"}},"status":{"phase":"X"}})"),
            R"(status.phase: must be one of Pending, Running, is "X")");
}

TEST(Fields, DescribesAStructuralSchema) {
  const Value manifest = definition_manifest<Rescue>(kDefinition);
  const Value& schema =
      *find(array_at(manifest, {"spec", "versions"}).at(0), {"schema", "openAPIV3Schema"});
  FieldErrors errors;

  const StructuralSchema built = build_structural(schema, "schema", errors);

  for (const FieldError& error : errors) ADD_FAILURE() << error.text();
  EXPECT_EQ(
      to_json(*find(schema, {"properties", "spec", "properties", "keep"})),
      R"({"description":"backups to keep","type":"integer","format":"int32","minimum":1,"default":3})");
  EXPECT_EQ(to_json(*find(schema, {"properties", "status", "properties", "phase", "enum"})),
            R"(["Pending","Running"])");
  Value object =
      json(R"({"metadata":{"name":"x"},"spec":{"cluster":"m","from":{"name":"n"},"keep":0}})");
  set_defaults(object, built.root);
  const FieldErrors found = validate(object, built.root);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text(),
            "spec.keep: Invalid value: 0: spec.keep in body should be greater than or equal to 1");
}

TEST(Fields, MakesAWholeDefinition) {
  const Value manifest = definition_manifest<Rescue>(kDefinition);

  EXPECT_EQ(string_at(manifest, {"metadata", "name"}), "rescues.test.hold.fast");
  EXPECT_EQ(
      to_json(*find(manifest, {"spec", "names"})),
      R"({"plural":"rescues","singular":"rescue","kind":"Rescue","listKind":"RescueList","shortNames":["rsc"],"categories":["all"]})");
  const Value& version = array_at(manifest, {"spec", "versions"}).at(0);
  EXPECT_EQ(to_json(*find(version, {"subresources"})), R"({"status":{}})");
  EXPECT_EQ(to_json(*find(version, {"additionalPrinterColumns"})),
            R"([{"name":"Phase","type":"string","jsonPath":".status.phase"}])");
}

struct Voyage {
  static constexpr Kind kKind{"test.hold.fast", "v1", "Voyage"};
  struct Asked {
    static constexpr FieldLimits kFixed{.immutable = true};
    std::string from, to, ns;
    bool fast = false;
    template <class V>
    void fields(V& v) {
      v.required("from", from, "where it begins", kFixed);
      v.defaulted("fast", fast, false, "without a stop", kFixed);
      v.optional("to", to, "where it ends", kFixed);
      v.optional("namespace", ns, "whose it is", {.max_length = 63});
    }
  };
  struct Spec : Asked {
    bool cancel = false;
    template <class V>
    void fields(V& v) {
      Asked::fields(v);
      v.defaulted("cancel", cancel, false, "ends it");
    }
  } spec;
  struct Status {
    std::optional<Asked> asked;
    template <class V>
    void fields(V& v) {
      v.optional("asked", asked, "what was wanted at the start");
    }
  } status;
};

TEST(Fields, SaysOfTheSpecWhatDoesNotChange) {
  const Value schema = open_api_schema<Voyage>();
  const auto rules = [&](std::initializer_list<std::string_view> at) {
    const Value* const node = find(schema, at);
    return node ? to_json(array_at(*node, {"x-kubernetes-validations"})) : "not there";
  };

  EXPECT_EQ(
      rules({"properties", "spec", "properties", "from"}),
      R"([{"rule":"self == oldSelf","message":"from cannot be changed: create a new object"}])");
  EXPECT_EQ(
      rules({"properties", "spec", "properties", "fast"}),
      R"([{"rule":"self == oldSelf","message":"fast cannot be changed: create a new object"}])");
  EXPECT_EQ(
      rules({"properties", "spec"}),
      R"~([{"rule":"has(self.to) == has(oldSelf.to) \u0026\u0026 (!has(self.to) || self.to == oldSelf.to)",)~"
      R"~("message":"to cannot be changed: create a new object","fieldPath":".to"}])~");
  EXPECT_EQ(to_json(schema).find("validations", to_json(schema).find("\"status\"")),
            std::string::npos)
      << "a status is the controller's own";
}

TEST(Fields, WhatDoesNotChangeIsEnforced) {
  FieldErrors errors;
  const StructuralSchema built = build_structural(open_api_schema<Voyage>(), "schema", errors);
  const Value old = json(R"({"spec":{"from":"Kiel","fast":false,"cancel":false}})");
  check_rules(json(R"({"spec":{"from":"Bremen","fast":true,"to":"Oslo","cancel":true}})"), &old,
              built.root, errors);

  EXPECT_TRUE(built.unenforced.empty());
  std::vector<std::string> fields;
  for (const FieldError& error : errors) fields.push_back(error.field);
  EXPECT_EQ(fields, (std::vector<std::string>{"spec.to", "spec.from", "spec.fast"}));
}

TEST(Fields, WritesAReferencePage) {
  const std::string page = reference_page<Rescue>(kDefinition);

  EXPECT_NE(page.find("# Rescue\n\n`test.hold.fast/v1`, in a namespace\n\nBrings a cluster back."),
            page.npos);
  EXPECT_NE(page.find("| `spec.keep` | integer | default `3` | backups to keep |\n"), page.npos);
  EXPECT_NE(page.find("| `spec.others[].name` | string | required | name of the backup |\n"),
            page.npos)
      << page;
  EXPECT_NE(page.find("| `status.phase` | Pending \\| Running |"), page.npos);
  const std::string voyage = reference_page<Voyage>(kDefinition);
  EXPECT_NE(voyage.find("| `spec.from` | string | required, immutable |"), page.npos) << voyage;
  EXPECT_NE(voyage.find("| `spec.to` | string | immutable |"), page.npos) << voyage;
}

}  // namespace
}  // namespace holdfast::model

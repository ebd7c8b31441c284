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

TEST(Fields, WritesAReferencePage) {
  const std::string page = reference_page<Rescue>(kDefinition);

  EXPECT_NE(page.find("# Rescue\n\n`test.hold.fast/v1`, in a namespace\n\nBrings a cluster back."),
            page.npos);
  EXPECT_NE(page.find("| `spec.keep` | integer | default `3` | backups to keep |\n"), page.npos);
  EXPECT_NE(page.find("| `spec.others[].name` | string | required | name of the backup |\n"),
            page.npos)
      << page;
  EXPECT_NE(page.find("| `status.phase` | Pending \\| Running |"), page.npos);
}

}  // namespace
}  // namespace holdfast::model

// Verbs of the client.
#include <holdfast/kube/typed.h>

#include "suite.h"

namespace holdfast::runtime {
namespace {

using kube::kConfigMaps;
using kube::PatchType;
using kube::Reply;

using Verbs = Case;

TEST_F(Verbs, CreateGetUpdateRemove) {
  const Reply<Value> made = make_map("a");
  ASSERT_TRUE(made) << made.error().error.what();
  EXPECT_EQ(text_at(*made, {"metadata", "namespace"}), ns_);

  Value changed = *client_.get(kConfigMaps, ns_, "a");
  model::ensure_object(changed, {"data"})["a"] = "2";
  const Reply<Value> updated = client_.update(kConfigMaps, changed);
  ASSERT_TRUE(updated) << updated.error().error.what();
  EXPECT_EQ(text_at(*updated, {"data", "a"}), "2");
  EXPECT_NE(text_at(*updated, {"metadata", "resourceVersion"}),
            text_at(*made, {"metadata", "resourceVersion"}));

  ASSERT_TRUE(client_.remove(kConfigMaps, ns_, "a"));
  EXPECT_EQ(outcome(client_.get(kConfigMaps, ns_, "a")), "404 NotFound");
}

TEST_F(Verbs, EveryKindOfPatch) {
  ASSERT_TRUE(make_map("a", "{a: '1', b: '2'}"));

  const Reply<Value> merged =
      client_.patch(kConfigMaps, ns_, "a", PatchType::Merge, yaml("{data: {a: null, c: '3'}}"));
  ASSERT_TRUE(merged) << merged.error().error.what();
  EXPECT_EQ(model::to_json(merged->at("data")), R"({"b":"2","c":"3"})");

  const Reply<Value> json =
      client_.patch(kConfigMaps, ns_, "a", PatchType::Json,
                    yaml("[{op: test, path: /data/b, value: '2'}, {op: remove, path: /data/b}]"));
  ASSERT_TRUE(json) << json.error().error.what();
  EXPECT_EQ(model::to_json(json->at("data")), R"({"c":"3"})");

  const Reply<Value> strategic = client_.patch(kConfigMaps, ns_, "a", PatchType::Strategic,
                                               yaml("{metadata: {finalizers: ['x.example/a']}}"));
  ASSERT_TRUE(strategic) << strategic.error().error.what();
  ASSERT_TRUE(client_.patch(kConfigMaps, ns_, "a", PatchType::Strategic,
                            yaml("{metadata: {finalizers: ['x.example/b']}}")));
  const Value both = *client_.get(kConfigMaps, ns_, "a");
  EXPECT_EQ(model::array_at(both, {"metadata", "finalizers"}).size(), 2u);
  ASSERT_TRUE(client_.patch(kConfigMaps, ns_, "a", PatchType::Merge,
                            yaml("{metadata: {finalizers: null}}")));
}

TEST_F(Verbs, ApplyOwnsItsFields) {
  const Value mine = config_map("a", "{a: mine}");
  ASSERT_TRUE(client_.apply(kConfigMaps, mine));
  const Value theirs = config_map("a", "{a: theirs}");

  const Reply<Value> refused =
      client_.apply(kConfigMaps, theirs, false, {.field_manager = "somebody"});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().conflict());
  const model::Array& causes = model::array_at(refused.error().status, {"details", "causes"});
  ASSERT_EQ(causes.size(), 1u);
  EXPECT_EQ(text_at(causes[0], {"field"}), ".data.a");

  const Reply<Value> forced =
      client_.apply(kConfigMaps, theirs, true, {.field_manager = "somebody"});
  ASSERT_TRUE(forced) << forced.error().error.what();
  EXPECT_EQ(text_at(*forced, {"data", "a"}), "theirs");
}

TEST_F(Verbs, StatusIsWrittenOnItsOwn) {
  ASSERT_TRUE(client_.create(
      kube::kClaims, ns_,
      yaml("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: "
           "{accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}")));

  const Reply<Value> patched = client_.patch(
      kube::kClaims, ns_, "c", PatchType::Merge,
      yaml("{status: {phase: Lost}, metadata: {labels: {tier: db}}}"), {.subresource = "status"});

  ASSERT_TRUE(patched) << patched.error().error.what();
  const Value now = *client_.get(kube::kClaims, ns_, "c");
  EXPECT_EQ(text_at(now, {"status", "phase"}), "Lost");
}

TEST_F(Verbs, DryRunChangesNothing) {
  EXPECT_TRUE(client_.create(kConfigMaps, ns_, config_map("dry"), {.dry_run = true}));
  EXPECT_EQ(outcome(client_.get(kConfigMaps, ns_, "dry")), "404 NotFound");
  ASSERT_TRUE(make_map("a"));
  EXPECT_TRUE(client_.remove(kConfigMaps, ns_, "a", {.dry_run = true}));
  EXPECT_TRUE(client_.patch(kConfigMaps, ns_, "a", PatchType::Merge, yaml("{data: {a: '9'}}"),
                            {.dry_run = true}));
  EXPECT_EQ(text_at(*client_.get(kConfigMaps, ns_, "a"), {"data", "a"}), "1");
}

TEST_F(Verbs, ValidationIsAsStrictAsAsked) {
  Value odd = config_map("a");
  odd.as_object()["bogus"] = 1;

  EXPECT_EQ(outcome(client_.create(kConfigMaps, ns_, odd, {.field_validation = "Strict"})),
            "400 BadRequest");
  EXPECT_EQ(outcome(client_.create(kConfigMaps, ns_, odd, {.field_validation = "Ignore"})), "done");
}

TEST_F(Verbs, ListGoesThroughAllPages) {
  for (int i = 0; i < 7; ++i) {
    Value map = config_map("m" + std::to_string(i));
    model::ensure_object(map, {"metadata", "labels"})["odd"] = i % 2 == 1 ? "yes" : "no";
    ASSERT_TRUE(client_.create(kConfigMaps, ns_, map));
  }
  std::string names, kinds;
  const auto each = [&](const Value& item) {
    const std::string name = text_at(item, {"metadata", "name"});
    if (name.starts_with("m")) names += name + " ";
    kinds = text_at(item, {"apiVersion"}) + " " + text_at(item, {"kind"});
    return true;
  };

  const Reply<std::string> version = client_.list(kConfigMaps, ns_, {.limit = 3}, each);
  ASSERT_TRUE(version) << version.error().error.what();
  EXPECT_EQ(names, "m0 m1 m2 m3 m4 m5 m6 ");
  EXPECT_EQ(kinds, "v1 ConfigMap");
  EXPECT_FALSE(version->empty());

  names.clear();
  ASSERT_TRUE(client_.list(kConfigMaps, ns_, {.label_selector = "odd=yes", .limit = 2}, each));
  EXPECT_EQ(names, "m1 m3 m5 ");
  names.clear();
  ASSERT_TRUE(client_.list(kConfigMaps, "", {.field_selector = "metadata.namespace=" + ns_}, each));
  EXPECT_EQ(names, "m0 m1 m2 m3 m4 m5 m6 ");
}

TEST_F(Verbs, MetadataAloneCanBeListed) {
  ASSERT_TRUE(make_map("a"));
  std::string seen;

  const Reply<std::string> version =
      client_.list(kConfigMaps, ns_, {.metadata_only = true}, [&](const Value& item) {
        if (text_at(item, {"metadata", "name"}) == "a") seen = model::to_json(item);
        return true;
      });

  ASSERT_TRUE(version) << version.error().error.what();
  EXPECT_NE(seen, "");
  EXPECT_EQ(seen.find("\"data\""), std::string::npos) << seen;
}

TEST_F(Verbs, CollectionIsRemovedBySelector) {
  for (const char* name : {"a", "b", "c"}) {
    Value map = config_map(name);
    model::ensure_object(map, {"metadata", "labels"})["go"] = *name == 'b' ? "no" : "yes";
    ASSERT_TRUE(client_.create(kConfigMaps, ns_, map));
  }

  ASSERT_TRUE(client_.remove_collection(kConfigMaps, ns_, {.label_selector = "go=yes"}));

  EXPECT_EQ(outcome(client_.get(kConfigMaps, ns_, "a")), "404 NotFound");
  EXPECT_EQ(outcome(client_.get(kConfigMaps, ns_, "b")), "done");
}

TEST_F(Verbs, BigObjectsComeAndGo) {
  const std::string big(900 * 1024, 'x');
  for (const char* name : {"a", "b", "c"}) {
    Value map = config_map(name);
    model::ensure_object(map, {"data"})["big"] = big;
    const Reply<Value> made = client_.create(kConfigMaps, ns_, map);
    ASSERT_TRUE(made) << made.error().error.what();
  }
  size_t bytes = 0;

  ASSERT_TRUE(client_.list(kConfigMaps, ns_, {}, [&](const Value& item) {
    bytes += text_at(item, {"data", "big"}).size();
    return true;
  }));

  EXPECT_EQ(bytes, 3 * big.size());
  Value map = config_map("d");
  model::ensure_object(map, {"data"})["big"] = std::string(4 << 20, 'x');
  const Reply<Value> refused = client_.create(kConfigMaps, ns_, map);
  ASSERT_FALSE(refused);
  // The connection refuses the body; without one, the kind's own bound does.
  EXPECT_TRUE(refused.error().code == 413 || refused.error().code == 422) << outcome(refused);
  EXPECT_EQ(refused.error().error.fault(), Fault::Invalid);
}

/// A kind of our own, its fields said in C++.
struct Widget {
  static constexpr model::Kind kKind{"runtime.suite.example", "v1", "Widget"};
  struct Spec {
    std::string color;
    int64_t size = 0;
    template <class V>
    void fields(V& v) {
      v.required("color", color, "what it looks like");
      v.defaulted("size", size, 3, "how big it is");
    }
  } spec;
  struct Status {
    std::string phase;
    template <class V>
    void fields(V& v) {
      v.optional("phase", phase, "where it stands");
    }
  } status;
};

TEST_F(Verbs, TypedApplyWritesSpecAndStatusApart) {
  const Reply<Value> defined = client_.apply(
      kube::kDefinitions, model::definition_manifest<Widget>({.doc = "for the suite"}), true);
  ASSERT_TRUE(defined) << defined.error().error.what();
  ASSERT_TRUE(await([&] {
    return bool(
        client_.list(kube::resource_of<Widget>(), ns_, {}, [](const Value&) { return true; }));
  }));
  Widget widget;
  widget.spec.color = "red";
  widget.spec.size = 5;
  widget.status.phase = "New";

  Reply<Value> made = kube::apply(client_, widget, {.ns = ns_, .name = "w"});
  ASSERT_TRUE(made) << made.error().error.what();
  EXPECT_EQ(text_at(*made, {"status", "phase"}), "");
  made = kube::apply(client_, widget, {.ns = ns_, .name = "w"}, true, {.subresource = "status"});
  ASSERT_TRUE(made) << made.error().error.what();

  const Reply<Widget> read = kube::get<Widget>(client_, ns_, "w");
  ASSERT_TRUE(read) << read.error().error.what();
  EXPECT_EQ(read->spec.color, "red");
  EXPECT_EQ(read->spec.size, 5);
  EXPECT_EQ(read->status.phase, "New");
  const Reply<Value> stale =
      kube::apply(client_, widget, {.ns = ns_, .name = "w", .uid = "0-0-0-0"});
  EXPECT_EQ(outcome(stale), "422 Invalid");
  const Reply<Value> gone =
      kube::apply(client_, widget, {.ns = ns_, .name = "gone", .uid = "0-0-0-0"});
  EXPECT_EQ(outcome(gone), "409 Conflict");
  EXPECT_TRUE(client_.remove(kube::kDefinitions, "", "widgets.runtime.suite.example"));
}

TEST_F(Verbs, RawRequestsShareTheRest) {
  const Reply<Value> version = client_.raw("GET", "/version", {});

  ASSERT_TRUE(version) << version.error().error.what();
  EXPECT_EQ(text_at(*version, {"major"}), "1");
}

}  // namespace
}  // namespace holdfast::runtime

/// Watches: what is told, from when on, to whom, and how they end.
#include "suite.h"

#include <thread>

namespace holdfast::suite {
namespace {

class Watches : public Case {
 protected:
  /// A revision after everything that the server itself puts into a new namespace.
  std::string settled() {
    await("$CM/kube-root-ca.crt", [](const Reply& reply) { return reply.code == 200; });
    return make_map("start").at("metadata/resourceVersion");
  }
};

TEST_F(Watches, TellWhatHappenedSince) {
  const std::string from = settled();
  make_map("a");
  merge("$CM/a", "{data: {k: w}}");
  del("$CM/a");
  const std::vector<Event> events = watch("$CM?resourceVersion=" + from, 3);
  ASSERT_EQ(told(events), "ADDED a, MODIFIED a, DELETED a");
  EXPECT_EQ(events[0].at("kind"), "ConfigMap");
  EXPECT_EQ(events[0].at("apiVersion"), "v1");
  EXPECT_EQ(events[0].at("data/k"), "v");
  EXPECT_EQ(events[2].at("data/k"), "w");
  EXPECT_NE(events[2].at("metadata/resourceVersion"), events[1].at("metadata/resourceVersion"));
}

TEST_F(Watches, NothingIsToldOfUnchangedWrites) {
  const std::string from = make_map("a").at("metadata/resourceVersion");
  merge("$CM/a", "{data: {k: v}}");
  put("$CM/a", "{metadata: {name: a}, data: {k: v}}");
  make_map("last");
  EXPECT_EQ(
      told(watch("$CM?fieldSelector=metadata.name!%3Dkube-root-ca.crt&resourceVersion=" + from, 1)),
      "ADDED last");
}

TEST_F(Watches, WithoutVersionBeginWithTheState) {
  settled();
  make_map("a");
  const std::vector<Event> events = watch("$CM?fieldSelector=metadata.name%3Da", 1);
  EXPECT_EQ(told(events), "ADDED a");
}

// Also when the newest version is one that another resource has just got and the server has yet to
// keep.
TEST_F(Watches, BeginWhateverOthersWrite) {
  settled();
  make_map("a");
  ASSERT_EQ(post("/api/v1/namespaces/$NS/secrets", "{metadata: {name: busy}}").code, 201);
  const std::jthread writer([this](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i)
      merge("/api/v1/namespaces/$NS/secrets/busy",
            "{metadata: {labels: {turn: t" + std::to_string(i) + "}}}");
  });
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(told(watch("$CM?fieldSelector=metadata.name%3Da", 1, 600)), "ADDED a") << i;
}

TEST_F(Watches, FromZeroBeginWithTheState) {
  settled();
  make_map("a");
  EXPECT_EQ(told(watch("$CM?resourceVersion=0&fieldSelector=metadata.name%3Da", 1)), "ADDED a");
}

TEST_F(Watches, OneObjectByFieldSelector) {
  const std::string from = settled();
  make_map("a");
  make_map("b");
  merge("$CM/a", "{data: {k: w}}");
  EXPECT_EQ(told(watch("$CM?fieldSelector=metadata.name%3Da&resourceVersion=" + from, 2)),
            "ADDED a, MODIFIED a");
}

TEST_F(Watches, LabelChangesEnterAndLeave) {
  const std::string from = settled();
  make_map("a");
  merge("$CM/a", "{metadata: {labels: {in: 'yes'}}}");
  merge("$CM/a", "{data: {k: w}}");
  const std::string left =
      merge("$CM/a", "{metadata: {labels: {in: 'no'}}}").at("metadata/resourceVersion");
  merge("$CM/a", "{data: {k: unseen}}");
  make_map("last", ", labels: {in: 'yes'}");
  const std::vector<Event> events = watch("$CM?labelSelector=in%3Dyes&resourceVersion=" + from, 4);
  ASSERT_EQ(told(events), "ADDED a, MODIFIED a, DELETED a, ADDED last");
  EXPECT_EQ(events[2].at("metadata/labels/in"), "yes");
  EXPECT_EQ(events[2].at("metadata/resourceVersion"), left);
}

TEST_F(Watches, SelectedObjectIsDeleted) {
  const std::string from = make_map("a", ", labels: {in: 'yes'}").at("metadata/resourceVersion");
  make_map("b");
  del("$CM/b");
  del("$CM/a");
  EXPECT_EQ(told(watch("$CM?labelSelector=in%3Dyes&resourceVersion=" + from, 1)), "DELETED a");
}

TEST_F(Watches, FinalizedObjectIsModifiedThenDeleted) {
  const std::string from = make_map("a", ", labels: {x: one}, finalizers: [suite.example/hold]")
                               .at("metadata/resourceVersion");
  del("$CM/a");
  merge("$CM/a", "{metadata: {finalizers: null}}");
  const std::vector<Event> events = watch("$CM?labelSelector=x&resourceVersion=" + from, 2);
  ASSERT_EQ(told(events), "MODIFIED a, DELETED a");
  EXPECT_NE(events[0].at("metadata/deletionTimestamp"), "");
}

TEST_F(Watches, InitialEventsEndWithABookmark) {
  make_map("a", ", labels: {x: one}");
  // A cache may answer as of that version: what is younger then comes after the bookmark.
  const std::string from = make_map("b", ", labels: {x: one}").at("metadata/resourceVersion");
  const std::vector<Event> events = watch(
      "$CM?labelSelector=x&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
      "allowWatchBookmarks=true&resourceVersion=" +
          from,
      3);
  ASSERT_EQ(told(events), "ADDED a, ADDED b, BOOKMARK ");
  EXPECT_EQ(events[2].at("metadata/annotations"), R"({"k8s.io/initial-events-end":"true"})");
  EXPECT_EQ(events[2].at("kind"), "ConfigMap");
  EXPECT_NE(events[2].at("metadata/resourceVersion"), "");
}

TEST_F(Watches, InitialEventsNeedTheirMatch) {
  EXPECT_EQ(
      get("$CM?watch=true&sendInitialEvents=true").failure(),
      "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  EXPECT_EQ(
      get("$CM?watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1").failure(),
      "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: "
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
}

TEST_F(Watches, VersionMustBeANumber) {
  EXPECT_EQ(get("$CM?watch=true&resourceVersion=abc").failure(),
            "500 : resourceVersion: Invalid value: \"abc\": "
            "strconv.ParseUint: parsing \"abc\": invalid syntax");
}

TEST_F(Watches, OldPathWatches) {
  const std::string from = settled();
  make_map("a");
  EXPECT_EQ(told(watch("/api/v1/watch/namespaces/$NS/configmaps?resourceVersion=" + from, 1)),
            "ADDED a");
  EXPECT_EQ(told(watch("/api/v1/watch/namespaces/$NS/configmaps/a?resourceVersion=" + from, 1)),
            "ADDED a");
}

TEST_F(Watches, AllNamespacesAtOnce) {
  const std::string from = settled();
  make_map("a", ", labels: {case: $NS}");
  const std::vector<Event> events =
      watch("/api/v1/configmaps?labelSelector=case%3D$NS&resourceVersion=" + from, 1);
  ASSERT_EQ(told(events), "ADDED a");
  EXPECT_EQ(events[0].at("metadata/namespace"), "$NS");
}

TEST_F(Watches, EndAfterTheirTime) {
  const Reply ended = get("$CM?watch=true&timeoutSeconds=1&labelSelector=nothing");
  EXPECT_EQ(ended.code, 200);
  EXPECT_EQ(ended.body, "");
}

TEST_F(Watches, CustomResources) {
  make_widgets("{type: object, x-kubernetes-preserve-unknown-fields: true}");
  const std::string from = get("$W").at("metadata/resourceVersion");
  post("$W", "{apiVersion: $G/v1, kind: Widget, metadata: {name: a}}");
  const std::vector<Event> events = watch("$W?resourceVersion=" + from, 1);
  ASSERT_EQ(told(events), "ADDED a");
  EXPECT_EQ(events[0].at("apiVersion"), "$G/v1");
}

TEST_F(Watches, AsTables) {
  make_map("a", ", labels: {x: one}");
  const Reply table = send({.method = "GET",
                            .target = "$CM?watch=true&labelSelector=x&timeoutSeconds=1",
                            .accept = "application/json;as=Table;v=v1;g=meta.k8s.io"});
  EXPECT_EQ(table.at("type"), "ADDED");
  EXPECT_EQ(table.at("object/kind"), "Table");
  EXPECT_EQ(table.at("object/columnDefinitions/0/name"), "Name");
  EXPECT_EQ(table.at("object/rows/0/cells/0"), "a");
  EXPECT_EQ(table.at("object/rows/0/object/kind"), "PartialObjectMetadata");
}

TEST_F(Watches, AsMetadata) {
  make_map("a", ", labels: {x: one}");
  const Reply told =
      send({.method = "GET",
            .target = "$CM?watch=true&labelSelector=x&timeoutSeconds=1",
            .accept = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"});
  EXPECT_EQ(told.at("object/kind"), "PartialObjectMetadata");
  EXPECT_EQ(told.at("object/metadata/name"), "a");
  EXPECT_EQ(told.at("object/data"), "");
}

}  // namespace
}  // namespace holdfast::suite

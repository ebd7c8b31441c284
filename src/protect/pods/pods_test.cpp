#include <holdfast/model/time.h>
#include <holdfast/protect/pods.h>

#include <gtest/gtest.h>

namespace holdfast::protect {
namespace {

using model::array_at;
using model::find;
using model::string_at;

PodSeen seen(const std::string& status) {
  auto pod = kube::Cached::from_text(
      R"({"metadata":{"namespace":"shop","name":"m","creationTimestamp":"2026-01-01T00:00:00Z"},)"
      R"("status":)" +
      status + "}");
  return pod_seen(*pod);
}

TEST(OwnPods, RunOnceWithTheWordAfterTheProgram) {
  const model::Value spec = spec_of({.container = "prover",
                                     .word = "--version",
                                     .image = "host",
                                     .command = {"/usr/bin/holdfast"},
                                     .parts = {{"env", model::Array()}}});
  EXPECT_EQ(string_at(spec, {"restartPolicy"}), "Never");
  EXPECT_FALSE(model::bool_at(spec, {"automountServiceAccountToken"}, true));
  EXPECT_EQ(find(spec, {"terminationGracePeriodSeconds"}), nullptr);
  const model::Value& container = array_at(spec, {"containers"}).at(0);
  EXPECT_EQ(model::to_json(*find(container, {"command"})), R"(["/usr/bin/holdfast","--version"])");
  EXPECT_NE(find(container, {"env"}), nullptr);
}

TEST(OwnPods, OneThatReportsHasAnAccountIfItIsGiven) {
  const model::Value spec = spec_of({.container = "mover",
                                     .word = "mover",
                                     .image = "host",
                                     .command = {},
                                     .account = "holdfast-mover",
                                     .reports = true});
  EXPECT_EQ(string_at(spec, {"serviceAccountName"}), "holdfast-mover");
  EXPECT_EQ(find(spec, {"automountServiceAccountToken"}), nullptr);
  EXPECT_EQ(model::int_at(spec, {"terminationGracePeriodSeconds"}, 0), 30);
}

TEST(TenantsPods, AreMarkedToBeJudgedByTheirNamespace) {
  model::Object plain{{"name", "db-0"}};
  judge_by_namespace(plain);
  EXPECT_EQ(model::to_json(plain),
            R"({"name":"db-0","annotations":{"holdfast.dev/reach":"namespace"}})");

  model::Object annotated{
      {"annotations", model::Object{{"a", "b"}, {"holdfast.dev/reach", "all"}}}};
  judge_by_namespace(annotated);
  EXPECT_EQ(model::to_json(annotated),
            R"({"annotations":{"a":"b","holdfast.dev/reach":"namespace"}})");
}

TEST(OwnPods, SayHowTheyEnded) {
  const PodSeen ended = seen(R"({"phase":"Failed","containerStatuses":[{"state":{"terminated":
      {"message":"no room","finishedAt":"2026-01-01T00:01:00Z"}}}]})");
  EXPECT_EQ(ended.phase, "Failed");
  EXPECT_EQ(ended.report, "no room");
  EXPECT_EQ(ended.said(), "no room");
  EXPECT_EQ(ended.ended, model::parse_rfc3339("2026-01-01T00:01:00Z"));
  EXPECT_EQ(ended.why_waiting(), "");
}

TEST(OwnPods, SayWhyTheyDoNotBegin) {
  const PodSeen waits = seen(R"({"phase":"Pending","containerStatuses":[{"state":{"waiting":
      {"reason":"ErrImagePull","message":"not there"}}}]})");
  EXPECT_EQ(waits.why_waiting(), "ErrImagePull: not there");
  EXPECT_EQ(waits.said(), "not there");
  const PodSeen homeless = seen(R"({"phase":"Pending","message":"waits","conditions":[
      {"type":"PodScheduled","status":"False","message":"no node has room"}]})");
  EXPECT_EQ(homeless.not_scheduled, "no node has room");
  EXPECT_EQ(homeless.said(), "no node has room");
}

}  // namespace
}  // namespace holdfast::protect

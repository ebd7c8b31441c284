// Failures: their content, and the effect of preconditions.
#include "suite.h"

namespace holdfast::runtime {
namespace {

using kube::kConfigMaps;
using kube::Reply;

using Failures = Case;

TEST_F(Failures, ExistingIsNotTheSameAsChanged) {
  const Reply<Value> made = make_map("a");
  ASSERT_TRUE(made);
  const Reply<Value> again = make_map("a");
  ASSERT_FALSE(again);
  EXPECT_TRUE(again.error().already_exists());
  EXPECT_FALSE(again.error().conflict());
  EXPECT_FALSE(again.error().ambiguous);
  EXPECT_EQ(again.error().error.what(),
            "POST /api/v1/namespaces/" + ns_ +
                "/configmaps: 409 AlreadyExists: configmaps \"a\" already exists");

  Value changed = *made;
  model::ensure_object(changed, {"data"})["a"] = "2";
  ASSERT_TRUE(client_.update(kConfigMaps, changed));
  model::ensure_object(changed, {"data"})["a"] = "3";
  const Reply<Value> stale = client_.update(kConfigMaps, changed);
  ASSERT_FALSE(stale);
  EXPECT_TRUE(stale.error().conflict());
  EXPECT_FALSE(stale.error().already_exists());
  EXPECT_EQ(stale.error().error.fault(), Fault::Conflict);
}

TEST_F(Failures, NameThatBelongsToAnotherObjectIsNotWritten) {
  const Value first = *make_map("a");
  ASSERT_TRUE(client_.remove(kConfigMaps, ns_, "a"));
  ASSERT_TRUE(make_map("a"));
  Value unversioned = first;
  model::erase(unversioned, {"metadata", "resourceVersion"});

  EXPECT_EQ(outcome(client_.update(kConfigMaps, unversioned)), "409 Conflict");
  const Value patch =
      model::Object{{"metadata", model::Object{{"uid", text_at(first, {"metadata", "uid"})}}},
                    {"data", model::Object{{"a", "9"}}}};
  // To the server the uid in a patch is a change of the object, which nobody may make.
  const Reply<Value> patched = client_.patch(kConfigMaps, ns_, "a", kube::PatchType::Merge, patch);
  EXPECT_EQ(outcome(patched), "422 Invalid");
  const model::Array& causes = model::array_at(patched.error().status, {"details", "causes"});
  ASSERT_FALSE(causes.empty());
  EXPECT_EQ(text_at(causes[0], {"field"}), "metadata.uid");
  EXPECT_EQ(text_at(*client_.get(kConfigMaps, ns_, "a"), {"data", "a"}), "1");
}

TEST_F(Failures, RemovalHoldsToItsPreconditions) {
  const Value first = *make_map("a");
  const std::string uid = text_at(first, {"metadata", "uid"});
  const std::string version = text_at(first, {"metadata", "resourceVersion"});

  EXPECT_EQ(outcome(client_.remove(kConfigMaps, ns_, "a", {.only = {.uid = "0-0"}})),
            "409 Conflict");
  EXPECT_EQ(outcome(client_.remove(kConfigMaps, ns_, "a",
                                   {.only = {.uid = uid, .resource_version = "1"}})),
            "409 Conflict");
  EXPECT_EQ(outcome(client_.remove(kConfigMaps, ns_, "a",
                                   {.only = {.uid = uid, .resource_version = version}})),
            "done");
}

TEST_F(Failures, MissingInvalidAndUnknownAreTold) {
  const Reply<Value> missing = client_.get(kConfigMaps, ns_, "nothing");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().not_found());
  EXPECT_EQ(missing.error().error.fault(), Fault::NotFound);

  const Reply<Value> invalid = make_map("Not_A_Name");
  ASSERT_FALSE(invalid);
  EXPECT_EQ(outcome(invalid), "422 Invalid");
  EXPECT_EQ(invalid.error().error.fault(), Fault::Invalid);
  EXPECT_FALSE(model::array_at(invalid.error().status, {"details", "causes"}).empty());

  const kube::Resource unknown{"nobody.example", "v1", "things", "Thing"};
  EXPECT_EQ(client_.get(unknown, ns_, "a").error().code, 404);
}

TEST_F(Failures, VersionThatIsLongGoneIsExpired) {
  const Reply<std::string> gone =
      client_.list(kConfigMaps, ns_, {.resource_version = "1", .resource_version_match = "Exact"},
                   [](const Value&) { return true; });

  // A server that still has its first version answers.
  if (!gone) {
    EXPECT_TRUE(gone.error().expired()) << gone.error().error.what();
    EXPECT_EQ(gone.error().error.fault(), Fault::Conflict);
  }
}

TEST_F(Failures, StopIsRespected) {
  std::stop_source stop;
  stop.request_stop();
  client_.stop_with(stop.get_token());

  const Reply<Value> reply = make_map("a");

  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, 0);
  EXPECT_FALSE(reply.error().ambiguous);
  client_.stop_with({});
  EXPECT_EQ(outcome(client_.get(kConfigMaps, ns_, "a")), "404 NotFound");
}

}  // namespace
}  // namespace holdfast::runtime

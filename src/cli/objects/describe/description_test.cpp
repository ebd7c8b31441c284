#include "objects/describe/describe.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

model::Value json(std::string_view text) { return model::parse_json(text).take().value; }

Beside beside(model::Array pods = {}) {
  Beside out;
  out.now = WallTime(std::chrono::seconds(1'700'000'000));  // 2023-11-14T22:13:20Z
  out.list = [pods](const kube::Resource& resource, const std::string&, const std::string&) {
    return resource == kube::kPods ? pods : model::Array();
  };
  return out;
}

TEST(Description, OfAnyKindHasNamesConditionsWishAndEvents) {
  const model::Value object = json(R"({"apiVersion":"x.dev/v1","kind":"Thing",
    "metadata":{"name":"a","namespace":"shop","labels":{"b":"2","a":"1"},
                "creationTimestamp":"2023-11-14T22:12:20Z","deletionTimestamp":"2023-11-14T22:13:10Z",
                "finalizers":["x.dev/keep"],
                "ownerReferences":[{"kind":"Owner","name":"o","controller":true}]},
    "spec":{"size":3},
    "status":{"seen":true,"conditions":[{"type":"Ready","status":"False","reason":"No",
              "message":"not\nyet","lastTransitionTime":"2023-11-14T22:13:00Z"}]}})");
  const model::Array events{
      json(R"({"type":"Warning","reason":"Late","count":3,"source":{"component":"me"},
               "firstTimestamp":"2023-11-14T22:12:50Z","lastTimestamp":"2023-11-14T22:13:15Z",
               "message":"second"})"),
      json(R"({"type":"Normal","reason":"Early","reportingComponent":"me",
               "eventTime":"2023-11-14T22:13:00.000000Z","message":"first"})")};
  EXPECT_EQ(
      description(object, events, beside(), {}),
      "Name:           a\n"
      "Namespace:      shop\n"
      "Kind:           Thing (x.dev/v1)\n"
      "Labels:         a=1\n"
      "                b=2\n"
      "Annotations:    <none>\n"
      "Created:        2023-11-14T22:12:20Z (60s ago)\n"
      "Controlled By:  Owner/o\n"
      "Deleting:       since 2023-11-14T22:13:10Z (10s ago); waits for finalizers x.dev/keep\n"
      "Conditions:\n"
      "  Type   Status  Since  Reason  Message\n"
      "  ----   ------  -----  ------  -------\n"
      "  Ready  False   20s    No      not yet\n"
      "Spec:\n"
      "  size: 3\n"
      "Status:\n"
      "  seen: true\n"
      "Events:\n"
      "  Type     Reason  Age               From  Message\n"
      "  ----     ------  ---               ----  -------\n"
      "  Normal   Early   20s               me    first\n"
      "  Warning  Late    5s (x3 over 30s)  me    second\n");
}

TEST(Description, NeverShowsASecret) {
  const std::string text =
      description(json(R"({"apiVersion":"v1","kind":"Secret","type":"Opaque","metadata":{"name":"s",
               "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"hunter2"}},
               "data":{"password":"aHVudGVyMg=="}})"),
                  {}, beside(), {});
  EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
  EXPECT_EQ(text.find("aHVudGVyMg"), std::string::npos) << text;
  EXPECT_NE(text.find("7 bytes"), std::string::npos) << text;
}

TEST(Description, OfAPodSaysWhyItDoesNotRun) {
  const std::string text =
      description(json(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
        "spec":{"containers":[{"name":"c","image":"host"}],
                "volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}]},
        "status":{"phase":"Running","containerStatuses":[{"name":"c","restartCount":4,"ready":false,
          "state":{"waiting":{"reason":"CrashLoopBackOff","message":"back-off 10s"}},
          "lastState":{"terminated":{"reason":"Error","exitCode":3,
                       "finishedAt":"2023-11-14T22:13:10Z"}}}]}})"),
                  {}, beside(), {});
  EXPECT_NE(text.find("Waiting: CrashLoopBackOff: back-off 10s; before: Terminated: Error, exit "
                      "code 3, 10s ago"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("v: persistentVolumeClaim data"), std::string::npos) << text;
}

TEST(Description, OfAClaimSaysWhoUsesIt) {
  const model::Value user = json(R"({"metadata":{"name":"web"},"status":{"phase":"Running"},
    "spec":{"volumes":[{"persistentVolumeClaim":{"claimName":"data"}}]}})");
  const std::string text = description(
      json(R"({"apiVersion":"v1","kind":"PersistentVolumeClaim","metadata":{"name":"data"},
               "spec":{"accessModes":["ReadWriteOnce"]},"status":{"phase":"Bound"}})"),
      {}, beside({user}), {});
  EXPECT_NE(text.find("web (Running)"), std::string::npos) << text;
}

TEST(Description, OfOurKindsBeginsWithWhereTheyStand) {
  const std::string location =
      description(json(R"({"apiVersion":"holdfast.dev/v1alpha1","kind":"BackupLocation",
               "metadata":{"name":"vault","namespace":"shop"},
               "spec":{"s3":{"endpoint":"http://h","bucket":"b","prefix":"p"},
                       "credential":{"name":"key"}},
               "status":{"phase":"Unavailable"}})"),
                  {}, beside(), {});
  EXPECT_NE(location.find("Phase:         Unavailable\n"), std::string::npos) << location;
  EXPECT_NE(location.find("s3:http://h/b/p"), std::string::npos) << location;
  EXPECT_NE(location.find("Secret key"), std::string::npos) << location;
  const std::string repository = description(
      json(R"({"apiVersion":"holdfast.dev/v1alpha1","kind":"Repository","metadata":{"name":"r"},
               "spec":{"location":{"name":"vault","namespace":"admins"},
                       "maintenance":{"prune":{"schedule":"0 3 * * *"}}},
               "status":{"snapshots":4,"lastPrune":"2023-11-14T22:13:10Z"}})"),
      {}, beside(), {});
  EXPECT_NE(repository.find("vault of namespace admins"), std::string::npos) << repository;
  EXPECT_NE(repository.find("(10s ago); by schedule 0 3 * * *"), std::string::npos) << repository;
  EXPECT_NE(repository.find("never yet; on request only"), std::string::npos) << repository;
}

TEST(Description, OfADriversKindIsTheDriversInAnyVersion) {
  const std::vector<DescribedKind> kinds{
      {"x.dev", "Thing",
       [](const model::Value&, Sheet& sheet, const Beside&) { sheet.entry("Fares", "well"); }}};
  const auto text = [&kinds](const char* version, const char* kind) {
    const model::Object object{{"apiVersion", version}, {"kind", kind}, {"status", {{"raw", 1}}}};
    return description(model::Value(object), {}, beside(), kinds);
  };
  for (const char* version : {"x.dev/v1", "x.dev/v2beta1"}) {
    EXPECT_NE(text(version, "Thing").find("well"), std::string::npos);
    EXPECT_EQ(text(version, "Thing").find("raw"), std::string::npos);
  }
  EXPECT_EQ(text("x.dev/v1", "Other").find("Fares"), std::string::npos);
  EXPECT_EQ(text("y.dev/v1", "Thing").find("Fares"), std::string::npos);
  EXPECT_NE(text("y.dev/v1", "Thing").find("raw: 1"), std::string::npos);
}

TEST(Description, ShowsNoControlCharacters) {
  const std::string text = description(
      json(R"({"kind":"Thing","metadata":{"name":"a","annotations":{"x":"\u001b[2J"}}})"),
      {json(R"({"type":"Normal","message":"\u001b]0;title\u0007"})")}, beside(), {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace holdfast::cli

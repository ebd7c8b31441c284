#include <holdfast/model/status.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace holdfast::model {
namespace {

TEST(FieldError, BodiesReadAsInApimachinery) {
  EXPECT_EQ(required_field("spec.x", "").text(), "spec.x: Required value");
  EXPECT_EQ(required_field("x", "why").body(), "Required value: why");
  EXPECT_EQ(invalid_field("x", "a\"b", "no").body(), "Invalid value: \"a\\\"b\": no");
  EXPECT_EQ(invalid_field("x", -1, "no").body(), "Invalid value: -1: no");
  EXPECT_EQ(invalid_field("x", 1.5, "").body(), "Invalid value: 1.5");
  EXPECT_EQ(invalid_field("x", 1e-5, "").body(), "Invalid value: 1e-05");
  EXPECT_EQ(invalid_field("x", 1e6, "").body(), "Invalid value: 1e+06");
  EXPECT_EQ(invalid_field("x", 100000.0, "").body(), "Invalid value: 100000");
  EXPECT_EQ(invalid_field("x", nullptr, "").body(), "Invalid value: null");
  EXPECT_EQ(invalid_field("x", parse_json(R"({"a":["<"]})")->value, "no").body(),
            "Invalid value: {\"a\":[\"\\u003c\"]}: no");
  EXPECT_EQ(forbidden_field("x", "no").body(), "Forbidden: no");
  EXPECT_EQ(duplicate_field("x", "a").body(), "Duplicate value: \"a\"");
  EXPECT_EQ(not_found_field("x", "a").body(), "Not found: \"a\"");
  EXPECT_EQ(unsupported_field("x", "c", {"a", "b"}).body(),
            "Unsupported value: \"c\": supported values: \"a\", \"b\"");
  EXPECT_EQ(unsupported_field("x", "c", {}).body(), "Unsupported value: \"c\"");
  EXPECT_EQ(too_long_field("x", 63).body(), "Too long: may not be more than 63 bytes");
  EXPECT_EQ(too_long_field("x", 1).body(), "Too long: may not be more than 1 byte");
  EXPECT_EQ(too_many_field("x", 3, 1).body(), "Too many: 3: must have at most 1 item");
  EXPECT_EQ(too_many_field("x", -1, -1).body(), "Too many: has too many items");
  EXPECT_EQ(type_invalid_field("x", true, "no").reason(), "FieldValueTypeInvalid");
}

TEST(FieldError, PathsAreJoined) {
  EXPECT_EQ(child("", "spec"), "spec");
  EXPECT_EQ(key(at(child("spec", "a"), 2), "k"), "spec.a[2][k]");
}

TEST(Status, InvalidListsEachSentenceOnceAndEveryCause) {
  const FieldErrors errors{required_field("a", ""), required_field("b", "x"),
                           required_field("a", "")};

  const Status one = invalid({"", "Pod"}, "p", {errors[0]});
  const Status many = invalid({"apps", "Deployment"}, "", errors);

  EXPECT_EQ(one.code, 422);
  EXPECT_EQ(one.message, "Pod \"p\" is invalid: a: Required value");
  EXPECT_EQ(many.message,
            "Deployment.apps \"\" is invalid: [a: Required value, b: Required value: x]");
  ASSERT_EQ(many.details->causes.size(), 3u);
  EXPECT_EQ(many.details->causes[1].reason, "FieldValueRequired");
  EXPECT_EQ(many.details->causes[1].message, "Required value: x");
  EXPECT_EQ(many.details->causes[1].field, "b");
  EXPECT_EQ(invalid({"", "Pod"}, "p", {}).message, "Pod \"p\" is invalid");
}

TEST(Status, LooksAsTheRealServerPrintsIt) {
  EXPECT_EQ(to_json(to_value(not_found({"apps", "deployments"}, "x"))),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"deployments.apps \"x\" not found","reason":"NotFound",)"
            R"("details":{"name":"x","group":"apps","kind":"deployments"},"code":404})");
  EXPECT_EQ(to_json(to_value(page_not_found())),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"the server could not find the requested resource","reason":"NotFound",)"
            R"("details":{},"code":404})");
  EXPECT_EQ(to_json(to_value(internal_error("boom"))),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
            R"("message":"Internal error occurred: boom","reason":"InternalError",)"
            R"("details":{"causes":[{"message":"boom"}]},"code":500})");
}

TEST(Status, SentencesAndCodes) {
  const GroupResource pods{"", "pods"};
  EXPECT_EQ(already_exists(pods, "x").message, "pods \"x\" already exists");
  EXPECT_EQ(conflict(pods, "x", "why").message, "Operation cannot be fulfilled on pods \"x\": why");
  EXPECT_EQ(forbidden(pods, "x", "why").message, "pods \"x\" is forbidden: why");
  EXPECT_EQ(forbidden(pods, "", "why").message, "pods is forbidden: why");
  EXPECT_EQ(forbidden({}, "", "why").message, "forbidden: why");
  EXPECT_EQ(method_not_supported(pods, "patch").message,
            "patch is not supported on resources of kind \"pods\"");
  EXPECT_EQ(too_large("limit is 3145728").message, "Request entity too large: limit is 3145728");
  EXPECT_EQ(timeout("slow", 1).message, "Timeout: slow");
  EXPECT_EQ(resource_expired("old").code, 410);
  EXPECT_EQ(unauthorized().message, "Unauthorized");
  EXPECT_EQ(too_many_requests("busy", 5).details->retry_after_seconds, 5);
}

}  // namespace
}  // namespace holdfast::model

// Requests that are wrong in one way, sent by hand: our client never makes them, so nothing else
// shows that the double would notice. Services that others wrote notice too.
#include <holdfast/base/bytes.h>
#include <holdfast/blob/signature.h>
#include <holdfast/net/client.h>

#include "subject.h"

#include <fmt/format.h>

namespace holdfast::blob_suite {
namespace {

struct Strict : AnyStore {
  /// A good request, to be spoiled before or after it is signed.
  struct Draft {
    net::Call call{};
    blob::SigningInput input{};
  };

  Draft draft(const std::string& method, const std::string& path, const std::string& body) {
    settings_ = subject->settings();
    Draft out{.call = {.method = method, .target = path, .body = body}};
    out.input = {.method = method, .path = path, .payload_sha256 = hex(sha256(body))};
    out.input.headers.set("Host", settings_.endpoint.substr(settings_.endpoint.find("//") + 2));
    out.input.headers.set("x-amz-date", blob::amz_date(subject->clock.now()));
    out.input.headers.set("x-amz-content-sha256", out.input.payload_sha256);
    return out;
  }
  Draft object(const std::string& method, const std::string& body) {
    return draft(method, "/" + subject->settings().bucket + "/strict", body);
  }
  void sign(Draft& draft) {
    const blob::S3Key key = settings_.credentials().take();
    draft.call.headers = draft.input.headers;
    draft.call.headers.set("Authorization",
                           blob::authorization_v4(draft.input, {.access_key = key.access_key,
                                                                .secret_key = key.secret_key,
                                                                .region = "us-east-1"}));
  }
  net::Response send(const Draft& draft) {
    const auto client = net::Client::make({.base_url = settings_.endpoint}).take();
    auto response = client->call(draft.call);
    EXPECT_TRUE(response) << response.error().what();
    return response ? response.take() : net::Response{};
  }
  /// The code of the refusal is in its body.
  static void expect_refused(const net::Response& response, const std::string& code) {
    EXPECT_EQ(response.status / 100, 4) << response.body;
    EXPECT_NE(response.body.find(code), std::string::npos) << response.body;
  }

  blob::S3Settings settings_{};
};

TEST_P(Strict, ARequestAsItShouldBeIsServed) {
  Draft good = object("PUT", "bytes");
  sign(good);
  EXPECT_EQ(send(good).status, 200);

  Draft back = object("GET", "");
  sign(back);
  EXPECT_EQ(send(back).body, "bytes");
}

TEST_P(Strict, ARequestWithoutASignatureIsNot) {
  Draft bare = object("PUT", "bytes");
  bare.call.headers = bare.input.headers;
  EXPECT_EQ(send(bare).status / 100, 4);
}

TEST_P(Strict, ABodyThatIsNotTheOneSigned) {
  Draft changed = object("PUT", "bytes");
  sign(changed);
  changed.call.body = "other";
  expect_refused(send(changed), "XAmzContentSHA256Mismatch");
}

TEST_P(Strict, APathThatIsNotTheOneSigned) {
  Draft moved = object("PUT", "bytes");
  sign(moved);
  moved.call.target += "-elsewhere";
  expect_refused(send(moved), "SignatureDoesNotMatch");
}

TEST_P(Strict, AQueryThatWasNotSigned) {
  Draft asked = object("GET", "");
  sign(asked);
  asked.call.target += "?versionId=1";
  expect_refused(send(asked), "SignatureDoesNotMatch");
}

TEST_P(Strict, AMethodThatIsNotTheOneSigned) {
  Draft turned = object("GET", "");
  sign(turned);
  turned.call.method = "DELETE";
  expect_refused(send(turned), "SignatureDoesNotMatch");
}

TEST_P(Strict, ADateThatIsNotTheOneSigned) {
  Draft dated = object("PUT", "bytes");
  sign(dated);
  dated.call.headers.set("x-amz-date",
                         blob::amz_date(subject->clock.now() - std::chrono::seconds(7)));
  expect_refused(send(dated), "SignatureDoesNotMatch");
}

TEST_P(Strict, AnMd5ThatIsNotTheBodys) {
  Draft marked = object("PUT", "bytes");
  marked.input.headers.set("Content-MD5", base64(std::string(16, 'x')));
  sign(marked);
  expect_refused(send(marked), "BadDigest");
}

INSTANTIATE_TEST_SUITE_P(Services, Strict,
                         testing::Values(subjects().size() == 1 ? "service" : "double"),
                         subject_name);

}  // namespace
}  // namespace holdfast::blob_suite

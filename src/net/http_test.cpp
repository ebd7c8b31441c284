#include <holdfast/net/http.h>

namespace holdfast::net {
namespace {

TEST(Headers, NamesCompareWithoutCaseAndRepeatsAreKept) {
  Headers headers;
  headers.add("Warning", "299 - \"one\"");
  headers.add("warning", "299 - \"two\"");

  EXPECT_EQ(headers.get("WARNING"), "299 - \"one\"");
  EXPECT_EQ(headers.all("Warning").size(), 2u);

  headers.set("WarninG", "last");

  EXPECT_EQ(headers.all("warning"), std::vector<std::string_view>{"last"});
  EXPECT_FALSE(headers.has("warn"));
}

TEST(PercentDecode, LeavesBadEscapesAlone) {
  EXPECT_EQ(percent_decode("a%2Fb%zz%4", false), "a/b%zz%4");
  EXPECT_EQ(percent_decode("a+b%2b", true), "a b+");
  EXPECT_EQ(percent_decode("a+b", false), "a+b");
  EXPECT_EQ(percent_decode("%", false), "%");
}

TEST(PercentEncode, RoundTripsEveryByte) {
  std::string every;
  for (int c = 0; c < 256; ++c) every += char(c);

  EXPECT_EQ(percent_decode(percent_encode(every), true), every);
  EXPECT_EQ(percent_encode("a b/c~"), "a%20b%2Fc~");
}

Request target(std::string text) {
  Request request;
  request.target = std::move(text);
  split_target(request);
  return request;
}

TEST(SplitTarget, DecodesPathAndQueryInOrder) {
  const Request request = target("/api/v1/x%20y?labelSelector=a%3Db&limit=5&&watch&e=&k=v=w");

  EXPECT_EQ(request.path, "/api/v1/x y");
  const Query want{
      {"labelSelector", "a=b"}, {"limit", "5"}, {"watch", ""}, {"e", ""}, {"k", "v=w"}};
  EXPECT_EQ(request.query, want);
  EXPECT_EQ(query_value(request.query, "limit"), "5");
  EXPECT_EQ(query_value(request.query, "none"), "");
}

TEST(SplitTarget, TakesTheAbsoluteFormOfProxies) {
  EXPECT_EQ(target("http://example.org/a?b=c").path, "/a");
  EXPECT_EQ(target("https://example.org").path, "/");
  EXPECT_EQ(target("").path, "/");
}

}  // namespace
}  // namespace holdfast::net

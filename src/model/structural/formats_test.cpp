/// Verdicts of kube-apiserver 1.34.4 on the same values.
#include <holdfast/model/structural.h>

#include "structural/validate.h"

namespace holdfast::model::structural {
namespace {

struct Verdicts {
  const char* format;
  std::vector<const char*> good, bad;
};

const Verdicts kVerdicts[] = {
    {"uri",
     {"/x", "http://a", "a:b", "//x", "mailto:a@b", "http://[::1]/", "http://a:99999999"},
     {"x", "", "http://a b", "http://%zz", "?x", "1a:b", "http://a:b/"}},
    {"email",
     {"a@b", "A B <a@b.c>", "<a@b>", "\"a b\"@c", " a@b "},
     {"a", "", "a@", "@b", "a@b@c", "a b@c", "a@b,c@d", "a..b@c"}},
    {"hostname", {"a", "a.com", "a-b", "a.b.c.com"}, {"", "-a", "a_b", "a..com", "1.2.3.4"}},
    {"ipv4", {"1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"}, {"", "1.2.3", "256.1.1.1", "::1"}},
    {"ipv6", {"::1", "2001:db8::"}, {"", "1.2.3.4", "1::2::3", ":"}},
    {"cidr", {"1.2.3.4/8", "::/0"}, {"1.2.3.4", "1.2.3.4/33", "::/129", "/8", "1.2.3.4/"}},
    {"mac",
     {"00:11:22:33:44:55", "00-11-22-33-44-55", "0011.2233.4455"},
     {"", "00:11:22:33:44", "00:11-22:33:44:55"}},
    {"uuid",
     {"123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000"},
     {"", "x"}},
    {"uuid4", {"123e4567-e89b-42d3-a456-426614174000"}, {"123e4567-e89b-12d3-a456-426614174000"}},
    {"isbn", {"0321751043", "978-0321751041"}, {"0321751044"}},
    {"creditcard", {"4111-1111-1111-1111"}, {"4111111111111112", ""}},
    {"ssn", {"111-11-1111"}, {"111111111"}},
    {"byte", {"YQ==", "YWJj"}, {"", "YQ=", "a-_b", "Y Q=="}},
    {"date", {"2026-01-02", "2024-02-29"}, {"2026-13-02", "2023-02-29", "2026-1-2"}},
    {"date-time",
     {"2026-01-02T03:04:05Z", "2026-01-02t03:04:05z", "2026-01-02T03:04:05.123+01:00"},
     {"", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T24:04:05Z",
      "2026-01-02T03:04:60Z", "2026-02-30T03:04:05Z"}},
    {"duration", {"1h30m", "22 ns", "2 weeks", "1 day 3 hours", "-1h"}, {"", "x", "5", "3x"}}};

TEST(Formats, JudgeLikeTheRealServer) {
  for (const Verdicts& verdicts : kVerdicts) {
    for (const char* text : verdicts.good)
      EXPECT_TRUE(has_format(text, verdicts.format)) << verdicts.format << ": " << text;
    for (const char* text : verdicts.bad)
      EXPECT_FALSE(has_format(text, verdicts.format)) << verdicts.format << ": " << text;
  }
}

TEST(Formats, LeavesOthersAsDocumentation) {
  EXPECT_FALSE(knows_format("int32"));
  EXPECT_FALSE(knows_format("k8s-short-name")) << "known to 1.34, enforced from 1.35 on";
  EXPECT_TRUE(knows_format("date-time"));
}

}  // namespace
}  // namespace holdfast::model::structural

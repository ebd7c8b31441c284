#include <holdfast/base/random.h>
#include <holdfast/model/quantity.h>

namespace holdfast::model {
namespace {

std::string canonical(std::string_view text) {
  auto quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity) << text;
  return quantity ? quantity->text() : "";
}

TEST(Quantity, PrintsAsGoDoes) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"0", "0"},
      {"0Ki", "0"},
      {"500m", "500m"},
      {"0.5", "500m"},
      {"1.5", "1500m"},
      {"1000m", "1"},
      {"1000", "1k"},
      {"100k", "100k"},
      {"1Gi", "1Gi"},
      {"1024Mi", "1Gi"},
      {"1.5Gi", "1536Mi"},
      {"1025Ki", "1025Ki"},
      {"1024", "1024"},
      {"512Ki", "512Ki"},
      {"1e3", "1e3"},
      {"1000e3", "1e6"},
      {"12e2", "1200"},
      {"1E", "1E"},
      {"0.1Ki", "102400m"},
      {"1u", "1u"},
      {"0.0000000001", "1n"},
      {"-1.5", "-1500m"},
      {"-1Gi", "-1Gi"},
      {"1.500", "1.500"},
      {"007", "007"},
      {"+1", "+1"},
      {".5", "500m"},
      {"5.", "5."},
      {"0.001Ki", "1024m"},
      {"8Ki", "8Ki"},
      {"9Ei", "9223372036854775807"},
      {"1e-3", "1e-3"},
      {"10", "10"},
      {"0.000", "0"},
  };
  for (const auto& [text, printed] : cases) EXPECT_EQ(canonical(text), printed) << text;
}

TEST(Quantity, RefusesInGosWords) {
  const std::string format =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  EXPECT_EQ(Quantity::parse("").error().what(), format);
  EXPECT_EQ(Quantity::parse("abc").error().what(), format);
  EXPECT_EQ(Quantity::parse("1 Gi").error().what(), format);
  EXPECT_EQ(Quantity::parse("1.2.3").error().what(), format);
  EXPECT_EQ(Quantity::parse("1K").error().what(), "unable to parse quantity's suffix");
  EXPECT_EQ(Quantity::parse("1e").error().what(), "unable to parse quantity's suffix");
  EXPECT_EQ(Quantity::parse("1mi5").error().what(), "unable to parse quantity's suffix");
  EXPECT_EQ(Quantity::parse("1e30").error().what(), "unable to parse numeric part of quantity");
  EXPECT_EQ(Quantity::parse("1e99999999999").error().what(),
            "unable to parse numeric part of quantity");
}

TEST(Quantity, ComparesAndAddsAmounts) {
  const auto q = [](std::string_view text) { return *Quantity::parse(text); };

  EXPECT_EQ(q("1Gi"), q("1073741824"));
  EXPECT_LT(q("999m"), q("1"));
  EXPECT_EQ((q("1Gi") + q("512Mi")).text(), "1536Mi");
  EXPECT_EQ((q("0") + q("1Gi")).text(), "1Gi");
  EXPECT_EQ((q("500m") + q("500m")).text(), "1");
  EXPECT_TRUE(q("-1").negative());
}

TEST(Quantity, RoundsValuesAwayFromZero) {
  EXPECT_EQ(Quantity::parse("100m")->value(), 1);
  EXPECT_EQ(Quantity::parse("-100m")->value(), -1);
  EXPECT_EQ(Quantity::parse("100u")->milli_value(), 1);
  EXPECT_EQ(Quantity::parse("1.5")->milli_value(), 1500);
  EXPECT_EQ(Quantity::parse("100E")->value(), INT64_MAX);
}

TEST(Quantity, CanonicalTextReadsBackAsTheSameAmount) {
  SeededRandom random(5);
  constexpr std::string_view kAlphabet = "0123456789.+-eEinumkKMGTPi";
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (uint64_t n = random.below(12); n > 0; --n)
      text += kAlphabet[random.below(kAlphabet.size())];
    const auto quantity = Quantity::parse(text);
    if (!quantity) continue;

    const auto again = Quantity::parse(quantity->text());

    ASSERT_TRUE(again) << text << " printed as " << quantity->text();
    ASSERT_EQ(*again, *quantity) << text << " printed as " << quantity->text();
  }
}

}  // namespace
}  // namespace holdfast::model

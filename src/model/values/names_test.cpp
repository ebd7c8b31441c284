#include <holdfast/model/names.h>

namespace holdfast::model {
namespace {

const std::string kLong64(64, 'a');

TEST(Names, LabelSaysWhatIsWrong) {
  EXPECT_TRUE(check_dns1123_label("a-1").empty());
  EXPECT_EQ(check_dns1123_label("a.b"), Complaints{"must not contain dots"});
  EXPECT_EQ(check_dns1123_label("A"), Complaints{"a lowercase RFC 1123 label must consist of lower "
                                                 "case alphanumeric characters or '-', and must "
                                                 "start and end with an alphanumeric character "
                                                 "(e.g. 'my-name',  or '123-abc', regex used for "
                                                 "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"});
  EXPECT_EQ(check_dns1123_label(kLong64), Complaints{"must be no more than 63 characters"});
  EXPECT_FALSE(check_dns1123_label("").empty());
  EXPECT_FALSE(check_dns1123_label("a-").empty());
}

TEST(Names, SubdomainSaysWhatIsWrong) {
  EXPECT_TRUE(check_dns1123_subdomain("a.b-c.0").empty());
  EXPECT_FALSE(check_dns1123_subdomain("a..b").empty());
  EXPECT_FALSE(check_dns1123_subdomain("a.-b").empty());
  EXPECT_EQ(
      check_dns1123_subdomain("Bad_Name"),
      Complaints{
          "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
          "or '.', "
          "and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
          "for "
          "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"});
}

TEST(Names, Dns1035LabelStartsWithALetter) {
  EXPECT_TRUE(check_dns1035_label("a1").empty());
  EXPECT_FALSE(check_dns1035_label("1a").empty());
  EXPECT_FALSE(check_dns1035_label("").empty());
}

TEST(Names, QualifiedNameNamesThePart) {
  EXPECT_TRUE(check_qualified_name("example.com/My_Name.1").empty());
  EXPECT_EQ(check_qualified_name("/a"), Complaints{"prefix part must be non-empty"});
  EXPECT_EQ(check_qualified_name("a/" + kLong64),
            Complaints{"name part must be no more than 63 characters"});
  EXPECT_EQ(check_qualified_name("").size(), 2u);
  EXPECT_EQ(check_qualified_name("A_/-")[0].substr(0, 35), "prefix part a lowercase RFC 1123 su");
  EXPECT_TRUE(check_qualified_name("a/b/c")[0].ends_with(
      " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"));
}

TEST(Names, ValuesKeysAndSegments) {
  EXPECT_TRUE(check_label_value("").empty());
  EXPECT_FALSE(check_label_value("-a").empty());
  EXPECT_EQ(check_path_segment(".."), Complaints{"may not be '..'"});
  EXPECT_EQ(check_path_segment("a/%"), (Complaints{"may not contain '/'", "may not contain '%'"}));
  EXPECT_TRUE(check_path_segment("system:node").empty());
  EXPECT_EQ(check_config_map_key(".."), Complaints{"must not be '..'"});
  EXPECT_EQ(check_config_map_key("..a"), Complaints{"must not start with '..'"});
  EXPECT_FALSE(check_config_map_key("a b").empty());
  EXPECT_TRUE(check_env_var_name("1 odd-name").empty());
  EXPECT_EQ(check_env_var_name("a=b").size(), 1u);
  EXPECT_EQ(check_env_var_name(""), Complaints{"environment variable name must be non-empty"});
  EXPECT_TRUE(check_c_identifier("_a1").empty());
  EXPECT_FALSE(check_c_identifier("1a").empty());
}

TEST(Names, Ports) {
  EXPECT_TRUE(check_port_name("http-2").empty());
  EXPECT_EQ(check_port_name("-1--"), (Complaints{"must contain at least one letter (a-z)",
                                                 "must not contain consecutive hyphens",
                                                 "must not begin or end with a hyphen"}));
  EXPECT_TRUE(check_port_number(65535).empty());
  EXPECT_EQ(check_port_number(0), Complaints{"must be between 1 and 65535, inclusive"});
}

TEST(GenerateName, CutsTheBaseAndAddsFive) {
  SeededRandom random(3);

  const std::string name = generate_name(kLong64, random);

  EXPECT_EQ(name.size(), 63u);
  EXPECT_EQ(name.substr(0, 58), kLong64.substr(0, 58));
  EXPECT_EQ(name.find_first_of("aeiouy013", 58), std::string::npos);
  EXPECT_NE(generate_name("x-", random), generate_name("x-", random));
}

}  // namespace
}  // namespace holdfast::model

#include "s3/proxy.h"

#include <gtest/gtest.h>

#include <map>

namespace holdfast::blob {
namespace {

TEST(Proxy, IsTakenFromTheEnvironmentUnlessTheHostIsExempt) {
  const std::map<std::string, std::string> variables = {
      {"HTTPS_PROXY", "http://secure:1"},
      {"http_proxy", "http://plain:2"},
      {"NO_PROXY", "inner.example, .corp.example,10.0.0.9,port.example:9000"}};
  const Environment environment = [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };

  EXPECT_EQ(find_proxy("https://s3.example", environment), "http://secure:1");
  EXPECT_EQ(find_proxy("http://s3.example:9000", environment), "http://plain:2");
  for (const char* exempt :
       {"https://inner.example", "https://s3.inner.example:444", "https://A.CORP.example",
        "https://corp.example", "http://10.0.0.9:9000", "https://port.example:9000",
        "http://localhost:1", "http://127.0.0.1:1", "https://[::1]:1"})
    EXPECT_EQ(find_proxy(exempt, environment), "") << exempt;
  EXPECT_EQ(find_proxy("https://notinner.example", environment), "http://secure:1");
  EXPECT_EQ(find_proxy("https://s3.example", [](const char*) { return nullptr; }), "");
}

}  // namespace
}  // namespace holdfast::blob

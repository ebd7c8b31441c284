#include "kinds/pod/image.h"

namespace holdfast::apiserver::pod {
namespace {

struct Case {
  const char* image;
  std::optional<std::string> tag;
};

TEST(ImageTag, FollowsTheRegistryGrammar) {
  const std::string digest = "@sha256:" + std::string(64, 'a');
  const std::vector<Case> cases = {
      {"nginx", "latest"},
      {"nginx:1.27", "1.27"},
      {"localhost:5000/team/app", "latest"},
      {"localhost:5000/team/app:v1", "v1"},
      {"registry.example.com/a/b__c-d.e:latest", "latest"},
      {"Team/app:v1", "v1"},  // a first part with an upper case letter is a registry
      {"nginx:", std::nullopt},
      {"NGINX", std::nullopt},
      {"a//b", std::nullopt},
      {"", std::nullopt},
  };

  for (const Case& each : cases) EXPECT_EQ(image_tag(each.image), each.tag) << each.image;
  EXPECT_EQ(image_tag("nginx" + digest), "");
  EXPECT_EQ(image_tag("nginx:1" + digest), "1");
  EXPECT_EQ(image_tag(std::string(64, 'a')), std::nullopt);
}

}  // namespace
}  // namespace holdfast::apiserver::pod

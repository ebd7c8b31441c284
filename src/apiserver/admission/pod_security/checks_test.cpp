/// Answers of a real API server (Kubernetes 1.34.4) about pods, for every level and version,
/// replayed against our checks. testdata/record says what a line is.
#include "admission/pod_security/checks.h"

#include "kinds/recorded.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::apiserver::pod_security {
namespace {

using model::Value;

constexpr int kVersions = 37;

Policy asks_for(std::string_view level, const std::string& version) {
  model::FieldErrors errors;
  const std::string prefix = "pod-security.kubernetes.io/enforce";
  const Value ns = model::Object{
      {"metadata",
       model::Object{{"labels", model::Object{{prefix, level}, {prefix + "-version", version}}}}}};
  Policy policy = policy_of(ns, errors);
  EXPECT_TRUE(errors.empty());
  return policy;
}

/// Verdicts by version, from the versions where they change.
std::vector<std::pair<std::string, std::string>> spread(const Value& line, std::string_view level) {
  std::vector<std::pair<std::string, std::string>> out;
  const model::Array& said = model::array_at(line, {level});
  size_t next = 0;
  std::string verdict;
  for (int minor = 0; minor <= kVersions; ++minor) {
    const std::string version = minor == kVersions ? "latest" : fmt::format("v1.{}", minor);
    if (next < said.size() && said[next].at(0).as_string() == version)
      verdict = std::string(model::view(said[next++].at(1).as_string()));
    out.emplace_back(version, verdict);
  }
  EXPECT_EQ(next, said.size());
  return out;
}

TEST(PodSecurityChecks, SayWhatTheRealServerSaysInEveryVersion) {
  const std::vector<Value> lines = recorded("admission/pod_security/testdata/recorded.jsonl");
  ASSERT_GT(lines.size(), 50U);

  for (const Value& line : lines) {
    const PodIn pod = pod_of(*model::find(line, {"pod"}));
    for (const std::string_view level : {"baseline", "restricted"})
      for (const auto& [version, verdict] : spread(line, level))
        EXPECT_EQ(details_of(violations(asks_for(level, version).enforce, pod)), verdict)
            << model::string_at(line, {"name"}) << ", " << level << ":" << version;
  }
}

}  // namespace
}  // namespace holdfast::apiserver::pod_security

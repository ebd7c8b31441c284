/// A server in memory, its administrator, and the user `tenant` with the role edit in the
/// namespace `red`.
#pragma once

#include <holdfast/apiserver/core.h>
#include <holdfast/model/json.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holdfast::apiserver {

inline constexpr std::string_view kTenant = "tenant", kAdmin = "admin";
inline constexpr std::string_view kRedPods = "/api/v1/namespaces/red/pods";
inline constexpr std::string_view kRedDeployments = "/apis/apps/v1/namespaces/red/deployments";
inline constexpr std::string_view kMergePatch = "application/merge-patch+json";

class AdmissionServer : public testing::Test {
 protected:
  struct Told {
    int code = 0;
    std::string message{};  ///< of a Status
    std::vector<std::string> warnings{};
    model::Value object{};
  };

  void SetUp() override {
    auto made = Core::make({}, clock_, random_);
    ASSERT_TRUE(made) << made.error().what();
    core_ = made.take();
    ASSERT_EQ(make_namespace("red").code, 201);
    grant("edit");
    while (core_->step()) {
    }
  }

  Told ask(std::string_view user, std::string_view method, std::string_view target,
           std::string_view yaml = "", std::string_view type = "application/yaml") {
    net::Request request{.method = std::string(method),
                         .target = std::string(target),
                         .peer = {.certificate = true, .common_name = std::string(user)}};
    if (user == kAdmin) request.peer.organizations = {"system:masters"};
    request.headers.set("Content-Type", type);
    request.body = type == "application/yaml" || yaml.empty()
                       ? std::string(yaml)
                       : model::to_json(model::parse_yaml(yaml)->value);
    net::split_target(request);
    Told told;
    core_->serve(std::move(request), [&told](const net::Response& response) {
      told.code = response.status;
      for (const std::string_view each : response.headers.all("Warning"))
        told.warnings.emplace_back(each);
      if (const auto parsed = model::parse_json(response.body)) told.object = parsed->value;
      if (response.status >= 400) told.message = model::string_at(told.object, {"message"});
    });
    return told;
  }
  Told create(std::string_view user, std::string_view target, std::string_view yaml) {
    return ask(user, "POST", target, yaml);
  }
  Told merge(std::string_view user, std::string_view target, std::string_view yaml) {
    return ask(user, "PATCH", target, yaml, kMergePatch);
  }
  Told make_namespace(const std::string& name, const std::string& labels = "") {
    return create(kAdmin, "/api/v1/namespaces",
                  "{metadata: {name: " + name + ", labels: {" + labels + "}}}");
  }
  /// Gives the tenant a role in the namespace red.
  void grant(const std::string& role) {
    const Told bound =
        create(kAdmin, "/apis/rbac.authorization.k8s.io/v1/namespaces/red/rolebindings",
               "{metadata: {name: " + role +
                   "}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: "
                   "ClusterRole, name: " +
                   role +
                   "}, subjects: [{apiGroup: rbac.authorization.k8s.io, kind: "
                   "User, name: tenant}]}");
    ASSERT_EQ(bound.code, 201) << bound.message;
  }

  ManualClock clock_{WallTime(std::chrono::hours(500000))};
  SeededRandom random_{1};
  std::unique_ptr<Core> core_;
};

}  // namespace holdfast::apiserver

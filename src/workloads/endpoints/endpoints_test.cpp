#include "endpoints/addresses.h"
#include "endpoints/slices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace holdfast::workloads::endpoints {
namespace {

using control::Outcome;
using control::Write;

model::Value json(std::string_view text) {
  auto parsed = model::parse_json(text);
  EXPECT_TRUE(parsed) << text;
  return parsed->value;
}

kube::Cached cached(const model::Value& value) {
  auto object = kube::Cached::from_value(value);
  EXPECT_TRUE(object) << model::to_json(value);
  return *object;
}

constexpr std::string_view kService = R"({"apiVersion": "v1", "kind": "Service",
  "metadata": {"name": "web", "namespace": "shop", "uid": "svc-1", "resourceVersion": "3",
               "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"team": "a"}},
  "spec": {"type": "ClusterIP", "clusterIP": "10.0.0.1", "ipFamilies": ["IPv4"],
           "selector": {"app": "web"},
           "ports": [{"name": "http", "port": 80, "targetPort": 8080, "protocol": "TCP"}]}})";

/// A Service and its pods; settle() carries out what the plan of the slices wants.
class World {
 public:
  World() : service_(json(kService)) {}
  model::Object& spec() { return model::ensure_object(service_, {"spec"}); }
  model::Value& service() { return service_; }

  void add_pod(int number, bool ready, std::string_view ports = "[]", bool going = false) {
    model::Value pod = json(fmt::format(
        R"({{"metadata": {{"name": "p{0:03}", "namespace": "shop", "uid": "u{0:03}",
             "resourceVersion": "1"}},
             "spec": {{"nodeName": "n", "hostname": "h{0}", "subdomain": "web",
                      "containers": [{{"name": "c", "ports": {1}}}]}},
             "status": {{"phase": "Running", "podIPs": [{{"ip": "10.9.{2}.{3}"}}],
                        "conditions": [{{"type": "Ready", "status": "{4}",
                                         "lastTransitionTime": "2026-01-01T00:01:00Z"}}]}}}})",
        number, ports, number / 200, number % 200, ready ? "True" : "False"));
    if (going)
      model::ensure_object(pod, {"metadata"})["deletionTimestamp"] = "2026-01-01T00:02:00Z";
    pods_.push_back(read_backend(cached(pod)));
  }
  std::vector<Backend>& pods() { return pods_; }
  std::vector<kube::Cached>& slices() { return slices_; }

  Service read() const { return read_service(cached(service_)); }
  SlicesSeen seen() const {
    SlicesSeen seen{.service = read(), .pods = pods_, .slices = slices_};
    seen.name_taken = [this](std::string_view name) {
      return std::any_of(slices_.begin(), slices_.end(),
                         [&](const auto& slice) { return slice.name() == name; });
    };
    return seen;
  }
  std::vector<std::string> settle() {
    std::vector<std::string> verbs;
    for (Outcome next = plan_slices(seen()); next.write(); next = plan_slices(seen())) {
      const Write& write = *next.write();
      std::erase_if(slices_, [&](const auto& slice) { return slice.name() == write.key.name; });
      if (write.verb != Write::Verb::Delete) {
        model::Value body = write.body;
        model::ensure_object(body, {"metadata"})["resourceVersion"] = "5";
        model::ensure_object(body, {"metadata"})["uid"] = "slice";
        slices_.push_back(cached(body));
      }
      verbs.push_back(write.verb == Write::Verb::Create   ? "create"
                      : write.verb == Write::Verb::Update ? "update"
                                                          : "delete");
      if (verbs.size() > 20) ADD_FAILURE() << "no end";
      if (verbs.size() > 20) break;
    }
    return verbs;
  }
  size_t endpoints(size_t slice) const {
    return model::array_at(slices_[slice].value(), {"endpoints"}).size();
  }
  model::Value slice(size_t i) const { return slices_[i].value(); }
  model::Value endpoint(size_t slice, size_t i) const {
    return model::array_at(slices_[slice].value(), {"endpoints"})[i];
  }

 private:
  model::Value service_;
  std::vector<Backend> pods_{};
  std::vector<kube::Cached> slices_{};
};

using Verbs = std::vector<std::string>;

TEST(EndpointSlices, ServiceWithoutPodsHasOneEmptySlice) {
  World world;
  EXPECT_EQ(world.settle(), Verbs{"create"});
  const model::Value slice = world.slices()[0].value();
  EXPECT_TRUE(slice.at("endpoints").is_null());
  EXPECT_EQ(model::string_at(slice, {"metadata", "labels", "team"}), "a");
  EXPECT_EQ(model::string_at(slice, {"metadata", "labels", kServiceName}), "web");
  EXPECT_EQ(model::string_at(slice, {"metadata", "generateName"}), "web-");

  world.add_pod(1, true);
  EXPECT_EQ(world.settle(), Verbs{"update"});
  EXPECT_EQ(world.endpoints(0), 1U);
}

TEST(EndpointSlices, EndpointTellsConditionsNodeAndPod) {
  World world;
  world.add_pod(1, true);
  world.add_pod(2, false);
  world.add_pod(3, true, "[]", /*going=*/true);
  world.settle();

  const model::Value ready = world.endpoint(0, 0);
  EXPECT_TRUE(model::bool_at(ready, {"conditions", "ready"}, false));
  EXPECT_EQ(model::string_at(ready, {"nodeName"}), "n");
  EXPECT_EQ(model::string_at(ready, {"targetRef", "uid"}), "u001");
  EXPECT_EQ(model::string_at(ready, {"hostname"}), "h1");
  EXPECT_FALSE(model::bool_at(world.endpoint(0, 1), {"conditions", "ready"}, true));
  const model::Value going = world.endpoint(0, 2);
  EXPECT_FALSE(model::bool_at(going, {"conditions", "ready"}, true));
  EXPECT_TRUE(model::bool_at(going, {"conditions", "serving"}, false));
  EXPECT_TRUE(model::bool_at(going, {"conditions", "terminating"}, false));
}

TEST(EndpointSlices, PublishedUnreadyPodsCountAsReady) {
  World world;
  world.spec()["publishNotReadyAddresses"] = true;
  world.add_pod(1, false);
  world.settle();
  EXPECT_TRUE(model::bool_at(world.endpoint(0, 0), {"conditions", "ready"}, false));
  EXPECT_FALSE(model::bool_at(world.endpoint(0, 0), {"conditions", "serving"}, true));
}

TEST(EndpointSlices, AtMostAHundredInASliceAndGapsAreFilledFirst) {
  World world;
  for (int i = 0; i < 150; ++i) world.add_pod(i, true);
  EXPECT_EQ(world.settle(), (Verbs{"create", "create"}));
  EXPECT_EQ(world.endpoints(0), 100U);
  EXPECT_EQ(world.endpoints(1), 50U);

  world.add_pod(150, true);
  EXPECT_EQ(world.settle(), Verbs{"update"});
  EXPECT_EQ(world.slices().size(), 2U);
  EXPECT_EQ(world.endpoints(1), 51U);

  world.pods().erase(world.pods().begin());
  world.add_pod(151, true);
  EXPECT_EQ(world.settle(), Verbs{"update"});
  EXPECT_EQ(world.endpoints(0) + world.endpoints(1), 151U);
}

TEST(EndpointSlices, NamedPortsThatDifferSplitTheSlices) {
  World world;
  world.spec()["ports"] =
      json(R"([{"name": "http", "port": 80, "targetPort": "web", "protocol": "TCP"}])");
  world.add_pod(1, true, R"([{"name": "web", "containerPort": 8080, "protocol": "TCP"}])");
  world.add_pod(2, true, R"([{"name": "web", "containerPort": 9090, "protocol": "TCP"}])");
  EXPECT_EQ(world.settle(), (Verbs{"create", "create"}));

  world.pods().pop_back();
  EXPECT_EQ(world.settle(), Verbs{"delete"});
}

TEST(EndpointSlices, SliceOfAnEarlierServiceIsReplaced) {
  World world;
  world.add_pod(1, true);
  world.settle();
  model::ensure_object(world.service(), {"metadata"})["uid"] = "svc-2";

  EXPECT_EQ(world.settle(), (Verbs{"create", "delete"}));
}

TEST(EndpointSlices, LabelsOfTheServiceAreFollowed) {
  World world;
  world.add_pod(1, true);
  world.settle();
  model::ensure_object(world.service(), {"metadata", "labels"})["team"] = "b";
  EXPECT_EQ(world.settle(), Verbs{"update"});
}

TEST(EndpointSlices, PodOnAnUnknownNodeIsLeftOutAndLookedForAgain) {
  World world;
  world.add_pod(1, true);
  world.pods()[0].node_missing = true;
  world.settle();
  EXPECT_EQ(plan_slices(world.seen()).kind, Outcome::Kind::Wait);
  EXPECT_EQ(world.endpoints(0), 0U);
}

TEST(EndpointSlices, TriggerTimeIsThatOfThePodWhichChanged) {
  const auto trigger = [](const World& world, size_t slice) {
    return std::string(model::string_at(
        world.slice(slice),
        {"metadata", "annotations", "endpoints.kubernetes.io/last-change-trigger-time"}));
  };
  World world;
  world.settle();
  EXPECT_EQ(trigger(world, 0), "2026-01-01T00:00:00Z") << "that of the Service at first";

  world.add_pod(1, true);
  world.settle();
  EXPECT_EQ(trigger(world, 0), "2026-01-01T00:01:00Z");

  world.pods().clear();
  world.settle();
  EXPECT_EQ(trigger(world, 0), "") << "a pod that is gone has no time";
}

TEST(EndpointSlices, EndedPodLeavesItsSlice) {
  World world;
  world.add_pod(1, true);
  world.add_pod(2, true);
  world.settle();
  world.pods()[0].phase = "Succeeded";
  EXPECT_EQ(world.settle(), Verbs{"update"});
  EXPECT_EQ(world.endpoints(0), 1U);
}

TEST(EndpointSlices, TrafficKeptNearIsHintedByZone) {
  World world;
  world.spec()["trafficDistribution"] = "PreferClose";
  world.add_pod(1, true);
  world.pods()[0].zone = "east";
  world.settle();
  EXPECT_EQ(
      model::string_at(model::array_at(world.endpoint(0, 0), {"hints", "forZones"})[0], {"name"}),
      "east");
}

TEST(Endpoints, ReadyAndUnreadyAddressesShareASubset) {
  World world;
  world.add_pod(2, false);
  world.add_pod(1, true);

  const model::Array subsets = subsets_of(world.read(), world.pods());

  ASSERT_EQ(subsets.size(), 1U);
  EXPECT_EQ(model::string_at(model::array_at(subsets[0], {"addresses"})[0], {"ip"}), "10.9.0.1");
  EXPECT_EQ(model::string_at(model::array_at(subsets[0], {"notReadyAddresses"})[0], {"ip"}),
            "10.9.0.2");
  EXPECT_EQ(model::int_at(model::array_at(subsets[0], {"ports"})[0], {"port"}, 0), 8080);
}

TEST(Endpoints, TerminatingPodsAreGoneUnlessUnreadyOnesArePublished) {
  World world;
  world.add_pod(1, true, "[]", /*going=*/true);
  EXPECT_TRUE(subsets_of(world.read(), world.pods()).empty());
  world.spec()["publishNotReadyAddresses"] = true;
  EXPECT_EQ(subsets_of(world.read(), world.pods()).size(), 1U);
}

TEST(Endpoints, HeadlessServiceNeedsNoPorts) {
  World world;
  world.spec()["clusterIP"] = "None";
  world.spec().erase("ports");
  world.add_pod(1, true);
  const model::Array subsets = subsets_of(world.read(), world.pods());
  ASSERT_EQ(subsets.size(), 1U);
  EXPECT_EQ(model::find(subsets[0], {"ports"}), nullptr);
}

TEST(Endpoints, AreWrittenOnceWithTheLabelsOfTheRealController) {
  World world;
  world.spec()["clusterIP"] = "None";
  world.add_pod(1, true);

  const Outcome first = plan_endpoints(world.read(), world.pods(), {});
  ASSERT_TRUE(first.write());
  model::Value body = first.write()->body;
  const model::Object& labels = model::object_at(body, {"metadata", "labels"});
  EXPECT_EQ(labels.at("endpoints.kubernetes.io/managed-by"), "endpoint-controller");
  EXPECT_EQ(labels.at("service.kubernetes.io/headless"), "");
  EXPECT_EQ(labels.at("team"), "a");

  model::ensure_object(body, {"metadata"})["resourceVersion"] = "4";
  EXPECT_EQ(plan_endpoints(world.read(), world.pods(), cached(body)).kind, Outcome::Kind::Done);
}

TEST(Endpoints, MoreThanAThousandAreCutAndSaidSo) {
  World world;
  for (int i = 0; i < 1100; ++i) world.add_pod(i, i >= 200);

  const Outcome outcome = plan_endpoints(world.read(), world.pods(), {});

  ASSERT_TRUE(outcome.write());
  const model::Value& subset = model::array_at(outcome.write()->body, {"subsets"})[0];
  EXPECT_EQ(model::array_at(subset, {"addresses"}).size(), 900U);
  EXPECT_EQ(model::array_at(subset, {"notReadyAddresses"}).size(), 100U);
  EXPECT_EQ(model::string_at(outcome.write()->body,
                             {"metadata", "annotations", "endpoints.kubernetes.io/over-capacity"}),
            "truncated");
}

}  // namespace
}  // namespace holdfast::workloads::endpoints

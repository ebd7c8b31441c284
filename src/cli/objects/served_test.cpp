#include "objects/served.h"

#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

model::Value json(std::string_view text) { return model::parse_json(text).take().value; }

Catalogue catalogue() {
  return Catalogue::read(
             {json(R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{},"versions":[
        {"version":"v1","resources":[
          {"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced",
           "singularResource":"pod","verbs":["get","list"],"shortNames":["po"],
           "categories":["all"]},
          {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced",
           "verbs":["list"],"shortNames":["ev"]},
          {"resource":"nodes","responseKind":{"kind":"Node"},"scope":"Cluster",
           "singularResource":"node","verbs":["list"],"shortNames":["no"]}]}]}]})"),
              json(R"({"kind":"APIGroupDiscoveryList","items":[
        {"metadata":{"name":"apps"},"versions":[
          {"version":"v1","resources":[{"resource":"deployments",
           "responseKind":{"kind":"Deployment"},"scope":"Namespaced",
           "singularResource":"deployment","verbs":["get","list"],"shortNames":["deploy"],
           "categories":["all"]}]},
          {"version":"v1beta1","resources":[{"resource":"deployments",
           "responseKind":{"kind":"Deployment"},"scope":"Namespaced",
           "singularResource":"deployment","verbs":["get","list"]},
           {"resource":"scales","responseKind":{"kind":"Scale"},"verbs":["get"],
            "categories":["all"]}]}]},
        {"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","resources":[
          {"resource":"events","responseKind":{"kind":"Event"},"scope":"Namespaced",
           "singularResource":"event","verbs":["list"]}]}]},
        {"metadata":{"name":"holdfast.dev"},"versions":[{"version":"v1alpha1","resources":[
          {"resource":"pods","responseKind":{"kind":"HoldfastPod"},"verbs":["list"],
           "shortNames":["no"]}]}]}]})")})
      .take();
}

/// "apps/v1 deployments", and so on for all that a word means.
std::string meaning(const Catalogue& of, std::string_view word) {
  const auto found = of.find(word);
  if (!found) return found.error().what();
  std::string out;
  for (const Served* each : *found)
    out += (out.empty() ? "" : ", ") + each->resource().api_version() + " " + each->plural;
  return out;
}

TEST(Served, KindsAreFoundByEveryNameThatKubectlTakes) {
  const Catalogue all = catalogue();
  for (const char* word : {"pods", "pod", "po", "Pod", "PODS", "pods.v1."})
    EXPECT_EQ(meaning(all, word), "v1 pods") << word;
  for (const char* word :
       {"deploy", "deployments.apps", "Deployment.apps", "deploy.v1.apps", "deployments.app"})
    EXPECT_EQ(meaning(all, word), "apps/v1 deployments") << word;
  EXPECT_EQ(meaning(all, "deployments.v1beta1.apps"), "apps/v1beta1 deployments");
  EXPECT_EQ(meaning(all, "events"), "v1 events") << "the core group comes first";
  EXPECT_EQ(meaning(all, "events.events.k8s.io"), "events.k8s.io/v1 events");
  EXPECT_EQ(meaning(all, "no"), "v1 nodes") << "the first of two short names";
  EXPECT_EQ(meaning(all, "pods.holdfast.dev"), "holdfast.dev/v1alpha1 pods");
}

TEST(Served, CategoriesMeanAllThatCanBeListedInThePreferredVersion) {
  EXPECT_EQ(meaning(catalogue(), "all"), "v1 pods, apps/v1 deployments");
}

TEST(Served, WhatIsNotThereIsSaidInKubectlsWords) {
  for (const char* word : {"foos", "foos.bar.dev"})
    EXPECT_EQ(meaning(catalogue(), word), "the server doesn't have a resource type \"foos\"");
  EXPECT_FALSE(Catalogue::read({json(R"({"kind":"APIVersions"})")}));
}

TEST(Served, NamesHaveTheirGroupInFront) {
  const Catalogue all = catalogue();
  EXPECT_EQ((*all.find("po"))[0]->prefix(), "pod");
  EXPECT_EQ((*all.find("deploy"))[0]->prefix(), "deployment.apps");
  EXPECT_FALSE((*all.find("nodes"))[0]->namespaced);
}

TEST(Wanted, IsReadInAllForms) {
  using All = std::vector<Wanted>;
  EXPECT_EQ(*read_wanted({"pods"}), (All{{"pods", ""}}));
  EXPECT_EQ(*read_wanted({"pods,svc"}), (All{{"pods", ""}, {"svc", ""}}));
  EXPECT_EQ(*read_wanted({"pod", "a", "b"}), (All{{"pod", "a"}, {"pod", "b"}}));
  EXPECT_EQ(*read_wanted({"pod/a", "svc/b"}), (All{{"pod", "a"}, {"svc", "b"}}));
  for (const std::vector<std::string>& bad : {std::vector<std::string>{},
                                              {","},
                                              {"pod/a", "b"},
                                              {"pod", "svc/b"},
                                              {"pod/"},
                                              {"/a"},
                                              {"a/b/c"}})
    EXPECT_FALSE(read_wanted(bad)) << (bad.empty() ? "" : bad.back());
}

}  // namespace
}  // namespace holdfast::cli

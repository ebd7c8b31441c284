// Controllers of accounts and aggregated roles: the default ServiceAccount, the root CA, the
// collected rules.
#include <holdfast/model/apply.h>
#include <holdfast/model/selector.h>

#include "controllers/known.h"
#include "controllers/queue.h"
#include "controllers/write_as.h"
#include "rest/decode.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

constexpr MonoTime kRetry = std::chrono::seconds(1);
constexpr std::string_view kRoles = "rbac.authorization.k8s.io/clusterroles";

// Keeps one object per namespace as it should be.
class PerNamespace : public Controller {
 public:
  PerNamespace(std::string resource, std::string object)
      : resource_(std::move(resource)), object_(std::move(object)) {}

  void note(const Change& change) override {
    if (change.key.resource == "namespaces" && change.type == ChangeType::Added)
      queue_.add(change.key);
    if (change.key.resource == resource_ && change.key.name == object_)
      queue_.add({"namespaces", "", change.key.ns});
  }

  void start(Api& api) override {
    for (const StoredPtr& stored : list_all(api.store, "namespaces"))
      queue_.add({"namespaces", "", stored->meta.name});
  }

  bool step(Api& api) override {
    const std::optional<Key> key = queue_.take(api.clock.mono());
    if (!key) return false;
    const StoredPtr ns = api.store.get(*key);
    if (ns == nullptr || !ns->meta.deletion_timestamp.empty()) return true;
    if (!ensure(api, key->name)) queue_.add_at(*key, api.clock.mono() + kRetry);
    return true;
  }

 protected:
  virtual Value wanted(const std::string& ns) const = 0;
  virtual bool right(const Value& live) const = 0;
  virtual void mend(Value& live) const = 0;

 private:
  bool ensure(Api& api, const std::string& ns) {
    const Key key{resource_, ns, object_};
    const ResourcePtr resource = api.kinds.catalogue()->find("", "v1", resource_);
    const StoredPtr stored = api.store.get(key);
    const WriteRequest request = write_as(name(), resource, key);
    if (stored == nullptr) {
      Value object = wanted(ns);
      std::vector<std::string> warnings;
      if (!settle_object(object, {}, *resource, FieldValidation::Ignore, warnings)) return false;
      const Answer<Written> written = create_object(api, request, std::move(object));
      return written || written.error().code == 409 || written.error().code == 403;
    }
    if (right(parse_stored(*stored))) return true;
    const Answer<Written> written =
        update_object(api, request, {}, [&](const Value* live) -> Answer<Value> {
          Value next = *live;
          mend(next);
          return next;
        });
    return written || written.error().code == 404;
  }

  const std::string resource_, object_;
  KeyQueue queue_;
};

class ServiceAccountController final : public PerNamespace {
 public:
  ServiceAccountController() : PerNamespace("serviceaccounts", "default") {}
  std::string_view name() const override { return "serviceaccount-controller"; }

 protected:
  Value wanted(const std::string& ns) const override {
    return Object{{"apiVersion", "v1"},
                  {"kind", "ServiceAccount"},
                  {"metadata", Object{{"name", "default"}, {"namespace", ns}}}};
  }
  bool right(const Value&) const override { return true; }
  void mend(Value&) const override {}
};

class RootCaPublisher final : public PerNamespace {
 public:
  explicit RootCaPublisher(std::string ca)
      : PerNamespace("configmaps", "kube-root-ca.crt"), ca_(std::move(ca)) {}
  std::string_view name() const override { return "root-ca-certificate-publisher-controller"; }

 protected:
  Value wanted(const std::string& ns) const override {
    return Object{
        {"apiVersion", "v1"},
        {"kind", "ConfigMap"},
        {"metadata",
         Object{{"name", "kube-root-ca.crt"},
                {"namespace", ns},
                {"annotations", Object{{"kubernetes.io/description", std::string(kDescription)}}}}},
        {"data", Object{{"ca.crt", ca_}}}};
  }
  bool right(const Value& live) const override {
    return model::string_at(live, {"data", "ca.crt"}) == ca_ &&
           model::object_at(live, {"data"}).size() == 1;
  }
  void mend(Value& live) const override { live.get_object()["data"] = Object{{"ca.crt", ca_}}; }

 private:
  // The annotation's text is part of what clients see in every namespace of every cluster.
  static constexpr std::string_view kDescription =
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
      "endpoints such as the internal service "
      "IP or kubernetes.default.svc. No other usage is guaranteed across distributions of "
      "Kubernetes clusters.";
  const std::string ca_;
};

class ClusterRoleAggregation final : public Controller {
 public:
  std::string_view name() const override { return "clusterrole-aggregation-controller"; }

  void note(const Change& change) override {
    if (change.key.resource == kRoles) queue_.add({std::string(kRoles), "", ""});
  }
  void start(Api&) override { queue_.add({std::string(kRoles), "", ""}); }

  bool step(Api& api) override {
    if (!queue_.take(api.clock.mono())) return false;
    const std::vector<StoredPtr> roles = list_all(api.store, std::string(kRoles));
    for (const StoredPtr& stored : roles) {
      if (stored->text.find("\"aggregationRule\"") == std::string::npos) continue;
      const Value role = parse_stored(*stored);
      if (model::find(role, {"aggregationRule"}) != nullptr) aggregate(api, role, roles);
    }
    return true;
  }

 private:
  void aggregate(Api& api, const Value& role, const std::vector<StoredPtr>& roles) {
    Array rules;
    const std::string_view own = model::string_at(role, {"metadata", "name"});
    for (const Value& selector :
         model::array_at(role, {"aggregationRule", "clusterRoleSelectors"})) {
      const Result<model::LabelSelector> parsed = model::LabelSelector::from_object(selector);
      if (!parsed) continue;
      for (const StoredPtr& other : roles) {
        if (other->meta.name == own || !parsed->matches(other->meta.labels)) continue;
        const Value source = parse_stored(*other);
        for (const Value& rule : model::array_at(source, {"rules"}))
          if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
      }
    }
    if (model::array_at(role, {"rules"}) == rules) return;
    const Answer<Written> written = apply_rules(api, std::string(own), std::move(rules));
    if (!written && written.error().code != 404)
      queue_.add_at({std::string(kRoles), "", ""}, api.clock.mono() + kRetry);
  }

  // Applied, not updated: where nothing is collected the controller has no say, and rules that
  // somebody else put there stay.
  Answer<Written> apply_rules(Api& api, const std::string& role, Array rules) {
    const ResourcePtr resource =
        api.kinds.catalogue()->find("rbac.authorization.k8s.io", "v1", "clusterroles");
    WriteRequest request = write_as(name(), resource, {std::string(kRoles), "", role});
    request.user.groups.emplace_back("system:masters");  // it hands on what others were given
    request.options.field_manager = name();
    Value wanted = Object{{"apiVersion", resource->api_version()},
                          {"kind", resource->kind},
                          {"metadata", Object{{"name", role}}}};
    if (!rules.empty()) wanted.get_object()["rules"] = std::move(rules);
    const model::Writer writer{request.options.field_manager, resource->api_version(), "",
                               api.clock.now()};
    const auto next_state = [&](const Value* live) -> Answer<Value> {
      Value next = HF_TRY(model::apply_config(*live, wanted, *resource->schema, writer, true,
                                              untracked_paths(*resource, "")));
      std::vector<std::string> warnings;
      HF_TRY(settle_object(next, {}, *resource, request.options.validation, warnings));
      return next;
    };
    return update_object(api, request, {.create_if_absent = false, .apply = true}, next_state);
  }

  KeyQueue queue_;
};

}  // namespace

std::unique_ptr<Controller> make_service_account_controller(const std::string&) {
  return std::make_unique<ServiceAccountController>();
}
std::unique_ptr<Controller> make_root_ca_publisher(const std::string& root_ca) {
  return std::make_unique<RootCaPublisher>(root_ca);
}
std::unique_ptr<Controller> make_cluster_role_aggregation(const std::string&) {
  return std::make_unique<ClusterRoleAggregation>();
}

}  // namespace holdfast::apiserver

// Kinds that are questions: they are answered in their own `status` and never stored. And
// TokenRequest, which is one too.
#include <holdfast/model/time.h>

#include "rest/decode.h"
#include "rest/form.h"
#include "rest/operations.h"

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

Reply created(Value object) {
  // The answer's metadata is empty but there.
  model::ensure_object(object, {"metadata"});
  Reply reply;
  reply.code = 201;
  reply.body = model::to_json(object);
  return reply;
}

Attributes attributes_of(const Value& spec) {
  Attributes what;
  if (const Value* resource = model::find(spec, {"resourceAttributes"})) {
    what.verb = model::string_at(*resource, {"verb"});
    what.group = model::string_at(*resource, {"group"});
    what.version = model::string_at(*resource, {"version"});
    what.resource = model::string_at(*resource, {"resource"});
    what.subresource = model::string_at(*resource, {"subresource"});
    what.ns = model::string_at(*resource, {"namespace"});
    what.name = model::string_at(*resource, {"name"});
  } else {
    what.verb = model::string_at(spec, {"nonResourceAttributes", "verb"});
    what.path = model::string_at(spec, {"nonResourceAttributes", "path"});
  }
  return what;
}

std::vector<std::string> strings_at(const Value& object,
                                    std::initializer_list<std::string_view> path) {
  std::vector<std::string> out;
  for (const Value& each : model::array_at(object, path))
    if (each.is_string()) out.emplace_back(model::view(each.get_string()));
  return out;
}

User user_of(const Value& spec) {
  User user;
  user.name = model::string_at(spec, {"user"});
  user.uid = model::string_at(spec, {"uid"});
  user.groups = strings_at(spec, {"groups"});
  return user;
}

Value to_value(const User& user) {
  Object out{{"username", user.name}};
  if (!user.uid.empty()) out["uid"] = user.uid;
  if (!user.groups.empty()) {
    Array groups;
    for (const std::string& group : user.groups) groups.emplace_back(group);
    out["groups"] = std::move(groups);
  }
  if (!user.extra.empty()) {
    Object extra;
    for (const auto& [key, values] : user.extra) {
      Array list;
      for (const std::string& value : values) list.emplace_back(value);
      extra[key] = std::move(list);
    }
    out["extra"] = std::move(extra);
  }
  return out;
}

Answer<void> check_access_spec(const Value& spec, const std::string& kind, bool self) {
  model::FieldErrors errors;
  const bool resource = model::find(spec, {"resourceAttributes"}) != nullptr;
  const bool path = model::find(spec, {"nonResourceAttributes"}) != nullptr;
  if (resource && path)
    errors.push_back(model::invalid_field(
        "spec.nonResourceAttributes", *model::find(spec, {"nonResourceAttributes"}),
        "cannot be specified in combination with resourceAttributes"));
  if (!resource && !path)
    errors.push_back(model::invalid_field(
        "spec.resourceAttributes", nullptr,
        "exactly one of nonResourceAttributes or resourceAttributes must be specified"));
  if (!self && model::string_at(spec, {"user"}).empty() &&
      model::array_at(spec, {"groups"}).empty())
    errors.push_back(model::invalid_field("spec.user", Value(""),
                                          "at least one of user or group must be specified"));
  if (!errors.empty()) return model::invalid({"authorization.k8s.io", kind}, "", errors);
  return {};
}

Answer<Reply> access_review(Api& api, Call& call, Value review) {
  const std::string& kind = call.resource->kind;
  const bool self = kind == "SelfSubjectAccessReview";
  const Value spec = *model::find(review, {"spec"});
  HF_TRY(check_access_spec(spec, kind, self));
  const Attributes what = attributes_of(spec);
  if (kind == "LocalSubjectAccessReview" && what.ns != call.info.ns)
    return model::bad_request(
        fmt::format("spec.resourceAttributes.namespace must match namespace: {}", call.info.ns));
  const Decision decision = api.authorizer.authorize(self ? call.user : user_of(spec), what);
  Object status{{"allowed", decision.allowed}};
  if (!decision.reason.empty()) status["reason"] = decision.reason;
  review.get_object()["status"] = std::move(status);
  return created(std::move(review));
}

Array list_of(const std::vector<std::string>& names) {
  Array out;
  for (const std::string& name : names) out.emplace_back(name);
  return out;
}

Answer<Reply> rules_review(Api& api, Call& call, Value review) {
  const std::string ns(model::string_at(review, {"spec", "namespace"}));
  if (ns.empty()) return model::bad_request("no namespace on request");
  Array resources, paths;
  for (const PolicyRule& rule : api.authorizer.rules_for(call.user, ns)) {
    if (!rule.non_resource_urls.empty())
      paths.emplace_back(Object{{"verbs", list_of(rule.verbs)},
                                {"nonResourceURLs", list_of(rule.non_resource_urls)}});
    if (rule.resources.empty()) continue;
    Object entry{{"verbs", list_of(rule.verbs)},
                 {"apiGroups", list_of(rule.api_groups)},
                 {"resources", list_of(rule.resources)}};
    if (!rule.resource_names.empty()) entry["resourceNames"] = list_of(rule.resource_names);
    resources.emplace_back(std::move(entry));
  }
  review.get_object()["status"] = Object{{"resourceRules", std::move(resources)},
                                         {"nonResourceRules", std::move(paths)},
                                         {"incomplete", false}};
  return created(std::move(review));
}

Answer<Reply> token_review(Api& api, Value review) {
  const std::string token(model::string_at(review, {"spec", "token"}));
  if (token.empty())
    return model::bad_request("token is required for TokenReview in authentication");
  const std::vector<std::string> audiences = strings_at(review, {"spec", "audiences"});
  const Authenticator::Verdict verdict = api.authenticator.review_token(token, audiences);
  Object status;
  if (verdict.user) {
    status["authenticated"] = true;
    status["user"] = to_value(*verdict.user);
    if (!verdict.audiences.empty()) status["audiences"] = list_of(verdict.audiences);
  } else {
    status["user"] = Object();
    status["error"] = verdict.error;
  }
  review.get_object()["status"] = std::move(status);
  return created(std::move(review));
}

Answer<TokenSpec::Bound> bound_object(Api& api, const Value& reference, const std::string& ns,
                                      TokenSpec& spec) {
  const std::string kind(model::string_at(reference, {"kind"})),
      name(model::string_at(reference, {"name"}));
  const std::string_view uid = model::string_at(reference, {"uid"});
  std::string resource;
  if (kind == "Pod")
    resource = "pods";
  else if (kind == "Secret")
    resource = "secrets";
  else if (kind == "Node")
    resource = "nodes";
  else
    return model::bad_request(fmt::format(
        "cannot bind token for serviceaccount \"{}\" to object {}", spec.service_account, kind));
  const StoredPtr stored = api.store.get({resource, kind == "Node" ? "" : ns, name});
  if (stored == nullptr) return model::not_found({"", resource}, name);
  if (!uid.empty() && uid != stored->meta.uid)
    return model::conflict({"", resource}, name,
                           fmt::format("the UID in the bound object reference ({}) does not match "
                                       "the UID in record. The object might "
                                       "have been deleted and then recreated",
                                       uid));
  if (kind == "Pod") {
    const Value pod = parse_stored(*stored);
    if (model::string_at(pod, {"spec", "serviceAccountName"}) != spec.service_account)
      return model::bad_request(
          fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with different "
                      "serviceaccount name.",
                      spec.service_account));
    spec.node_name = model::string_at(pod, {"spec", "nodeName"});
    if (const StoredPtr node = api.store.get({"nodes", "", spec.node_name}))
      spec.node_uid = node->meta.uid;
  }
  return TokenSpec::Bound{kind, name, stored->meta.uid};
}

}  // namespace

Answer<Reply> review(Api& api, Call& call) {
  const std::string& kind = call.resource->kind;
  Value object = HF_TRY(decode_kind(call.http, call.resource->gvk()));
  if (kind == "TokenReview") return token_review(api, std::move(object));
  if (kind == "SelfSubjectRulesReview") return rules_review(api, call, std::move(object));
  if (kind == "SelfSubjectReview") {
    model::ensure_object(object, {"metadata"})["creationTimestamp"] =
        model::to_rfc3339(api.clock.now());
    object.get_object()["status"] = Object{{"userInfo", to_value(call.user)}};
    return created(std::move(object));
  }
  return access_review(api, call, std::move(object));
}

Answer<Reply> request_token(Api& api, Call& call) {
  Value request = HF_TRY(decode_kind(call.http, {"authentication.k8s.io", "v1", "TokenRequest"}));
  const StoredPtr account = api.store.get({"serviceaccounts", call.info.ns, call.info.name});
  if (account == nullptr) return model::not_found({"", "serviceaccounts"}, call.info.name);
  TokenSpec spec;
  spec.ns = call.info.ns;
  spec.service_account = call.info.name;
  spec.service_account_uid = account->meta.uid;
  spec.audiences = strings_at(request, {"spec", "audiences"});
  spec.expiration_seconds = model::int_at(request, {"spec", "expirationSeconds"}, 3600);
  model::FieldErrors errors;
  if (spec.expiration_seconds < 600)
    errors.push_back(model::invalid_field("spec.expirationSeconds", Value(spec.expiration_seconds),
                                          "may not specify a duration less than 10 minutes"));
  if (spec.expiration_seconds > (int64_t(1) << 32))
    errors.push_back(model::invalid_field("spec.expirationSeconds", Value(spec.expiration_seconds),
                                          "may not specify a duration larger than 2^32 seconds"));
  if (!errors.empty()) return model::invalid({"authentication.k8s.io", "TokenRequest"}, "", errors);
  if (const Value* reference = model::find(request, {"spec", "boundObjectRef"});
      reference && reference->is_object())
    spec.bound = HF_TRY(bound_object(api, *reference, call.info.ns, spec));

  WallTime expires;
  Result<std::string> token = api.authenticator.issue_token(spec, expires);
  if (!token) return model::internal_error(token.error().what());
  Object& members = request.get_object();
  Object& wanted = model::ensure_object(request, {"spec"});
  if (spec.audiences.empty()) wanted["audiences"] = Array{Value(kTokenIssuer)};
  wanted["expirationSeconds"] = spec.expiration_seconds;
  members["metadata"] = Object{{"name", call.info.name},
                               {"namespace", call.info.ns},
                               {"creationTimestamp", model::to_rfc3339(api.clock.now())}};
  members["status"] =
      Object{{"token", *token}, {"expirationTimestamp", model::to_rfc3339(expires)}};
  Reply reply;
  reply.code = 201;
  reply.body = model::to_json(request);
  reply.hold = account->revision;
  return reply;
}

}  // namespace holdfast::apiserver

// Reviews (kinds that are questions): they are answered in their own `status` and never stored.
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

}  // namespace holdfast::apiserver

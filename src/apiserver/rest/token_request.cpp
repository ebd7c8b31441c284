// serviceaccounts/token: a TokenRequest is answered with a token and never stored.
#include <holdfast/model/time.h>

#include "rest/decode.h"
#include "rest/form.h"
#include "rest/operations.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

// What the kubelet asks for when a pod says nothing. Old clients read their token once only, so
// such a token lives on for a year while saying that it ends.
constexpr int64_t kProjectedSeconds = 3607;
constexpr int64_t kExtendedSeconds = int64_t(365) * 24 * 60 * 60;

// What the body says of the account must be true; it may say nothing.
Answer<void> check_names(const Value& request, const Call& call) {
  const std::string_view ns = model::string_at(request, {"metadata", "namespace"});
  if (!ns.empty() && ns != call.info.ns)
    return model::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  const std::string_view name = model::string_at(request, {"metadata", "name"});
  if (!name.empty() && name != call.info.name)
    return model::invalid(
        {"authentication.k8s.io", "TokenRequest"}, call.info.name,
        {model::invalid_field("metadata.name", Value(name),
                              "must match the service account name if specified")});
  return {};
}

Answer<void> check_uid(const Value& request, const Call& call, const Stored& account) {
  const std::string_view uid = model::string_at(request, {"metadata", "uid"});
  if (uid.empty() || uid == account.meta.uid) return {};
  return model::conflict({"authentication.k8s.io", "TokenRequest"}, call.info.name,
                         fmt::format("the UID in the token request ({}) does not match the UID of "
                                     "the service account ({})",
                                     uid, account.meta.uid));
}

Answer<void> check_expiration(int64_t seconds) {
  std::string_view why;
  if (seconds < 600) why = "may not specify a duration less than 10 minutes";
  if (seconds > (int64_t(1) << 32)) why = "may not specify a duration larger than 2^32 seconds";
  if (why.empty()) return {};
  return model::invalid(
      {"authentication.k8s.io", "TokenRequest"}, "",
      {model::invalid_field("spec.expirationSeconds", Value(seconds), std::string(why))});
}

// The pod must run as the account; its node goes into the token if it has one.
Answer<void> add_pod(Api& api, const Stored& stored, TokenSpec& spec) {
  const Value pod = parse_stored(stored);
  if (model::string_at(pod, {"spec", "serviceAccountName"}) != spec.service_account)
    return model::bad_request(
        fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with different "
                    "serviceaccount name.",
                    spec.service_account));
  spec.node_name = model::string_at(pod, {"spec", "nodeName"});
  if (const StoredPtr node = api.store.get({"nodes", "", spec.node_name}))
    spec.node_uid = node->meta.uid;
  return {};
}

Answer<void> bind(Api& api, const Value& reference, TokenSpec& spec) {
  const std::string kind(model::string_at(reference, {"kind"}));
  const std::string name(model::string_at(reference, {"name"}));
  Result<model::GroupVersion> parsed =
      model::GroupVersion::parse(model::string_at(reference, {"apiVersion"}));
  const model::GroupVersion version = parsed ? parsed.take() : model::GroupVersion{};
  Key key{"", spec.ns, name};
  if (kind == "Pod") key.resource = "pods";
  if (kind == "Secret") key.resource = "secrets";
  if (kind == "Node") key = {"nodes", "", name};
  if (!version.group.empty() || key.resource.empty())
    return model::bad_request(fmt::format("cannot bind token to object of type {}/{}, Kind={}",
                                          version.group, version.version, kind));
  const StoredPtr stored = api.store.get(key);
  if (stored == nullptr) return model::not_found({"", key.resource}, name);
  if (kind == "Pod") {
    HF_TRY(add_pod(api, *stored, spec));
  }
  const std::string_view uid = model::string_at(reference, {"uid"});
  if (!uid.empty() && uid != stored->meta.uid)
    return model::conflict(
        {"", kind}, name,
        fmt::format("the UID in the bound object reference ({}) does not match the UID in record. "
                    "The object might have been deleted and then recreated",
                    uid));
  spec.bound = TokenSpec::Bound{kind, name, stored->meta.uid};
  return {};
}

void extend(TokenSpec& spec) {
  const bool ours = std::all_of(spec.audiences.begin(), spec.audiences.end(),
                                [](const std::string& each) { return each == kTokenIssuer; });
  if (!ours || !spec.bound || spec.bound->kind != "Pod" ||
      spec.expiration_seconds != kProjectedSeconds)
    return;
  spec.warn_after_seconds = spec.expiration_seconds;
  spec.expiration_seconds = kExtendedSeconds;
}

Answer<TokenSpec> read_spec(Api& api, const Call& call, const Value& request,
                            const Stored& account) {
  TokenSpec spec;
  spec.ns = call.info.ns;
  spec.service_account = call.info.name;
  spec.service_account_uid = account.meta.uid;
  for (const Value& each : model::array_at(request, {"spec", "audiences"}))
    if (each.is_string()) spec.audiences.emplace_back(model::view(each.get_string()));
  if (spec.audiences.empty()) spec.audiences.emplace_back(kTokenIssuer);
  spec.expiration_seconds = model::int_at(request, {"spec", "expirationSeconds"}, 3600);
  HF_TRY(check_expiration(spec.expiration_seconds));
  if (const Value* reference = model::find(request, {"spec", "boundObjectRef"});
      reference && reference->is_object()) {
    HF_TRY(bind(api, *reference, spec));
  }
  return spec;
}

}  // namespace

Answer<Reply> request_token(Api& api, Call& call) {
  Value request = HF_TRY(decode_kind(call.http, {"authentication.k8s.io", "v1", "TokenRequest"}));
  HF_TRY(check_names(request, call));
  const StoredPtr account = api.store.get({"serviceaccounts", call.info.ns, call.info.name});
  if (account == nullptr) return model::not_found({"", "serviceaccounts"}, call.info.name);
  HF_TRY(check_uid(request, call, *account));
  TokenSpec spec = HF_TRY(read_spec(api, call, request, *account));
  Object& wanted = model::ensure_object(request, {"spec"});
  Array audiences;
  for (const std::string& each : spec.audiences) audiences.emplace_back(each);
  wanted["audiences"] = std::move(audiences);
  wanted["expirationSeconds"] = spec.expiration_seconds;
  extend(spec);

  WallTime expires;
  Result<std::string> token = api.authenticator.issue_token(spec, expires);
  if (!token) return model::internal_error(token.error().what());
  Object& members = request.get_object();
  members["metadata"] = Object{{"name", call.info.name},
                               {"namespace", call.info.ns},
                               {"uid", account->meta.uid},
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

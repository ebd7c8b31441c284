// ServiceAccount tokens are JWTs:  base64url(header).base64url(claims).base64url(ES256 signature)
//   header  {"alg":"ES256","kid":"<base64url SHA-256 of the public key's DER>"}
//   claims  {"aud":[…],"exp":N,"iat":N,"iss":ISSUER,"jti":UUID,
//            "kubernetes.io":{"namespace":NS,"serviceaccount":{"name","uid"},
//              "pod":{"name","uid"},"node":{"name","uid"},"secret":{…},"warnafter":N},
//            "nbf":N,"sub":"system:serviceaccount:NS:NAME"}
// A token dies with its ServiceAccount and with the object that it is bound to: both are looked up
// on every use.
#include "auth/authenticator.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/model/time.h>
#include <holdfast/net/pki.h>

#include "auth/token_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace holdfast::apiserver {
namespace {

using model::Object;
using model::Value;

int64_t unix_seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::optional<Value> json_part(std::string_view part) {
  const std::optional<std::string> bytes = from_base64url(part);
  if (!bytes) return std::nullopt;
  Result<model::Parsed> parsed = model::parse_json(*bytes);
  if (!parsed || !parsed->value.is_object()) return std::nullopt;
  return std::move(parsed->value);
}

class Tokens final : public Authenticator {
 public:
  Tokens(AuthenticatorOptions options, std::map<std::string, User> static_tokens,
         const Store& store, const Clock& clock, Random& random)
      : options_(std::move(options)),
        static_(std::move(static_tokens)),
        store_(store),
        clock_(clock),
        random_(random) {
    key_id_ = base64url(sha256(public_der()));
  }

  model::Answer<User> authenticate(const net::Request& request) const override {
    if (request.peer.certificate) {
      User user{request.peer.common_name, "", request.peer.organizations, {}};
      user.groups.emplace_back("system:authenticated");
      return user;
    }
    const std::string_view header = request.headers.get("Authorization");
    constexpr std::string_view kScheme = "bearer ";
    if (to_lower(header.substr(0, kScheme.size())) == kScheme) {
      Verdict verdict = review_token(trim(header.substr(kScheme.size())), {});
      if (!verdict.user) return model::unauthorized();
      return std::move(*verdict.user);
    }
    // Who shows something wrong meant to be somebody, and is told so.
    if (!header.empty() || request.peer.certificate_refused) return model::unauthorized();
    return User{kAnonymous, "", {"system:unauthenticated"}, {}};
  }

  Verdict review_token(std::string_view token,
                       const std::vector<std::string>& audiences) const override {
    const auto found = static_.find(sha256(token));
    if (found == static_.end()) return review_jwt(token, audiences);
    // Static tokens are for this server and nobody else.
    if (!audiences.empty() &&
        std::find(audiences.begin(), audiences.end(), options_.issuer) == audiences.end())
      return {std::nullopt, {}, "invalid bearer token"};
    User user = found->second;
    user.groups.emplace_back("system:authenticated");
    return {std::move(user), {options_.issuer}, ""};
  }

  Result<std::string> issue_token(const TokenSpec& spec, WallTime& expires) const override {
    const int64_t now = unix_seconds(clock_.now());
    const int64_t announced =
        spec.warn_after_seconds != 0 ? spec.warn_after_seconds : spec.expiration_seconds;
    expires = WallTime(std::chrono::seconds(now + announced));
    Array audiences;
    for (const std::string& audience : spec.audiences) audiences.emplace_back(audience);
    if (audiences.empty()) audiences.emplace_back(options_.issuer);
    Object kubernetes{{"namespace", spec.ns}};
    if (!spec.node_name.empty()) {
      Object node{{"name", spec.node_name}};
      if (!spec.node_uid.empty()) node["uid"] = spec.node_uid;
      kubernetes["node"] = std::move(node);
    }
    if (spec.bound)
      kubernetes[to_lower(spec.bound->kind)] =
          Object{{"name", spec.bound->name}, {"uid", spec.bound->uid}};
    kubernetes["serviceaccount"] =
        Object{{"name", spec.service_account}, {"uid", spec.service_account_uid}};
    if (spec.warn_after_seconds != 0) kubernetes["warnafter"] = now + spec.warn_after_seconds;
    const Value claims =
        Object{{"aud", audiences},
               {"exp", now + spec.expiration_seconds},
               {"iat", now},
               {"iss", options_.issuer},
               {"jti", random_.uuid()},
               {"kubernetes.io", kubernetes},
               {"nbf", now},
               {"sub", fmt::format("system:serviceaccount:{}:{}", spec.ns, spec.service_account)}};
    const Value header = Object{{"alg", "ES256"}, {"kid", key_id_}};
    const std::string signed_part =
        base64url(model::to_json(header)) + "." + base64url(model::to_json(claims));
    const std::string signature = HF_TRY(net::sign_es256(signed_part, options_.sa_private_key));
    return signed_part + "." + base64url(signature);
  }

  std::string openid_configuration(std::string_view external_url) const override {
    return model::to_json(
        Value(Object{{"issuer", options_.issuer},
                     {"jwks_uri", fmt::format("{}/openid/v1/jwks", external_url)},
                     {"response_types_supported", model::Array{Value("id_token")}},
                     {"subject_types_supported", model::Array{Value("public")}},
                     {"id_token_signing_alg_values_supported", model::Array{Value("ES256")}}}));
  }

  std::string jwks() const override {
    // An uncompressed P-256 point ends the key's DER: 0x04, then x and y of 32 bytes each.
    const std::string der = public_der();
    if (der.size() < 64) return "{\"keys\":[]}";
    const std::string_view point = std::string_view(der).substr(der.size() - 64);
    return model::to_json(
        Value(Object{{"keys", model::Array{Value(Object{{"use", "sig"},
                                                        {"kty", "EC"},
                                                        {"kid", key_id_},
                                                        {"crv", "P-256"},
                                                        {"alg", "ES256"},
                                                        {"x", base64url(point.substr(0, 32))},
                                                        {"y", base64url(point.substr(32))}})}}}));
  }

 private:
  using Array = model::Array;

  std::string public_der() const {
    std::string text;
    for (const std::string_view line : split(options_.sa_public_key, '\n'))
      if (!line.starts_with("-----")) text += trim(line);
    return from_base64(text).value_or("");
  }

  Verdict review_jwt(std::string_view token, const std::vector<std::string>& audiences) const {
    const auto refuse = [](std::string why) { return Verdict{std::nullopt, {}, std::move(why)}; };
    const std::vector<std::string_view> parts = split(token, '.');
    if (parts.size() != 3) return refuse("invalid bearer token");
    const std::optional<Value> header = json_part(parts[0]), claims = json_part(parts[1]);
    const std::optional<std::string> signature = from_base64url(parts[2]);
    if (!header || !claims || !signature || model::string_at(*header, {"alg"}) != "ES256")
      return refuse("invalid bearer token");
    const std::string_view signed_part = token.substr(0, parts[0].size() + 1 + parts[1].size());
    if (!net::verify_es256(signed_part, *signature, options_.sa_public_key))
      return refuse("invalid bearer token");
    if (model::string_at(*claims, {"iss"}) != options_.issuer)
      return refuse("invalid bearer token");
    const int64_t now = unix_seconds(clock_.now());
    if (model::int_at(*claims, {"exp"}, 0) <= now)
      return refuse("[invalid bearer token, service account token has expired]");
    if (model::int_at(*claims, {"nbf"}, 0) > now)
      return refuse("[invalid bearer token, service account token is not valid yet]");
    Verdict verdict = check_audiences(*claims, audiences);
    if (!verdict.error.empty()) return verdict;
    std::string dead = lookup(*claims);
    if (!dead.empty()) return refuse("[invalid bearer token, " + dead + "]");
    verdict.user = user_of(*claims);
    return verdict;
  }

  Verdict check_audiences(const Value& claims, const std::vector<std::string>& audiences) const {
    Verdict verdict;
    const std::vector<std::string> wanted =
        audiences.empty() ? std::vector<std::string>{options_.issuer} : audiences;
    std::vector<std::string> quoted;
    for (const Value& audience : model::array_at(claims, {"aud"})) {
      quoted.push_back(model::to_json(audience));
      for (const std::string& each : wanted)
        if (audience.is_string() && model::view(audience.get_string()) == each)
          verdict.audiences.push_back(each);
    }
    if (verdict.audiences.empty())
      verdict.error = fmt::format(
          "[invalid bearer token, token audiences [{}] is invalid for the target audiences "
          "[\"{}\"]]",
          fmt::join(quoted, " "), join(wanted, "\" \""));
    return verdict;
  }

  // "" if the ServiceAccount and what the token is bound to are there with the same uid; else the
  // reason.
  std::string lookup(const Value& claims) const {
    const std::string ns(model::string_at(claims, {"kubernetes.io", "namespace"}));
    std::string dead = lookup_account(claims, ns);
    const bool in_pod = model::find(claims, {"kubernetes.io", "pod"}) != nullptr;
    if (dead.empty()) dead = lookup_bound(claims, "secret", {"secrets", ns, ""});
    if (dead.empty()) dead = lookup_bound(claims, "pod", {"pods", ns, ""});
    // A pod's token only tells of the node.
    if (dead.empty() && !in_pod) dead = lookup_bound(claims, "node", {"nodes", "", ""});
    return dead;
  }

  std::string lookup_account(const Value& claims, const std::string& ns) const {
    const std::string name(model::string_at(claims, {"kubernetes.io", "serviceaccount", "name"}));
    const std::string_view uid =
        model::string_at(claims, {"kubernetes.io", "serviceaccount", "uid"});
    const StoredPtr stored = store_.get({"serviceaccounts", ns, name});
    if (stored == nullptr) return model::not_found({"", "serviceaccounts"}, name).message;
    if (stored->meta.uid != uid)
      return fmt::format("service account UID ({}) does not match claim ({})", stored->meta.uid,
                         uid);
    if (is_past_grace(*stored))
      return fmt::format("service account {}/{} has been deleted", ns, name);
    return "";
  }

  std::string lookup_bound(const Value& claims, std::string_view member, Key key) const {
    if (model::find(claims, {"kubernetes.io", member}) == nullptr) return "";
    key.name = model::string_at(claims, {"kubernetes.io", member, "name"});
    const std::string_view uid = model::string_at(claims, {"kubernetes.io", member, "uid"});
    const StoredPtr stored = store_.get(key);
    if (stored == nullptr || (stored->meta.uid == uid && is_past_grace(*stored)))
      return "service account token has been invalidated";
    if (stored->meta.uid != uid)
      return fmt::format("{0} UID ({1}) does not match service account {0} ref claim ({2})", member,
                         stored->meta.uid, uid);
    return "";
  }

  // What is deleted but held by finalizers is good for a little longer: the real server's leeway.
  bool is_past_grace(const Stored& stored) const {
    const std::optional<WallTime> deleted = model::parse_rfc3339(stored.meta.deletion_timestamp);
    return deleted && *deleted < clock_.now() - std::chrono::minutes(1);
  }

  static User user_of(const Value& claims) {
    const std::string ns(model::string_at(claims, {"kubernetes.io", "namespace"}));
    User user;
    user.name = fmt::format("system:serviceaccount:{}:{}", ns,
                            model::string_at(claims, {"kubernetes.io", "serviceaccount", "name"}));
    user.uid = model::string_at(claims, {"kubernetes.io", "serviceaccount", "uid"});
    user.groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns,
                   "system:authenticated"};
    user.extra["authentication.kubernetes.io/credential-id"] = {
        fmt::format("JTI={}", model::string_at(claims, {"jti"}))};
    for (const std::string_view member : {"pod", "node"}) {
      const std::string_view name = model::string_at(claims, {"kubernetes.io", member, "name"});
      if (name.empty()) continue;
      user.extra[fmt::format("authentication.kubernetes.io/{}-name", member)] = {std::string(name)};
      const std::string_view uid = model::string_at(claims, {"kubernetes.io", member, "uid"});
      if (uid.empty()) continue;
      user.extra[fmt::format("authentication.kubernetes.io/{}-uid", member)] = {std::string(uid)};
    }
    return user;
  }

  const AuthenticatorOptions options_;
  const std::map<std::string, User>
      static_;  // by SHA-256 of the token, so that look-ups do not leak it by their time
  const Store& store_;
  const Clock& clock_;
  Random& random_;
  std::string key_id_;
};

}  // namespace

Result<std::unique_ptr<Authenticator>> Authenticator::make(AuthenticatorOptions options,
                                                           const Store& store, const Clock& clock,
                                                           Random& random) {
  std::map<std::string, User> users = HF_TRY(read_token_file(options.token_csv));
  return std::unique_ptr<Authenticator>(
      std::make_unique<Tokens>(std::move(options), std::move(users), store, clock, random));
}

}  // namespace holdfast::apiserver

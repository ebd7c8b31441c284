// ServiceAccount tokens are JWTs:  base64url(header).base64url(claims).base64url(ES256 signature)
//   header  {"alg":"ES256","kid":"<base64url SHA-256 of the public key's DER>"}
//   claims  {"aud":[…],"exp":N,"iat":N,"iss":ISSUER,"jti":UUID,
//            "kubernetes.io":{"namespace":NS,"serviceaccount":{"name","uid"},
//              "pod":{"name","uid"},"node":{"name","uid"},"secret":{…}},
//            "nbf":N,"sub":"system:serviceaccount:NS:NAME"}
// A token dies with its ServiceAccount and with the object that it is bound to: both are looked up
// on every use.
#include "auth/authenticator.h"

#include <holdfast/base/bytes.h>
#include <holdfast/base/text.h>
#include <holdfast/net/pki.h>

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

// One line of the token file: CSV with quotes, at least token,user,uid.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && inside && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (line[i] == '"')
      inside = !inside;
    else if (line[i] == ',' && !inside)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  for (std::string& field : fields) field = trim(field);
  return fields;
}

Result<std::map<std::string, User>> read_token_file(std::string_view text) {
  std::map<std::string, User> users;
  size_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty()) continue;
    const std::vector<std::string> fields = csv_fields(line);
    if (fields.size() < 3 || fields[0].empty())
      return Error(
          Fault::Invalid,
          fmt::format("line {} of the token file: expected token,user,uid[,\"group1,group2\"]",
                      number));
    User user{fields[1], fields[2], {}, {}};
    if (fields.size() > 3)
      for (const std::string_view group : split(fields[3], ','))
        if (!group.empty()) user.groups.emplace_back(group);
    users[sha256(fields[0])] = std::move(user);
  }
  return users;
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
    if (!header.empty()) return model::unauthorized();
    return User{"system:anonymous", "", {"system:unauthenticated"}, {}};
  }

  Verdict review_token(std::string_view token,
                       const std::vector<std::string>& audiences) const override {
    const auto found = static_.find(sha256(token));
    if (found != static_.end()) {
      User user = found->second;
      user.groups.emplace_back("system:authenticated");
      return {std::move(user), {}, ""};
    }
    return review_jwt(token, audiences);
  }

  Result<std::string> issue_token(const TokenSpec& spec, WallTime& expires) const override {
    const int64_t now = unix_seconds(clock_.now());
    expires = WallTime(std::chrono::seconds(now + spec.expiration_seconds));
    Array audiences;
    for (const std::string& audience : spec.audiences) audiences.emplace_back(audience);
    if (audiences.empty()) audiences.emplace_back(options_.issuer);
    Object kubernetes{{"namespace", spec.ns}};
    if (!spec.node_name.empty())
      kubernetes["node"] = Object{{"name", spec.node_name}, {"uid", spec.node_uid}};
    if (spec.bound)
      kubernetes[to_lower(spec.bound->kind)] =
          Object{{"name", spec.bound->name}, {"uid", spec.bound->uid}};
    kubernetes["serviceaccount"] =
        Object{{"name", spec.service_account}, {"uid", spec.service_account_uid}};
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
    for (const Value& audience : model::array_at(claims, {"aud"}))
      for (const std::string& each : wanted)
        if (audience.is_string() && model::view(audience.get_string()) == each)
          verdict.audiences.push_back(each);
    if (verdict.audiences.empty())
      verdict.error = fmt::format(
          "[invalid bearer token, token audiences {} is invalid for the target audiences [\"{}\"]]",
          model::to_json(Value(model::array_at(claims, {"aud"}))), join(wanted, "\" \""));
    return verdict;
  }

  // "" if the ServiceAccount and what the token is bound to are there with the same uid; else the
  // reason.
  std::string lookup(const Value& claims) const {
    const std::string ns(model::string_at(claims, {"kubernetes.io", "namespace"}));
    const auto alive = [&](const std::string& resource, const std::string& where,
                           std::string_view member) {
      const std::string name(model::string_at(claims, {"kubernetes.io", member, "name"}));
      const StoredPtr stored = store_.get({resource, where, name});
      return stored != nullptr &&
             stored->meta.uid == model::string_at(claims, {"kubernetes.io", member, "uid"});
    };
    if (!alive("serviceaccounts", ns, "serviceaccount"))
      return "service account token has been invalidated";
    if (model::find(claims, {"kubernetes.io", "pod"}) && !alive("pods", ns, "pod"))
      return "service account token has been invalidated";
    if (model::find(claims, {"kubernetes.io", "secret"}) && !alive("secrets", ns, "secret"))
      return "service account token has been invalidated";
    if (model::find(claims, {"kubernetes.io", "node"}) &&
        !model::find(claims, {"kubernetes.io", "pod"}) && !alive("nodes", "", "node"))
      return "service account token has been invalidated";
    return "";
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
      user.extra[fmt::format("authentication.kubernetes.io/{}-uid", member)] = {
          std::string(model::string_at(claims, {"kubernetes.io", member, "uid"}))};
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

#include <holdfast/base/text.h>
#include <holdfast/kube/access.h>

namespace holdfast::kube {
namespace {

using model::Object;
using model::Value;

Value review(std::string_view group, std::string_view kind, Object spec) {
  return Object{{"apiVersion", std::string(group) + "/v1"},
                {"kind", kind},
                {"metadata", Object{}},
                {"spec", std::move(spec)}};
}

Object to_object(const Attributes& attributes) {
  Object out;
  const auto add = [&out](const char* name, const std::string& value) {
    if (!value.empty()) out[name] = value;
  };
  add("verb", attributes.verb);
  add("group", attributes.group);
  add("resource", attributes.resource);
  add("subresource", attributes.subresource);
  add("namespace", attributes.ns);
  add("name", attributes.name);
  return out;
}

Value to_array(const std::vector<std::string>& texts) {
  model::Array out;
  for (const std::string& text : texts) out.emplace_back(text);
  return out;
}

Reply<Access> answer_of(Reply<Value> reply) {
  const Value review = HF_TRY(std::move(reply));
  const std::string_view trouble = model::string_at(review, {"status", "evaluationError"});
  Access access{model::bool_at(review, {"status", "allowed"}, false),
                std::string(model::string_at(review, {"status", "reason"}))};
  if (!access.allowed && access.reason.empty()) access.reason = trouble;
  return access;
}

Who to_who(const Value& user) {
  Who who{std::string(model::string_at(user, {"username"})),
          std::string(model::string_at(user, {"uid"}))};
  for (const Value& group : model::array_at(user, {"groups"}))
    if (group.is_string()) who.groups.emplace_back(model::view(group.get_string()));
  return who;
}

const Value& value_at(const Value& root, std::initializer_list<std::string_view> path) {
  static const Value nothing;
  const Value* const found = model::find(root, path);
  return found == nullptr ? nothing : *found;
}

}  // namespace

Reply<Access> may_i(Client& client, const Attributes& attributes) {
  return answer_of(client.raw("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                              review("authorization.k8s.io", "SelfSubjectAccessReview",
                                     {{"resourceAttributes", to_object(attributes)}})));
}

Reply<Access> may(Client& client, const Who& who, const Attributes& attributes) {
  Object spec{{"resourceAttributes", to_object(attributes)}, {"user", who.user}};
  if (!who.uid.empty()) spec["uid"] = who.uid;
  if (!who.groups.empty()) spec["groups"] = to_array(who.groups);
  return answer_of(client.raw("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                              review("authorization.k8s.io", "SubjectAccessReview", spec)));
}

Reply<Who> who_am_i(Client& client) {
  const Value answer =
      HF_TRY(client.raw("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews",
                        review("authentication.k8s.io", "SelfSubjectReview", {})));
  return to_who(value_at(answer, {"status", "userInfo"}));
}

Reply<Who> whose_token(Client& client, std::string_view token,
                       const std::vector<std::string>& audiences) {
  Object spec{{"token", token}};
  if (!audiences.empty()) spec["audiences"] = to_array(audiences);
  const Value answer =
      HF_TRY(client.raw("POST", "/apis/authentication.k8s.io/v1/tokenreviews",
                        review("authentication.k8s.io", "TokenReview", std::move(spec))));
  if (model::bool_at(answer, {"status", "authenticated"}, false))
    return to_who(value_at(answer, {"status", "user"}));
  const std::string_view why = model::string_at(answer, {"status", "error"});
  // Some authenticators repeat what they were given.
  const bool shows_token = !token.empty() && why.find(token) != std::string_view::npos;
  return Failure{
      Error(Fault::Denied, "reviewing a token: it belongs to no known user" +
                               (why.empty() || shows_token ? "" : ": " + std::string(why)))};
}

}  // namespace holdfast::kube

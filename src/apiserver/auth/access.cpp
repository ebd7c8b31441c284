#include "auth/access.h"

#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>

#include <fmt/format.h>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kServiceAccountPrefix = "system:serviceaccount:";
constexpr std::string_view kExtraHeader = "impersonate-extra-";

Attributes impersonation(std::string_view resource, std::string_view name) {
  Attributes what;
  what.verb = "impersonate";
  what.version = "v1";
  what.resource = resource;
  what.name = name;
  return what;
}

Attributes user_attributes(const std::string& name) {
  if (!name.starts_with(kServiceAccountPrefix)) return impersonation("users", name);
  const std::vector<std::string_view> parts = split(name, ':');
  if (parts.size() != 4) return impersonation("users", name);
  Attributes what = impersonation("serviceaccounts", parts[3]);
  what.ns = parts[2];
  return what;
}

// A header name cannot carry every byte of an extra key: it is percent-encoded there.
std::string extra_key(std::string_view header) {
  return net::percent_decode(to_lower(header.substr(kExtraHeader.size())), false);
}

User impersonated(const net::Request& request) {
  User next;
  next.name = request.headers.get("Impersonate-User");
  next.uid = request.headers.get("Impersonate-Uid");
  for (const std::string_view group : request.headers.all("Impersonate-Group"))
    next.groups.emplace_back(group);
  for (const auto& [name, value] : request.headers)
    if (to_lower(name).starts_with(kExtraHeader)) next.extra[extra_key(name)].push_back(value);
  return next;
}

std::vector<Attributes> needed_rights(const User& next) {
  std::vector<Attributes> needed{user_attributes(next.name)};
  for (const std::string& group : next.groups) needed.push_back(impersonation("groups", group));
  for (const auto& [key, values] : next.extra)
    for (const std::string& value : values) {
      Attributes what = impersonation("userextras", value);
      what.group = "authentication.k8s.io";
      what.subresource = key;
      needed.push_back(std::move(what));
    }
  if (!next.uid.empty()) {
    Attributes what = impersonation("uids", next.uid);
    what.group = "authentication.k8s.io";
    needed.push_back(std::move(what));
  }
  return needed;
}

// The groups that come with being somebody, unless groups were named.
void add_implied_groups(User& next) {
  const bool named = !next.groups.empty();
  if (!named && next.name.starts_with(kServiceAccountPrefix)) {
    const std::vector<std::string_view> parts = split(next.name, ':');
    next.groups = {"system:serviceaccounts",
                   "system:serviceaccounts:" + std::string(parts.size() > 2 ? parts[2] : "")};
  }
  const std::string_view everyone =
      next.name == kAnonymous ? "system:unauthenticated" : "system:authenticated";
  for (const std::string& group : next.groups)
    if (group == everyone || group == "system:unauthenticated") return;
  next.groups.emplace_back(everyone);
}

}  // namespace

model::Answer<User> impersonate(const Authorizer& authorizer, User user,
                                const net::Request& request) {
  User next = impersonated(request);
  if (next.name.empty()) {
    if (next.groups.empty() && next.extra.empty() && next.uid.empty()) return user;
    return model::internal_error("requested impersonation without impersonating a user");
  }
  for (const Attributes& what : needed_rights(next)) {
    const Decision decision = authorizer.authorize(user, what);
    if (!decision.allowed && wall_stands("impersonation by right"))
      return access_denied(user, what, decision.reason);
  }
  add_implied_groups(next);
  return next;
}

model::Status access_denied(const User& user, const Attributes& what, const std::string& reason) {
  std::string sentence;
  if (!what.is_resource()) {
    sentence = fmt::format("User \"{}\" cannot {} path \"{}\"", user.name, what.verb, what.path);
    if (!reason.empty()) sentence += ": " + reason;
    model::Status status{403, "Forbidden", "forbidden: " + sentence, model::Status::Details()};
    return status;
  }
  const std::string resource =
      what.subresource.empty() ? what.resource : what.resource + "/" + what.subresource;
  sentence = fmt::format("User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}", user.name,
                         what.verb, resource, what.group,
                         what.ns.empty() ? std::string("at the cluster scope")
                                         : fmt::format("in the namespace \"{}\"", what.ns));
  if (!reason.empty()) sentence += ": " + reason;
  return model::forbidden({what.group, what.resource}, what.name, sentence);
}

}  // namespace holdfast::apiserver

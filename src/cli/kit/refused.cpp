#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/refused.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::string_at;

bool is_unserved(const kube::Failure& failure) {
  return failure.not_found() && !is_missing(failure);
}

/// ", only x.dev/v1": what the server has of the group, if our version is not among it.
std::string served_instead(Server& server, const kube::Resource& resource) {
  const auto group =
      server.client().raw("GET", fmt::format("/apis/{}", resource.group), model::Value());
  if (!group) return "";
  std::vector<std::string> others;
  for (const model::Value& each : model::array_at(*group, {"versions"})) {
    const std::string_view version = string_at(each, {"version"});
    if (version == resource.version) return "";
    others.push_back(fmt::format("{}/{}", resource.group, version));
  }
  return others.empty() ? "" : ", only " + join(others, ", ");
}

}  // namespace

/// A path that the server does not serve is 404 too, but names no object.
bool is_missing(const kube::Failure& failure) {
  return failure.not_found() && !string_at(failure.status, {"details", "name"}).empty();
}

Error not_served(Server& server, const kube::Resource& resource) {
  return Error(Fault::NotFound, fmt::format("this server does not serve {}/{}{}", resource.text(),
                                            resource.version, served_instead(server, resource)))
      .with_hint("holdfast crds | kubectl apply -f -");
}

Error refused(Server& server, const kube::Resource& resource, const kube::Failure& failure,
              std::string_view doing) {
  return is_unserved(failure) ? not_served(server, resource) : error_of(failure, doing);
}

int say_refused(Server& server, const kube::Resource& resource, const kube::Failure& failure) {
  return is_unserved(failure) ? fail(not_served(server, resource)) : say(failure);
}

}  // namespace holdfast::cli

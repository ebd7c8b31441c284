#include "actions.h"

#include <holdfast/base/text.h>
#include <holdfast/cli/ending.h>
#include <holdfast/kube/typed.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::drivers::volumegroup {
namespace {

using model::string_at;
using model::Value;

constexpr size_t kNamed = 3;

const kube::Resource& groups() { return kube::resource_of<VolumeGroup>(); }
const kube::Resource& actions() { return kube::resource_of<VolumeGroupAction>(); }

std::string first_names(const std::vector<std::string>& names) {
  std::vector<std::string> first(names.begin(),
                                 names.begin() + ptrdiff_t(std::min(names.size(), kNamed)));
  return join(first, ", ");
}

std::vector<std::string> group_names(Server& server) {
  std::vector<std::string> names;
  (void)server.client().list(groups(), server.ns(), {}, [&](const Value& each) {
    names.emplace_back(string_at(each, {"metadata", "name"}));
    return names.size() < kNamed;
  });
  return names;
}

Error no_group(Server& server, const std::string& name) {
  const std::vector<std::string> names = group_names(server);
  Error error(Fault::NotFound,
              fmt::format("there is no VolumeGroup {} in namespace {}", name, server.ns()));
  if (names.empty())
    return std::move(error).with_hint(
        "there is none at all; docs/volume-groups.md has a first one, -n names another namespace");
  return std::move(error).with_hint(fmt::format(
      "there are {}; see: holdfast get volumegroups -n {}", first_names(names), server.ns()));
}

Error no_action(Server& server, const std::string& name) {
  Error error(Fault::NotFound,
              fmt::format("there is no VolumeGroupAction {} in namespace {}", name, server.ns()));
  if (server.client().get(groups(), server.ns(), name))
    return std::move(error).with_hint(fmt::format(
        "that is a VolumeGroup; its actions: holdfast group list {} -n {}", name, server.ns()));
  std::vector<std::string> names;
  if (const auto found = list_actions(server, server.ns(), ""))
    for (const FoundAction& each : *found) names.push_back(each.name);
  const std::string list = fmt::format("see: holdfast group list -n {}", server.ns());
  return std::move(error).with_hint(
      names.empty() ? "there is none at all; " + list
                    : fmt::format("newest are {}; {}", first_names(names), list));
}

}  // namespace

Result<FoundAction> to_action(Value object) {
  FoundAction out;
  out.action = HF_TRY(model::decode_object<VolumeGroupAction>(object));
  out.ns = string_at(object, {"metadata", "namespace"});
  out.name = string_at(object, {"metadata", "name"});
  out.uid = string_at(object, {"metadata", "uid"});
  out.object = std::move(object);
  return out;
}

Result<Value> read_group(Server& server, const std::string& name) {
  auto found = server.client().get(groups(), server.ns(), name);
  if (found) return found.take();
  if (found.error().not_found()) return no_group(server, name);
  return error_of(found.error(), fmt::format("read VolumeGroup {}", name));
}

Result<FoundAction> read_action(Server& server, const std::string& name) {
  auto found = server.client().get(actions(), server.ns(), name);
  if (found) return to_action(found.take());
  if (found.error().not_found()) return no_action(server, name);
  return error_of(found.error(), fmt::format("read VolumeGroupAction {}", name));
}

Result<std::vector<FoundAction>> list_actions(Server& server, const std::string& ns,
                                              const std::string& group) {
  std::vector<FoundAction> out;
  const auto listed = server.client().list(actions(), ns, {}, [&](Value each) {
    Result<FoundAction> found = to_action(std::move(each));
    if (found && (group.empty() || found->action.spec.group == group)) out.push_back(found.take());
    return true;
  });
  if (!listed) return error_of(listed.error(), "list VolumeGroupActions");
  const auto made = [](const FoundAction& each) {
    return string_at(each.object, {"metadata", "creationTimestamp"});
  };
  std::stable_sort(out.begin(), out.end(),
                   [&](const auto& a, const auto& b) { return made(a) > made(b); });
  return out;
}

}  // namespace holdfast::drivers::volumegroup

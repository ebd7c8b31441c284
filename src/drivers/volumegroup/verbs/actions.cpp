#include "actions.h"

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using model::Value;

const kube::Resource& groups() { return kube::resource_of<VolumeGroup>(); }

cli::Others other_groups() {
  return {.list = "holdfast get volumegroups",
          .first = "docs/volume-groups.md has a first one, -n names another namespace"};
}

cli::Target target_of(const FoundAction& found) { return {actions(), found.name, found.uid}; }

}  // namespace

const kube::Resource& actions() { return kube::resource_of<VolumeGroupAction>(); }

Result<Value> read_group(Server& server, const std::string& name) {
  return cli::read_object(server, groups(), name, other_groups());
}

Result<FoundAction> read_action(Server& server, const std::string& name) {
  auto found = cli::read_found<VolumeGroupAction>(server, name, {.list = kList, .newest = true});
  if (found || found.error().fault() != Fault::NotFound ||
      !server.client().get(groups(), server.ns(), name))
    return found;
  return found.take_error().with_hint(
      fmt::format("that is a VolumeGroup; its actions: {} {} -n {}", kList, name, server.ns()));
}

Result<std::vector<FoundAction>> list_actions(Server& server, const std::string& ns,
                                              const std::string& group) {
  return cli::list_found<VolumeGroupAction>(server, ns, [&group](const FoundAction& each) {
    return group.empty() || each.typed.spec.group == group;
  });
}

Result<std::optional<std::string>> ask_group(Server& server, const std::string& group,
                                             GroupAction action, const std::stop_token& stop) {
  return cli::ask_by_label(server,
                           {.resource = groups(),
                            .name = group,
                            .word = std::string(model::word(action)),
                            .labels = {kTrigger, kTriggerAlias},
                            .id = kRequestId,
                            .made = actions(),
                            .selector = fmt::format("{}={}", kGroupLabel, group),
                            .what = "group " + group,
                            .others = other_groups()},
                           stop);
}

Result<void> ask_action(Server& server, const FoundAction& found, std::string_view label,
                        const std::optional<VolumeGroupAction::Restore>& restore) {
  std::optional<Value> wish;
  if (restore) model::field_type<VolumeGroupAction::Restore>().encode(&*restore, wish.emplace());
  return cli::set_label(server, target_of(found), found.object, kTrigger, label, std::move(wish));
}

Result<void> delete_action(Server& server, const FoundAction& found, bool with_backup) {
  if (with_backup) HF_TRY(cli::set_spec(server, target_of(found), {{"deletionPolicy", "Delete"}}));
  return cli::remove_object(server, target_of(found), kDescribe);
}

}  // namespace holdfast::drivers::volumegroup

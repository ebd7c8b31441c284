#include "triggering.h"

#include <holdfast/cli/follow.h>
#include <holdfast/kube/typed.h>

#include <fmt/format.h>

namespace holdfast::drivers::volumegroup {
namespace {

using namespace std::chrono_literals;
using model::Array;
using model::Object;
using model::string_at;
using model::Value;

constexpr auto kDeletion = 120s;

bool is_asked(const Value& group) {
  for (const std::string_view key : {kTrigger, kTriggerAlias})
    if (!string_at(group, {"metadata", "labels", key}).empty()) return true;
  return false;
}

/// Only on the group as it was seen.
Value wish_for(const Value& group, GroupAction action, const std::string& id) {
  Object labels, annotations;
  labels[kTrigger] = model::word(action);
  annotations[kRequestId] = id;
  return Object{
      {"metadata", Object{{"resourceVersion", string_at(group, {"metadata", "resourceVersion"})},
                          {"labels", std::move(labels)},
                          {"annotations", std::move(annotations)}}}};
}

/// False: the group is asked for something else, or somebody was quicker.
Result<bool> set_label(Server& server, const std::string& name, GroupAction action,
                       const std::string& id) {
  const Value group = HF_TRY(read_group(server, name));
  if (is_asked(group)) return false;
  const auto asked = server.client().patch(kube::resource_of<VolumeGroup>(), server.ns(), name,
                                           kube::PatchType::Merge, wish_for(group, action, id));
  if (!asked && !asked.error().conflict())
    return error_of(asked.error(),
                    fmt::format("set the label {} of VolumeGroup {}", kTrigger, name));
  return bool(asked);
}

Result<std::string> find_made(Server& server, const std::string& group, const std::string& id) {
  std::string name;
  const auto listed = server.client().list(
      kube::resource_of<VolumeGroupAction>(), server.ns(),
      {.label_selector = fmt::format("{}={}", kGroupLabel, group)}, [&](const Value& each) {
        if (string_at(each, {"metadata", "annotations", kRequestId}) == id)
          name = string_at(each, {"metadata", "name"});
        return name.empty();
      });
  if (!listed && !listed.error().error.transient())
    return error_of(listed.error(), "list VolumeGroupActions");
  return name;
}

}  // namespace

Result<std::optional<std::string>> ask_group(Server& server, const std::string& group,
                                             GroupAction action, const std::stop_token& stop) {
  const std::string id = SystemRandom().uuid();
  const std::string other = fmt::format(
      "group {} has another request already; if it stays, the operator does not run", group);
  if (!HF_TRY(cli::wait_until(server, other, stop,
                              [&] { return set_label(server, group, action, id); })))
    return std::optional<std::string>();
  const std::string unnoticed = fmt::format(
      "no controller has started it: does the operator run, or is another action of group {} still "
      "running?",
      group);
  std::string name;
  const auto made = [&]() -> Result<bool> {
    name = HF_TRY(find_made(server, group, id));
    return !name.empty();
  };
  if (!HF_TRY(cli::wait_until(server, unnoticed, stop, made))) return std::optional<std::string>();
  return std::optional(std::move(name));
}

Result<void> ask_action(Server& server, const FoundAction& found, std::string_view label,
                        const std::optional<VolumeGroupAction::Restore>& restore) {
  Array steps{Object{{"op", "test"}, {"path", "/metadata/uid"}, {"value", found.uid}}};
  if (model::object_at(found.object, {"metadata", "labels"}).empty())
    steps.push_back(
        Object{{"op", "add"}, {"path", "/metadata/labels"}, {"value", Object{{kTrigger, label}}}});
  else
    steps.push_back(Object{
        {"op", "add"}, {"path", fmt::format("/metadata/labels/{}", kTrigger)}, {"value", label}});
  if (restore) {
    Value wish;
    model::field_type<VolumeGroupAction::Restore>().encode(&*restore, wish);
    steps.push_back(Object{{"op", "add"}, {"path", "/spec/restore"}, {"value", std::move(wish)}});
  }
  const auto asked =
      server.client().patch(kube::resource_of<VolumeGroupAction>(), server.ns(), found.name,
                            kube::PatchType::Json, Value(std::move(steps)));
  if (!asked)
    return error_of(asked.error(),
                    fmt::format("set the label {} of VolumeGroupAction {}", kTrigger, found.name));
  return ok();
}

Result<std::string> make_action(Server& server, const VolumeGroupAction& action,
                                const std::string& name, const std::string& prefix,
                                std::string_view label) {
  Value object = model::encode_object(action);
  Object labels;
  if (!label.empty()) labels[kTrigger] = label;
  Object metadata{{"labels", std::move(labels)}};
  metadata[name.empty() ? "generateName" : "name"] = name.empty() ? prefix : name;
  object.as_object()["metadata"] = std::move(metadata);
  const auto made =
      server.client().create(kube::resource_of<VolumeGroupAction>(), server.ns(), object);
  if (!made) return error_of(made.error(), "make a VolumeGroupAction");
  return std::string(string_at(*made, {"metadata", "name"}));
}

Result<void> let_backup_go(Server& server, const FoundAction& found) {
  const auto told = server.client().patch(
      kube::resource_of<VolumeGroupAction>(), server.ns(), found.name, kube::PatchType::Merge,
      model::Value(model::Object{{"spec", model::Object{{"deletionPolicy", "Delete"}}}}));
  if (!told) return error_of(told.error(), fmt::format("change VolumeGroupAction {}", found.name));
  return ok();
}

Result<void> delete_action(Server& server, const std::string& name, const std::string& uid) {
  const kube::Resource& actions = kube::resource_of<VolumeGroupAction>();
  const std::string doing = fmt::format("delete VolumeGroupAction {}", name);
  const auto gone = server.client().remove(actions, server.ns(), name, {.only = {.uid = uid}});
  if (!gone && gone.error().not_found()) return ok();
  if (!gone) return error_of(gone.error(), doing);
  const auto look = [&uid](const Value& object) {
    return cli::Look{.over = string_at(object, {"metadata", "uid"}) != uid};
  };
  const auto followed = cli::follow(server,
                                    {.resource = actions,
                                     .name = name,
                                     .look = look,
                                     .telling = cli::Telling::Nothing,
                                     .limit = kDeletion},
                                    {});
  if (!followed && followed.error().not_found()) return ok();
  if (!followed) return error_of(followed.error(), doing);
  if (followed->why == cli::Followed::Why::Over) return ok();
  return Error(Fault::Unavailable,
               fmt::format("VolumeGroupAction {} is being deleted, but still there", name))
      .with_hint(fmt::format("holdfast group describe {} says what it waits for", name));
}

}  // namespace holdfast::drivers::volumegroup

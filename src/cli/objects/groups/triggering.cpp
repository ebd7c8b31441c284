#include "objects/groups/triggering.h"

#include <holdfast/base/sleep.h>
#include <holdfast/kube/typed.h>

#include "repo/print/status_line.h"

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using namespace std::chrono_literals;
using drivers::volumegroup::kGroupLabel;
using drivers::volumegroup::kRequestId;
using drivers::volumegroup::kTrigger;
using drivers::volumegroup::kTriggerAlias;
using model::Array;
using model::Object;
using model::string_at;
using model::Value;

constexpr auto kLook = 200ms;
constexpr MonoTime kUnnoticed = 15s;

/// Waits between looks, and says so when that takes long.
class Waiting {
 public:
  Waiting(Server& server, std::string what)
      : server_(server), what_(std::move(what)), began_(server.clock().mono()) {}
  void pause(const std::stop_token& stop) {
    if (!said_ && server_.clock().mono() - began_ > kUnnoticed) {
      line_.show(what_);
      said_ = true;
    }
    sleep_(kLook, stop);
  }

 private:
  Server& server_;
  const std::string what_;
  const MonoTime began_;
  const Sleep sleep_ = holdfast::sleep_until_stopped();
  StatusLine line_{};
  bool said_ = false;
};

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

/// False: told to stop.
Result<bool> set_label(Server& server, const std::string& name, GroupAction action,
                       const std::string& id, const std::stop_token& stop) {
  const kube::Resource& groups = kube::resource_of<VolumeGroup>();
  Waiting waiting(server, fmt::format("group {} is asked for something else already; if that stays "
                                      "so, the operator does not run",
                                      name));
  for (; !stop.stop_requested(); waiting.pause(stop)) {
    const Value group = HF_TRY(read_group(server, name));
    if (is_asked(group)) continue;
    const auto asked = server.client().patch(groups, server.ns(), name, kube::PatchType::Merge,
                                             wish_for(group, action, id));
    if (asked) return true;
    if (!asked.error().conflict())
      return error_of(asked.error(),
                      fmt::format("set the label {} of VolumeGroup {}", kTrigger, name));
  }
  return false;
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
  if (!HF_TRY(set_label(server, group, action, id, stop))) return std::optional<std::string>();
  Waiting waiting(server, fmt::format("nobody has begun it: does the operator run, or does another "
                                      "action of group {} still?",
                                      group));
  for (; !stop.stop_requested(); waiting.pause(stop)) {
    std::string name = HF_TRY(find_made(server, group, id));
    if (!name.empty()) return std::optional(std::move(name));
  }
  return std::optional<std::string>();
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

}  // namespace holdfast::cli

#include "admission/reach.h"

#include <holdfast/base/text.h>
#include <holdfast/base/walls.h>
#include <holdfast/model/image.h>
#include <holdfast/model/marks.h>

#include "kinds/pod/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::apiserver {
namespace {

using model::array_at;
using model::bool_at;
using model::string_at;

// What container runtimes give to root anyway, less NET_RAW and MKNOD: pods share the machine's
// network, and devices are the machine's.
constexpr std::array<std::string_view, 12> kHarmless = {
    "CHOWN",   "DAC_OVERRIDE", "FSETID",           "FOWNER",     "SETGID", "SETUID",
    "SETFCAP", "SETPCAP",      "NET_BIND_SERVICE", "SYS_CHROOT", "KILL",   "AUDIT_WRITE"};
constexpr size_t kMostNamed = 5;

bool is_harmless(std::string_view capability) {
  if (capability.starts_with("CAP_")) capability.remove_prefix(4);
  if (!wall_stands("NET_RAW and MKNOD are reaches") &&
      (capability == "NET_RAW" || capability == "MKNOD"))
    return true;
  return std::find(kHarmless.begin(), kHarmless.end(), capability) != kHarmless.end();
}

using Found = std::vector<Reach>;

bool is_unconfined(const Value& context) {
  return wall_stands("an unconfined profile is a reach") &&
         string_at(context, {"seccompProfile", "type"}) == "Unconfined";
}

void look_at_context(const Value& context, const std::string& who, Found& found) {
  if (bool_at(context, {"privileged"}, false)) found.push_back({.what = who + " is privileged"});
  for (const Value& each : array_at(context, {"capabilities", "add"}))
    if (each.is_string() && !is_harmless(model::view(each.get_string())))
      found.push_back(
          {.what = fmt::format("{} adds capability {}", who, model::view(each.get_string()))});
  if (is_unconfined(context))
    found.push_back({.what = who + " has the seccomp profile Unconfined"});
  if (wall_stands("an unmasked /proc is a reach") &&
      string_at(context, {"procMount"}) == "Unmasked")
    found.push_back({.what = who + " has an unmasked /proc"});
  if (bool_at(context, {"windowsOptions", "hostProcess"}, false))
    found.push_back({.what = who + " is a host process"});
}

void look_at_container(const Value& container, Found& found) {
  const std::string who = fmt::format("container \"{}\"", string_at(container, {"name"}));
  if (const Value* context = model::find(container, {"securityContext"}))
    look_at_context(*context, who, found);
  const std::string_view image = string_at(container, {"image"});
  if (wall_stands("the image host is a reach") && model::is_host_image(image))
    found.push_back(
        {.what = fmt::format("{} runs image \"{}\", the machine's own root", who, image),
         .image = true});
}

void look_at_volume(const Value& volume, Found& found) {
  const Value* folder = model::find(volume, {"hostPath"});
  if (folder == nullptr || folder->is_null()) return;
  const std::string_view type = string_at(*folder, {"type"});
  found.push_back({.what = fmt::format("volume \"{}\" is hostPath {}{}",
                                       string_at(volume, {"name"}), string_at(*folder, {"path"}),
                                       type.empty() ? "" : fmt::format(" ({})", type))});
}

/// Annotations that fields have replaced: no kubelet of today reads them, but none is to be
/// surprised either.
void look_at_annotations(const Value& metadata, Found& found) {
  for (const auto& [name, value] : model::object_at(metadata, {"annotations"}))
    if (pod::is_seccomp_annotation(std::string_view(name)) && value.is_string() &&
        model::view(value.get_string()) == "unconfined" &&
        wall_stands("an unconfined profile is a reach"))
      found.push_back({.what = fmt::format("annotation {} is unconfined", std::string_view(name))});
}

/// The part of the annotations that is judged.
Object judged_annotations(const Value& metadata) {
  Object out;
  for (const auto& [name, value] : model::object_at(metadata, {"annotations"}))
    if (pod::is_seccomp_annotation(std::string_view(name)) ||
        std::string_view(name) == model::kReach)
      out[name] = value;
  return out;
}

/// A scheduler chooses a pod's node after it was judged; a template's is its author's word.
bool same_spec(const PodIn& pod, const PodIn& old) {
  if (model::equal(*pod.spec, *old.spec)) return true;
  if (pod.is_template) return false;
  Value now = *pod.spec, before = *old.spec;
  for (Value* each : {&now, &before}) model::erase(*each, {"nodeName"});
  return model::equal(now, before);
}

bool is_marked(const Api& api, std::string_view ns) {
  const StoredPtr stored = api.store.get({"namespaces", "", std::string(ns)});
  if (stored == nullptr) return false;
  return std::any_of(stored->meta.labels.begin(), stored->meta.labels.end(), [](const auto& label) {
    return label.first == model::kHostImage && label.second == model::kHostImageAllowed;
  });
}

std::string told(const std::vector<Reach>& reaches) {
  std::vector<std::string> named;
  for (const Reach& each : reaches)
    if (named.size() < kMostNamed) named.push_back(each.what);
  std::string out = join(named, ", ");
  if (reaches.size() > kMostNamed) out += fmt::format(" and {} more", reaches.size() - kMostNamed);
  return out;
}

}  // namespace

std::vector<Reach> reaches_of(const PodIn& pod) {
  Found found;
  const Value& spec = *pod.spec;
  for (const std::string_view flag : {"hostPID", "hostIPC"})
    if (bool_at(spec, {flag}, false)) found.push_back({.what = fmt::format("{} is true", flag)});
  if (wall_stands("users of the machine are a reach") && bool_at(spec, {"hostUsers"}, false))
    found.push_back({.what = "hostUsers is true"});
  if (const Value* context = model::find(spec, {"securityContext"}))
    look_at_context(*context, "the pod", found);
  look_at_annotations(*pod.metadata, found);
  for (const Value& volume : array_at(spec, {"volumes"})) look_at_volume(volume, found);
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"})
    for (const Value& container : array_at(spec, {list})) look_at_container(container, found);
  return found;
}

bool same_reach(const PodIn& pod, const PodIn& old) {
  return same_spec(pod, old) &&
         model::equal(judged_annotations(*pod.metadata), judged_annotations(*old.metadata));
}

bool owns_machine(const Api& api, const User& user) {
  Attributes what;
  what.verb = "create";
  what.version = "v1";
  what.resource = "persistentvolumes";
  return api.authorizer.authorize(user, what).allowed;
}

std::string reach_refused(const Api& api, const User& user, std::string_view ns, const PodIn& pod) {
  const std::vector<Reach> reaches = reaches_of(pod);
  if (reaches.empty()) return "";
  const bool by_namespace = wall_stands("a tenant's wish is judged by its namespace") &&
                            model::find(*pod.metadata, {"annotations", model::kReach}) != nullptr;
  if (!by_namespace && owns_machine(api, user)) return "";
  const bool image_alone =
      std::all_of(reaches.begin(), reaches.end(), [](const Reach& each) { return each.image; });
  if (image_alone && is_marked(api, ns)) return "";
  const std::string marked =
      fmt::format("a namespace with the label {}={}", model::kHostImage, model::kHostImageAllowed);
  std::string allowed = by_namespace ? "" : "only who may create persistentvolumes may do that";
  if (image_alone) allowed += by_namespace ? "only " + marked + " may do that" : ", or " + marked;
  if (allowed.empty()) allowed = "no namespace may do that";
  return fmt::format("it reaches for the machine itself: {}; {}", told(reaches), allowed);
}

}  // namespace holdfast::apiserver

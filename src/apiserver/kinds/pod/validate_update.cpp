/// Fields of an existing pod that may change: images, the deadline, more tolerations, fewer
/// scheduling gates.
#include <holdfast/base/text.h>

#include "kinds/pod/amounts.h"
#include "kinds/pod/annotations.h"
#include "kinds/pod/pod.h"
#include "kinds/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace holdfast::apiserver::pod {

using model::Value;

namespace {

constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";

const Value& member(const Value& object, std::string_view name) {
  static const Value none;
  const Value* found = model::find(object, {name});
  return found == nullptr ? none : *found;
}

void put(Value& object, std::string_view name, const Value& value) {
  if (value.is_null())
    model::erase(object, {name});
  else
    object.get_object()[name] = value;
}

void check_annotation_updates(const Place& now, const Value& before) {
  const auto frozen = [](std::string_view key) {
    return key == kMirrorPod || key.starts_with(kAppArmor);
  };
  const auto what = [](std::string_view key) {
    return key == kMirrorPod ? "mirror pod annotation" : "AppArmor annotations";
  };
  for (const auto& old : model::object_at(before, {})) {
    const Place kept = now.entry(old.key());
    if (frozen(old.key()) && !(kept.present() && model::equal(kept.value(), old.value())))
      kept.forbidden(fmt::format("may not remove or update {}", what(old.key())));
  }
  now.each_entry([&](std::string_view key, const Place& added) {
    if (frozen(key) && model::find(before, {key}) == nullptr)
      added.forbidden(fmt::format("may not add {}", what(key)));
  });
}

/// False if nothing further can be compared.
bool check_container_updates(const Place& now, const Value& before) {
  if (now.items().size() != model::array_at(before, {}).size()) {
    now.forbidden("pod updates may not add or remove containers");
    return false;
  }
  now.each([](const Place& container) {
    const Place image = container["image"];
    if (image.need() && trim(image.text()).size() != image.text().size())
      image.invalid("must not have leading or trailing whitespace");
  });
  return true;
}

/// False if the new deadline is so wrong that the rest is not looked at.
bool check_deadline(const Place& now, const Value& before) {
  if (!now.present()) {
    if (!before.is_null())
      now.invalid(Value(nullptr), "must not update from a positive integer to nil value");
    return true;
  }
  if (now.number() < 0 || now.number() > std::numeric_limits<int32_t>::max()) {
    now.between(0, std::numeric_limits<int32_t>::max());
    return false;
  }
  if (before.is_null() || model::int_at(before, {}, 0) >= now.number()) return true;
  now.invalid("must be less than or equal to previous value");
  return false;
}

void check_only_added_tolerations(const Place& now, const Value& before) {
  const auto without_seconds = [](Value toleration) {
    model::erase(toleration, {"tolerationSeconds"});
    return toleration;
  };
  for (const Value& old : model::array_at(before, {})) {
    const Value wanted = without_seconds(old);
    const auto& items = now.items();
    if (std::none_of(items.begin(), items.end(), [&](const Value& each) {
          return model::equal(without_seconds(each), wanted);
        }))
      return now.forbidden("existing toleration can not be modified except its tolerationSeconds");
  }
  check_tolerations(now);
}

void check_only_removed_gates(const Place& now, const Value& before) {
  now.each([&](const Place& gate) {
    for (const Value& old : model::array_at(before, {}))
      if (model::string_at(old, {"name"}) == gate["name"].text()) return;
    gate["name"].forbidden(fmt::format(
        "only deletion is allowed, but found new scheduling gate '{}'", gate["name"].text()));
  });
}

bool starts_with(const model::Array& longer, const model::Array& shorter) {
  if (longer.size() < shorter.size()) return false;
  return std::equal(shorter.begin(), shorter.end(), longer.begin(), model::equal);
}

bool only_adds(const Value& now, const Value& before) {
  const auto& old_expressions = model::array_at(before, {"matchExpressions"});
  const auto& old_fields = model::array_at(before, {"matchFields"});
  const auto& expressions = model::array_at(now, {"matchExpressions"});
  const auto& fields = model::array_at(now, {"matchFields"});
  if (old_expressions.empty() && old_fields.empty()) return expressions.empty() && fields.empty();
  return starts_with(expressions, old_expressions) && starts_with(fields, old_fields);
}

void check_node_affinity_narrows(const Place& now, const Value& before) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  const auto& old_terms = model::array_at(before, {kRequired, "nodeSelectorTerms"});
  const Place terms = now[kRequired]["nodeSelectorTerms"];
  if (old_terms.empty()) return;
  if (terms.items().size() != old_terms.size())
    return terms.invalid("no additions/deletions to non-empty NodeSelectorTerms list are allowed");
  for (size_t i = 0; i < old_terms.size(); ++i)
    if (!only_adds(terms.item(i).value(), old_terms[i]))
      terms.item(i).invalid("only additions are allowed (no mutations or deletions)");
}

/// A pod that waits at a gate may still be told where to go: node selectors and node affinity may
/// narrow.
void check_gated(const Place& spec, const Value& old, Value& munged) {
  if (member(old, "schedulingGates").is_null()) return;
  const Place selector = spec["nodeSelector"];
  for (const auto& label : model::object_at(old, {"nodeSelector"})) {
    const Value* kept = selector.members().if_contains(label.key());
    if (kept != nullptr && model::equal(*kept, label.value())) continue;
    selector.invalid("only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    break;
  }
  put(munged, "nodeSelector", member(old, "nodeSelector"));

  const Value& before = member(member(old, "affinity"), "nodeAffinity");
  const Place now = spec["affinity"]["nodeAffinity"];
  if (model::equal(now.value(), before)) return;
  check_node_affinity_narrows(now, before);
  Value& affinity = object_member(munged, "affinity");
  put(affinity, "nodeAffinity", before);
  if (affinity.get_object().empty() && model::find(old, {"affinity"}) == nullptr)
    model::erase(munged, {"affinity"});
}

Value with_old_images(const Value& containers, const Value& old) {
  Value out = containers;
  const auto& before = model::array_at(old, {});
  if (!out.is_array()) return out;
  for (size_t i = 0; i < out.get_array().size() && i < before.size(); ++i)
    put(out.get_array()[i], "image", member(before[i], "image"));
  return out;
}

void check_nothing_else(const Place& spec, const Value& old) {
  Value munged = spec.value();
  for (std::string_view list : {"containers", "initContainers"})
    put(munged, list, with_old_images(member(munged, list), member(old, list)));
  for (std::string_view name : {"activeDeadlineSeconds", "schedulingGates", "tolerations"})
    put(munged, name, member(old, name));
  if (model::int_at(old, {"terminationGracePeriodSeconds"}, 0) < 0 &&
      model::int_at(munged, {"terminationGracePeriodSeconds"}, 0) == 1)
    put(munged, "terminationGracePeriodSeconds", member(old, "terminationGracePeriodSeconds"));
  check_gated(spec, old, munged);
  if (model::equal(munged, old)) return;
  std::string changed;
  for (const auto& each : munged.get_object())
    if (!model::equal(each.value(), member(old, each.key())))
      changed +=
          fmt::format("+{}: {}\n", std::string_view(each.key()), model::to_json(each.value()));
  for (const auto& each : old.get_object())
    if (!model::equal(each.value(), member(munged, each.key())))
      changed +=
          fmt::format("-{}: {}\n", std::string_view(each.key()), model::to_json(each.value()));
  spec.forbidden(
      "pod updates may not change fields other than "
      "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
      "`spec.tolerations` (only additions to existing tolerations),"
      "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously "
      "negative)\n" +
      changed);
}

}  // namespace

void check_pod_update(const Place& pod, const Value& old) {
  const Place annotations = pod["metadata"]["annotations"];
  const Place spec = pod["spec"];
  const Value& old_spec = member(old, "spec");
  check_annotation_updates(annotations, member(member(old, "metadata"), "annotations"));
  for (std::string_view list : {"containers", "initContainers"})
    if (!check_container_updates(spec[list], member(old_spec, list))) return;
  if (!check_deadline(spec["activeDeadlineSeconds"], member(old_spec, "activeDeadlineSeconds")))
    return;
  check_only_added_tolerations(spec["tolerations"], member(old_spec, "tolerations"));
  check_only_removed_gates(spec["schedulingGates"], member(old_spec, "schedulingGates"));
  if (!model::equal(spec.value(), old_spec)) check_nothing_else(spec, old_spec);
}

}  // namespace holdfast::apiserver::pod

#include <holdfast/cli/asking.h>
#include <holdfast/cli/ending.h>
#include <holdfast/cli/follow.h>
#include <holdfast/cli/refused.h>

#include <fmt/format.h>

namespace holdfast::cli {
namespace {

using model::Object;
using model::string_at;
using model::Value;

constexpr auto kDeletion = std::chrono::seconds(120);

/// Only on the object as it was seen.
Value wish_of(const Value& object, const LabelWish& wish, const std::string& id) {
  Object labels, annotations;
  labels[wish.labels.front()] = wish.word;
  annotations[wish.id] = id;
  return Object{
      {"metadata", Object{{"resourceVersion", string_at(object, {"metadata", "resourceVersion"})},
                          {"labels", std::move(labels)},
                          {"annotations", std::move(annotations)}}}};
}

/// False: it is asked for something else, or somebody was quicker.
Result<bool> try_to_ask(Server& server, const LabelWish& wish, const std::string& id) {
  const Value object = HF_TRY(read_object(server, wish.resource, wish.name, wish.others));
  for (const std::string_view label : wish.labels)
    if (!string_at(object, {"metadata", "labels", label}).empty()) return false;
  const auto asked = server.client().patch(wish.resource, server.ns(), wish.name,
                                           kube::PatchType::Merge, wish_of(object, wish, id));
  if (!asked && !asked.error().conflict())
    return error_of(asked.error(), fmt::format("set the label {} of {} {}", wish.labels.front(),
                                               wish.resource.kind, wish.name));
  return bool(asked);
}

/// The name of the object that was made for the wish; "" while there is none.
Result<std::string> answer_to(Server& server, const LabelWish& wish, const std::string& id) {
  std::string name;
  const auto listed = server.client().list(
      wish.made, server.ns(), {.label_selector = wish.selector}, [&](const Value& each) {
        if (string_at(each, {"metadata", "annotations", wish.id}) == id)
          name = string_at(each, {"metadata", "name"});
        return name.empty();
      });
  if (!listed && !listed.error().error.transient())
    return refused(server, wish.made, listed.error(), fmt::format("list {}s", wish.made.kind));
  return name;
}

}  // namespace

kube::Reply<std::string> make_object(Server& server, const kube::Resource& resource, Value object,
                                     const NewName& name, Object labels) {
  Object metadata =
      name.name.empty() ? Object{{"generateName", name.prefix}} : Object{{"name", name.name}};
  if (!labels.empty()) metadata["labels"] = std::move(labels);
  object.as_object()["metadata"] = std::move(metadata);
  const Value made = HF_TRY(server.client().create(resource, server.ns(), object));
  return std::string(string_at(made, {"metadata", "name"}));
}

Result<std::optional<std::string>> ask_by_label(Server& server, const LabelWish& wish,
                                                const std::stop_token& stop) {
  const std::string id = SystemRandom().uuid();
  const auto other = [&wish] {
    return fmt::format("{} has another request already; if it stays, the operator does not run",
                       wish.what);
  };
  if (!HF_TRY(wait_until(server, other, stop, [&] { return try_to_ask(server, wish, id); })))
    return std::optional<std::string>();
  const auto unnoticed = [&] {
    const auto object = server.client().get(wish.resource, server.ns(), wish.name);
    if (const std::string refused = object ? refusal_text(*object) : ""; !refused.empty())
      return fmt::format("it is not started: {}", refused);
    return fmt::format(
        "no controller has started it: does the operator run, or is another request of {} still "
        "being carried out?",
        wish.what);
  };
  std::string name;
  const auto made = [&]() -> Result<bool> {
    name = HF_TRY(answer_to(server, wish, id));
    return !name.empty();
  };
  if (!HF_TRY(wait_until(server, unnoticed, stop, made))) return std::optional<std::string>();
  return std::optional(std::move(name));
}

Result<void> set_label(Server& server, const Target& target, const Value& object,
                       std::string_view label, std::string_view word,
                       std::optional<Value> restore) {
  const auto add = [](std::string path, Value value) -> Value {
    return Object{{"op", "add"}, {"path", std::move(path)}, {"value", std::move(value)}};
  };
  model::Array steps{Object{{"op", "test"}, {"path", "/metadata/uid"}, {"value", target.uid}}};
  if (model::object_at(object, {"metadata", "labels"}).empty())
    steps.push_back(add("/metadata/labels", Object{{label, word}}));
  else
    steps.push_back(add(fmt::format("/metadata/labels/{}", label), Value(word)));
  if (restore) steps.push_back(add("/spec/restore", *std::move(restore)));
  const auto asked = server.client().patch(target.resource, server.ns(), target.name,
                                           kube::PatchType::Json, Value(std::move(steps)));
  if (asked) return ok();
  return error_of(asked.error(), fmt::format("set the label {} of {} {}", label,
                                             target.resource.kind, target.name));
}

Result<void> set_spec(Server& server, const Target& target, Object members) {
  const auto told =
      server.client().patch(target.resource, server.ns(), target.name, kube::PatchType::Merge,
                            Value(Object{{"spec", std::move(members)}}));
  if (told) return ok();
  return error_of(told.error(), fmt::format("change {} {}", target.resource.kind, target.name));
}

Result<void> remove_object(Server& server, const Target& target, std::string_view describe) {
  const std::string subject = fmt::format("{} {}", target.resource.kind, target.name);
  const auto gone = server.client().remove(target.resource, server.ns(), target.name,
                                           {.only = {.uid = target.uid}});
  if (!gone && gone.error().not_found()) return ok();
  if (!gone) return error_of(gone.error(), "delete " + subject);
  const auto look = [&target](const Value& object) {
    return Look{.over = string_at(object, {"metadata", "uid"}) != target.uid};
  };
  const auto followed = follow(server,
                               {.resource = target.resource,
                                .name = target.name,
                                .look = look,
                                .telling = Telling::Nothing,
                                .limit = kDeletion},
                               {});
  if (!followed && followed.error().not_found()) return ok();
  if (!followed) return error_of(followed.error(), "delete " + subject);
  if (followed->why == Followed::Why::Over) return ok();
  return Error(Fault::Unavailable, fmt::format("{} is being deleted, but still there", subject))
      .with_hint(fmt::format("{} {} says what it waits for", describe, target.name));
}

}  // namespace holdfast::cli

#include "loop/sender.h"

#include <holdfast/control/sabotage.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::control {

namespace {

/// Adds one header to every request.
class Saying final : public net::Client {
 public:
  Saying(net::Client& inner, std::string value) : inner_(inner), value_(std::move(value)) {}
  Result<net::Response> call(const net::Call& call) override { return inner_.call(said(call)); }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    return inner_.stream(said(call), on_data);
  }
  Result<net::Connected> connect(const net::Call& call,
                                 const std::vector<std::string>& protocols) override {
    return inner_.connect(said(call), protocols);
  }

 private:
  net::Call said(net::Call call) const {
    call.headers.set("Holdfast-Pass", value_);
    return call;
  }
  net::Client& inner_;
  const std::string value_;
};

bool has_cause(const kube::Failure& failure, std::string_view member, std::string_view value) {
  const auto& causes = model::array_at(failure.status, {"details", "causes"});
  return std::any_of(causes.begin(), causes.end(), [&](const model::Value& cause) {
    return model::string_at(cause, {member}) == value;
  });
}

/// A path that the server does not serve is 404 too, but names no object.
bool object_missing(const Write& write, const kube::Failure& failure) {
  return failure.not_found() &&
         model::string_at(failure.status, {"details", "name"}) == write.key.name;
}

kube::Reply<model::Value> request(kube::Client& client, const Write& write) {
  kube::WriteOptions options;
  options.subresource = write.subresource;
  switch (write.verb) {
    case Write::Verb::Create:
      return client.create(write.resource, write.key.ns, write.body, options);
    case Write::Verb::Update:
      return client.update(write.resource, write.body, options);
    case Write::Verb::Patch:
      return client.patch(write.resource, write.key.ns, write.key.name, write.patch_type,
                          write.body, options);
    case Write::Verb::Apply:
      return client.apply(write.resource, write.body, write.force, options);
    case Write::Verb::Delete:
      break;
  }
  kube::DeleteOptions deletion;
  if (!sabotage().no_uid) deletion.only = write.only;
  deletion.propagation = write.propagation;
  deletion.grace_seconds = write.grace_seconds;
  return client.remove(write.resource, write.key.ns, write.key.name, deletion);
}

/// A name that is taken: by us, in a pass whose answer was lost, or by somebody else.
Sent settle_existing(kube::Client& client, const Write& write, kube::Failure refused) {
  auto found = client.get(write.resource, write.key.ns, write.key.name);
  if (found && is_ours(write.body, *found)) return {Sent::How::Done, found.take(), {}};
  if (found) return {Sent::How::Refused, {}, std::move(refused)};
  const auto how = found.error().not_found() ? Sent::How::Overtaken : meaning(write, found.error());
  return {how == Sent::How::Unanswered ? Sent::How::Unavailable : how, {}, found.take_error()};
}

const model::Value* controller_of(const model::Value& object) {
  for (const auto& owner : model::array_at(object, {"metadata", "ownerReferences"}))
    if (model::bool_at(owner, {"controller"}, false)) return &owner;
  return nullptr;
}

}  // namespace

bool is_ours(const model::Value& wanted, const model::Value& found) {
  const model::Value* ours = controller_of(wanted);
  const model::Value* theirs = controller_of(found);
  if (ours && theirs) return model::string_at(*ours, {"uid"}) == model::string_at(*theirs, {"uid"});
  if (ours) return false;
  const auto& labels = model::object_at(wanted, {"metadata", "labels"});
  return std::all_of(labels.begin(), labels.end(), [&](const auto& label) {
    return label.value() ==
           model::Value(model::string_at(found, {"metadata", "labels", label.key()}));
  });
}

Sent::How meaning(const Write& write, const kube::Failure& failure) {
  using How = Sent::How;
  if (failure.ambiguous) return How::Unanswered;
  if (write.verb == Write::Verb::Delete && object_missing(write, failure)) return How::Done;
  if (write.verb != Write::Verb::Create && object_missing(write, failure)) return How::Overtaken;
  // Another manager's field stays another's: looking again does not help.
  if (failure.conflict() && has_cause(failure, "reason", "FieldManagerConflict"))
    return How::Refused;
  if (failure.conflict()) return How::Overtaken;
  // A patch for another object of the same name: the uid in it would have to change.
  if (failure.code == 422 && has_cause(failure, "field", "metadata.uid")) return How::Overtaken;
  // Whoever deletes the namespace knows; what stands in it goes anyway.
  if (failure.code == 403 && has_cause(failure, "reason", "NamespaceTerminating"))
    return How::Overtaken;
  if (failure.code == 0 || failure.code == 408 || failure.code == 429 || failure.code >= 500)
    return How::Unavailable;
  return How::Refused;
}

kube::Client sending_once(const kube::Client& client) {
  kube::ClientSettings settings = client.settings();
  settings.tries = 1;
  return client.with(client.transport(), std::move(settings));
}

Sent send(const Shared& shared, const Write& write, const Decided& by) {
  kube::Client client = sending_once(shared.client);
  Fence::Permit permit = shared.fence.ask(shared.clock.mono(), client.settings().timeout);
  if (!permit.granted) return {Sent::How::Fenced, {}, {}};
  kube::Reply<model::Value> answer = model::Value();
  if (shared.say_basis) {
    Saying saying(
        client.transport(),
        fmt::format("controller={}; key={}; pass={}; epoch={}; uid={}; basis={}", by.controller,
                    by.key.text(), by.pass, permit.epoch, write.only.uid, by.basis));
    kube::Client said = client.with(saying, client.settings());
    answer = request(said, write);
  } else {
    answer = request(client, write);
  }
  if (answer) return {Sent::How::Done, answer.take(), {}};
  if (write.verb == Write::Verb::Create && answer.error().already_exists())
    return settle_existing(client, write, answer.take_error());
  const auto how = meaning(write, answer.error());
  if (how == Sent::How::Done) return {how, {}, {}};
  return {how, {}, answer.take_error()};
}

}  // namespace holdfast::control

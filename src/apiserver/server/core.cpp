// The request path, top to bottom: authenticate → impersonate → authorize → route → operation →
// hold until durable.
#include <holdfast/apiserver/core.h>
#include <holdfast/apiserver/nodes.h>
#include <holdfast/base/log.h>

#include "auth/access.h"
#include "controllers/controller.h"
#include "crd/served_kinds.h"
#include "rest/operations.h"
#include "rest/watch.h"
#include "server/accept.h"
#include "server/bootstrap.h"
#include "server/expiry.h"
#include "server/metrics.h"
#include "server/pages.h"
#include "server/under_way.h"

#include <fmt/format.h>

#include <atomic>
#include <optional>

namespace holdfast::apiserver {
namespace {

constexpr MonoTime kTick = std::chrono::seconds(1);

/// Whose connections are counted together: a user's, and of accounts those of a namespace, since
/// who may make one there may make many.
std::string share_of(const User& user) {
  constexpr std::string_view kAccount = "system:serviceaccount:";
  if (user.name == kAnonymous) return "";
  if (!user.name.starts_with(kAccount)) return user.name;
  return user.name.substr(0, user.name.find(':', kAccount.size()));
}

/// What waits after its decision: for the disk, for a node.
struct Held {
  Held(UnderWay& all, Call& call, MonoTime begun, Revision hold)
      : user(std::move(call.user.name)), caller(std::move(call.caller)) {
    asked.method = std::move(call.http.method);
    asked.target = std::move(call.http.target);
    entry.emplace(all, asked, begun);
    entry->known_as(user);
    entry->waits_for_disk(hold);
  }
  net::Request asked;
  std::string user, caller;
  net::Response response;
  std::optional<UnderWay::Entry> entry;
};

class ServerCore final : public Core {
 public:
  ServerCore(CoreOptions options, std::unique_ptr<Store> store,
             std::unique_ptr<Authenticator> authenticator, std::unique_ptr<Authorizer> authorizer,
             const Clock& clock, Random& random)
      : options_(std::move(options)),
        clock_(clock),
        store_(std::move(store)),
        authenticator_(std::move(authenticator)),
        authorizer_(std::move(authorizer)),
        kinds_(*store_, clock),
        watches_(*store_, clock),
        api_{*store_, clock, random, *authenticator_, *authorizer_, kinds_, watches_} {}

  Result<void> start() {
    HF_TRY(bootstrap(api_, options_.address));
    const std::vector<std::string> names = HF_TRY(choose_controllers(options_.controllers));
    controllers_ = make_controllers(names, options_.ca_certificate);
    store_->on_change([this](const Change& change) {
      for (const auto& controller : controllers_) controller->note(change);
      expiry_.note(change);
      const Lock lock(work_mutex_);
      work_ = true;
      work_cond_.notify_one();
    });
    for (const auto& controller : controllers_) controller->start(api_);
    expiry_.start(api_);
    return ok();
  }

  void serve(net::Request request, net::Respond respond) override {
    const MonoTime begin = clock_.mono();
    Call call;
    call.http = std::move(request);
    call.info = parse_request_info(call.http);
    Answer<Reply> answer = decide(call, begin);
    metrics_.count(call.info, call.resource != nullptr, answer ? answer->code : answer.error().code,
                   clock_.mono() - begin);
    // A refusal tells of the state it was decided on as much as an object does.
    const Revision hold = answer ? answer->hold : call.resource ? store_->current() : 0;
    if (answer && answer->node)
      return carry(answer->node, hold, std::make_shared<Held>(under_way_, call, begin, hold),
                   std::move(respond));
    net::Response made = answer ? response(std::move(*answer), call.warnings)
                                : error_response(answer.error(), call.warnings);
    made.user = call.caller;
    if (hold <= store_->durable()) return respond(std::move(made));
    const auto held = std::make_shared<Held>(under_way_, call, begin, hold);
    held->response = std::move(made);
    store_->when_durable(hold, [held, respond = std::move(respond)](Result<void> durable) {
      if (durable) return respond(std::move(held->response));
      respond(error_response(model::internal_error(durable.error().what()), {}));
    });
  }

  void carry(const std::shared_ptr<const NodeRequest>& to, Revision hold,
             const std::shared_ptr<Held>& held, net::Respond respond) {
    const auto go = [nodes = options_.nodes, to, held, respond = std::move(respond)] {
      held->entry->waits_for_node();
      nodes->carry(*to, [held, respond](net::Response response) {
        held->entry.reset();
        response.user = held->caller;
        respond(std::move(response));
      });
    };
    if (hold <= store_->durable()) return go();
    store_->when_durable(hold, [go](const Result<void>&) { go(); });
  }

  std::vector<std::string> overdue() override {
    return under_way_.overdue(clock_.mono(), store_->committer());
  }

  bool commit() override { return store_->commit_pending(); }
  void wait_for_commit_work(std::chrono::milliseconds limit) override {
    store_->wait_for_pending(limit);
  }

  bool step() override {
    {
      const Lock lock(work_mutex_);
      work_ = false;
    }
    const MonoTime now = clock_.mono();
    if (now >= next_tick_) {
      next_tick_ = now + kTick;
      watches_.tick();
      expiry_.step(api_);
      compacting_ = true;
    }
    // A step at a time, so that commits come in between; until all of it is done, so that writes
    // cannot outrun it.
    if (compacting_) compacting_ = store_->compact_step(options_.history);
    bool worked = compacting_;
    for (const auto& controller : controllers_) worked = controller->step(api_) || worked;
    return worked;
  }

  void wait_for_background_work(std::chrono::milliseconds limit) override {
    const Lock lock(work_mutex_);
    if (!work_) work_cond_.wait_for(work_mutex_, limit);
  }

  void shut_down() override {
    down_.store(true);
    watches_.close_all();
  }

 private:
  Answer<Reply> decide(Call& call, MonoTime begun) {
    UnderWay::Entry entry(under_way_, call.http, begun);
    if (down_.load()) return model::service_unavailable("the server is shutting down");
    return guarded(call, entry);
  }

  // A defect of ours costs one answer, not the server.
  Answer<Reply> guarded(Call& call, UnderWay::Entry& entry) {
    try {
      return handle(call, entry);
    } catch (const std::exception& error) {
      log::error(fmt::format("{} {}: {}", call.http.method, call.http.path, error.what()));
      return model::internal_error(error.what());
    }
  }

  Answer<Reply> handle(Call& call, UnderWay::Entry& entry) {
    call.user = HF_TRY(authenticator_->authenticate(call.http));
    call.caller = share_of(call.user);
    call.user = HF_TRY(impersonate(*authorizer_, std::move(call.user), call.http));
    entry.known_as(call.user.name);
    const Attributes what = attributes(call.info);
    const Decision decision = authorizer_->authorize(call.user, what);
    if (!decision.allowed) return access_denied(call.user, what, decision.reason);
    if (!call.info.is_resource) return page(api_, call, metrics_, options_.address);
    return route(call);
  }

  static Attributes attributes(const RequestInfo& info) {
    if (!info.is_resource)
      return {.verb = info.verb,
              .group = "",
              .version = "",
              .resource = "",
              .subresource = "",
              .ns = "",
              .name = "",
              .path = info.path};
    return {.verb = info.verb,
            .group = info.group,
            .version = info.version,
            .resource = info.resource,
            .subresource = info.subresource,
            .ns = info.ns,
            .name = info.name,
            .path = ""};
  }

  // The real server's router knows the paths of built-in groups; all others end at a plain page.
  Answer<Reply> unknown_resource(const RequestInfo& info) const {
    const auto catalogue = kinds_.catalogue();
    const Catalogue::Group* group = catalogue->group(info.group);
    if (group != nullptr && !group->custom)
      for (const Catalogue::Version& version : group->versions)
        if (version.version == info.version) return model::page_not_found();
    return page_not_found();
  }

  Answer<Reply> route(Call& call) {
    const RequestInfo& info = call.info;
    call.resource = kinds_.catalogue()->find(info.group, info.version, info.resource);
    if (call.resource == nullptr) return unknown_resource(info);
    const Resource& resource = *call.resource;
    if (!resource.namespaced && !info.ns.empty() && info.resource != "namespaces")
      return page_not_found();
    if (resource.namespaced && info.ns.empty() && info.verb != "list" && info.verb != "watch" &&
        !(resource.kind == "Event" && info.verb == "create")) {
      if (info.verb == "create")
        return model::bad_request("an empty namespace may not be set during creation");
      return page_not_found();
    }
    if (!resource.deprecation_warning.empty())
      call.warnings.push_back(resource.deprecation_warning);
    if (!info.subresource.empty()) return route_subresource(call);
    if (resource.verbs.size() == 1) {
      if (info.verb != "create")
        return model::method_not_supported(resource.group_resource(), info.verb);
      return run(resource.kind == "Binding" ? bind_pod : review, call);
    }
    return route_verb(call);
  }

  using Operation = Answer<Reply> (*)(Api&, Call&);

  static Operation operation_of(const Call& call) {
    const std::string& verb = call.info.verb;
    const bool named = !call.info.name.empty();
    if (verb == "get") return get;
    if (verb == "list") return list;
    if (verb == "watch") return watch;
    if (verb == "create" && !named) return create;
    if (verb == "update" && named) return update;
    if (verb == "patch" && named) return patch;
    if (verb == "delete") return remove;
    if (verb == "deletecollection" && call.resource->verbs.size() == 8) return remove_collection;
    return nullptr;
  }

  Answer<Reply> route_verb(Call& call) {
    if (const Operation operation = operation_of(call)) return run(operation, call);
    if (call.resource->is_custom())
      return model::method_not_supported(call.resource->group_resource(), call.info.verb);
    return Status{.code = 405,
                  .reason = "MethodNotAllowed",
                  .message = "the server does not allow this method on the requested resource",
                  .details = Status::Details{}};
  }

  Answer<Reply> run(Operation operation, Call& call) {
    HF_TRY(check_accept(call));
    return operation(api_, call);
  }

  Answer<Reply> route_subresource(Call& call) {
    const Resource& resource = *call.resource;
    const std::string& name = call.info.subresource;
    const std::string& verb = call.info.verb;
    const bool reads_or_writes = verb == "get" || verb == "update" || verb == "patch";
    if (name == "status" && resource.has_status && reads_or_writes) return route_verb(call);
    if (name == "scale" && resource.scale != nullptr && reads_or_writes) return run(scale, call);
    for (const std::string& other : resource.other_subresources) {
      if (other != name) continue;
      if (name == "finalize" && verb == "update") return run(update, call);
      if (name == "binding" && verb == "create") return run(bind_pod, call);
      if (name == "token" && verb == "create") return run(request_token, call);
      if (const Operation operation = node_operation(name, verb)) return ask_node(operation, call);
      return model::method_not_supported(resource.group_resource(), verb);
    }
    if (name == "status" || name == "scale") {
      if ((name == "status" && resource.has_status) || (name == "scale" && resource.scale))
        return model::method_not_supported(resource.group_resource(), verb);
    }
    if (resource.is_custom()) return model::not_found(resource.group_resource(), call.info.name);
    return page_not_found();
  }

  static Operation node_operation(std::string_view name, std::string_view verb) {
    if (name == "log") return verb == "get" ? pod_log : nullptr;
    if (verb != "get" && verb != "create") return nullptr;
    if (name == "exec") return pod_exec;
    return name == "attach" || name == "portforward" ? pod_stream_not_served : nullptr;
  }

  Answer<Reply> ask_node(Operation operation, Call& call) {
    Answer<Reply> reply = operation(api_, call);
    if (reply && reply->node && options_.nodes == nullptr)
      return model::service_unavailable(
          fmt::format("pods/{}: this server reaches no nodes", call.info.subresource));
    return reply;
  }

  const CoreOptions options_;
  const Clock& clock_;
  UnderWay under_way_;  // outlives the store, which keeps what is held
  std::unique_ptr<Store> store_;
  std::unique_ptr<Authenticator> authenticator_;
  std::unique_ptr<Authorizer> authorizer_;
  ServedKinds kinds_;
  WatchHub watches_;
  Api api_;
  Metrics metrics_{under_way_};
  Expiry expiry_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::atomic<bool> down_{false};
  MonoTime next_tick_{};
  bool compacting_ = false;
  Mutex work_mutex_;
  CondVar work_cond_;
  bool work_ HF_GUARDED_BY(work_mutex_) = true;
};

}  // namespace

Result<std::unique_ptr<Core>> Core::make(CoreOptions options, const Clock& clock, Random& random) {
  std::unique_ptr<Store> store;
  if (options.state_file.empty())
    store = make_memory_store(clock);
  else
    store = HF_TRY(open_store(options.state_file, clock));
  AuthenticatorOptions auth;
  auth.token_csv = options.token_csv;
  auth.sa_private_key = options.sa_private_key;
  auth.sa_public_key = options.sa_public_key;
  std::unique_ptr<Authenticator> authenticator =
      HF_TRY(Authenticator::make(std::move(auth), *store, clock, random));
  std::unique_ptr<Authorizer> authorizer = Authorizer::make(*store);
  auto core =
      std::make_unique<ServerCore>(std::move(options), std::move(store), std::move(authenticator),
                                   std::move(authorizer), clock, random);
  HF_TRY(core->start());
  return std::unique_ptr<Core>(std::move(core));
}

}  // namespace holdfast::apiserver

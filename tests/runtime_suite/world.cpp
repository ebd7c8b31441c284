#include "world.h"

#include <gtest/gtest.h>

namespace holdfast::suite {

namespace {

net::Request request_of(const net::Call& call) {
  net::Request request;
  request.method = call.method;
  request.target = call.target;
  request.headers = call.headers;
  request.body = call.body;
  request.peer.address = "in-process";
  request.peer.certificate = true;
  request.peer.common_name = "admin";
  request.peer.organizations = {"system:masters"};
  net::split_target(request);
  return request;
}

Error lost(const net::Call& call) {
  return {Fault::Unavailable, call.method + " " + call.target + ": the wire was cut"};
}

}  // namespace

net::Response Wire::ask(const net::Call& call) {
  auto answer = std::make_shared<std::optional<net::Response>>();
  core_.serve(request_of(call),
              [answer](net::Response response) { *answer = std::move(response); });
  while (!*answer && core_.commit()) {
  }
  HF_CHECK(answer->has_value());
  return std::move(**answer);
}

Result<net::Response> Wire::call(const net::Call& call) {
  if (cut_before && cut_before(call)) return lost(call);
  net::Response response = ask(call);
  if (call.method != "GET") writes.push_back(call);
  if (cut_after && cut_after(call)) return lost(call);
  return response;
}

Result<net::Response> Wire::stream(const net::Call& call,
                                   const std::function<bool(std::string_view)>&) {
  return lost(call);
}

std::shared_ptr<net::BodyStream> Wire::open(const net::Call& call, net::Response& answer) {
  answer = ask(call);
  auto stream = std::exchange(answer.stream, nullptr);
  if (stream) stream->set_waker([] {});
  return stream;
}

World::World() {
  auto made = apiserver::Core::make({}, clock, random);
  HF_CHECK(made);
  core = made.take();
  while (core->commit() || core->step()) {
  }
  wire = std::make_unique<Wire>(*core);
  client = std::make_unique<kube::Client>(client_on(*wire));
}

kube::Client World::client_on(net::Client& transport) {
  kube::ClientSettings settings;
  settings.timeout = std::chrono::seconds(5);
  settings.tries = 1;
  return {transport, clock, random, [](auto, const auto&) {}, settings};
}

model::Value World::config_map(const std::string& name, const std::string& rest) {
  auto made = client->create(
      kube::kConfigMaps, "default",
      parsed(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":")" +
             name + "\"" + rest + "}}"));
  if (!made) ADD_FAILURE() << made.error().error.what();
  return made ? made.take() : model::Value();
}

size_t World::count(const kube::Resource& resource) {
  size_t found = 0;
  auto listed = client->list(resource, "default", {}, [&](const model::Value&) {
    ++found;
    return true;
  });
  EXPECT_TRUE(listed);
  return found;
}

Operator::Operator(World& in, control::ControllerSpec spec, control::Fence fence)
    : world(in),
      wire(*in.core),
      client(in.client_on(wire)),
      informers(in.random),
      events(client, in.clock, "suite"),
      controller(std::move(spec), {informers, client, in.clock, std::move(fence), events, metrics,
                                   /*say_basis=*/true}) {
  streams_.resize(informers.entries().size());
  watch();
  EXPECT_TRUE(informers.synced());
}

void Operator::watch() {
  while (world.core->commit() || world.core->step()) {
  }
  for (size_t i = 0; i < streams_.size(); ++i) {
    kube::Reflector& reflector = *informers.entries()[i]->reflector;
    for (;;) {
      const MonoTime now = world.clock.mono();
      if (!streams_[i]) {
        auto next = reflector.next(now);
        if (next.what == kube::Reflector::Next::Do::Wait) break;
        if (next.what == kube::Reflector::Next::Do::List) {
          reflector.listed(wire.call(next.call), now);
          continue;
        }
        net::Response refused;
        streams_[i] = wire.open(next.call, refused);
        if (!streams_[i]) reflector.ended(std::move(refused), now);
        continue;
      }
      std::string bytes;
      const auto state = streams_[i]->read(bytes);
      const bool useful = bytes.empty() || reflector.received(bytes, now);
      if (state == net::BodyStream::State::End || !useful) {
        streams_[i].reset();
        reflector.ended(net::Response{}, now);
      } else if (state == net::BodyStream::State::Idle) {
        break;
      }
    }
  }
}

bool Operator::settle(std::chrono::microseconds patience, int most) {
  for (int i = 0; i < most; ++i) {
    watch();
    if (step()) continue;
    const auto due = controller.queue().due();
    const MonoTime now = world.clock.mono();
    if (!due || *due > now + patience) return true;
    world.advance(std::max<MonoTime>(*due - now, std::chrono::milliseconds(1)));
  }
  return false;
}

namespace {

class FunctionReconciler final : public control::Reconciler {
 public:
  explicit FunctionReconciler(std::function<Result<control::Outcome>(control::Pass&)> function)
      : function_(std::move(function)) {}
  Result<control::Outcome> reconcile(control::Pass& pass) override { return function_(pass); }

 private:
  std::function<Result<control::Outcome>(control::Pass&)> function_;
};

}  // namespace

control::ControllerSpec controller_of(
    std::vector<control::Watch> watches,
    std::function<Result<control::Outcome>(control::Pass&)> reconcile) {
  control::ControllerSpec spec;
  spec.name = "suite-controller";
  spec.watches = std::move(watches);
  spec.make = [reconcile = std::move(reconcile)] {
    return std::make_unique<FunctionReconciler>(reconcile);
  };
  return spec;
}

model::Value parsed(const std::string& json) {
  auto value = model::parse_json(json);
  HF_CHECK(value);
  return std::move(value->value);
}

}  // namespace holdfast::suite

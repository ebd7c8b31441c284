#include "cluster.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::suite {

namespace fs = std::filesystem;

namespace {

model::Value from_yaml(const std::string& yaml) {
  Result<model::Parsed> parsed = model::parse_yaml(yaml);
  if (!parsed) ADD_FAILURE() << parsed.error().what() << "\n" << yaml;
  return parsed ? parsed->value : model::Value();
}

model::Value checked(kube::Reply<model::Value> reply, const std::string& doing) {
  if (!reply) ADD_FAILURE() << doing << ": " << reply.error().error.what();
  return reply ? reply.take() : model::Value();
}

}  // namespace

Folder::Folder() {
  std::string name = fs::temp_directory_path() / "holdfast-volumes.XXXXXX";
  HF_CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Cluster::Cluster(const fs::path& folder, std::string provider)
    : folder_(folder), provider_(std::move(provider)), wire_(*world.core) {
  start();
}

Cluster::~Cluster() = default;

void Cluster::start() {
  auto opened = volumes::Machine::open(
      {.node = "n1", .folder = folder_ / "volumes", .provider = provider_, .stop = {}},
      machine_clock_);
  if (!opened) ADD_FAILURE() << opened.error().what();
  HF_CHECK(bool(opened));
  machine_.emplace(opened.take());
  control::RuntimeSettings settings;
  settings.instance = "suite";
  runtime_ = std::make_unique<control::Runtime>(std::move(settings), wire_, world.clock,
                                                world.random, [](auto, const auto&) {});
  const Result<void> installed = machine_->install(runtime_->client());
  if (!installed) ADD_FAILURE() << installed.error().what();
  for (control::ControllerSpec& spec : volumes::binders()) runtime_->add(std::move(spec));
  for (control::ControllerSpec& spec : machine_->controllers()) runtime_->add(std::move(spec));
  streams_.assign(runtime_->informers().entries().size(), nullptr);
}

void Cluster::restart() {
  streams_.clear();
  runtime_.reset();
  machine_.reset();
  start();
}

bool Cluster::watch() {
  bool moved = false;
  while (world.core->commit() || world.core->step()) moved = true;
  for (size_t i = 0; i < streams_.size(); ++i) {
    kube::Reflector& reflector = *runtime_->informers().entries()[i]->reflector;
    for (;;) {
      const MonoTime now = world.clock.mono();
      if (!streams_[i]) {
        auto next = reflector.next(now);
        if (next.what == kube::Reflector::Next::Do::Wait) break;
        moved = true;
        if (next.what == kube::Reflector::Next::Do::List) {
          reflector.listed(wire_.call(next.call), now);
          continue;
        }
        net::Response refused;
        streams_[i] = wire_.open(next.call, refused);
        if (!streams_[i]) reflector.ended(std::move(refused), now);
        continue;
      }
      std::string bytes;
      const auto state = streams_[i]->read(bytes);
      moved |= !bytes.empty();
      const bool useful = bytes.empty() || reflector.received(bytes, now);
      if (state == net::BodyStream::State::End || !useful) {
        streams_[i].reset();
        reflector.ended(net::Response{}, now);
      } else if (state == net::BodyStream::State::Idle) {
        break;
      }
    }
  }
  return moved;
}

bool Cluster::step_all() {
  bool moved = false;
  if (!runtime_->may_reconcile()) return moved;
  for (const auto& controller : runtime_->controllers()) {
    world.advance(std::chrono::microseconds(1));  // events are named by the moment
    moved |= controller->step();
  }
  while (runtime_->events().due() && *runtime_->events().due() <= world.clock.mono()) {
    runtime_->events().step();
    moved = true;
  }
  return moved;
}

void Cluster::settle(std::chrono::microseconds patience) {
  const MonoTime until = world.clock.mono() + patience;
  for (int i = 0; i < 20000; ++i) {
    if (watch() || step_all()) continue;
    std::optional<MonoTime> next;
    for (const auto& controller : runtime_->controllers())
      if (const auto due = controller->queue().due(); due && (!next || *due < *next)) next = due;
    const MonoTime now = world.clock.mono();
    if (!next || *next > until) return;
    world.advance(std::max<MonoTime>(*next - now, std::chrono::milliseconds(1)));
  }
  ADD_FAILURE() << "the controllers do not come to rest";
}

model::Value Cluster::create(const kube::Resource& resource, const std::string& yaml) {
  model::Value object = from_yaml(yaml);
  const std::string_view ns = resource.namespaced ? "default" : "";
  return checked(world.client->create(resource, ns, object), "create " + yaml);
}

model::Value Cluster::patch(const kube::Resource& resource, const std::string& name,
                            const std::string& merge, const std::string& subresource) {
  kube::WriteOptions options;
  options.subresource = subresource;
  return checked(world.client->patch(resource, resource.namespaced ? "default" : "", name,
                                     kube::PatchType::Merge, from_yaml(merge), options),
                 "patch " + name);
}

void Cluster::remove(const kube::Resource& resource, const std::string& name) {
  checked(world.client->remove(resource, resource.namespaced ? "default" : "", name),
          "delete " + name);
}

model::Value Cluster::get(const kube::Resource& resource, const std::string& name) {
  auto found = world.client->get(resource, resource.namespaced ? "default" : "", name);
  return found ? found.take() : model::Value();
}

std::vector<model::Value> Cluster::list(const kube::Resource& resource) {
  std::vector<model::Value> out;
  auto listed = world.client->list(resource, "", {}, [&](model::Value each) {
    out.push_back(std::move(each));
    return true;
  });
  EXPECT_TRUE(listed);
  return out;
}

std::vector<std::string> Cluster::events(const std::string& name) {
  std::vector<std::string> out;
  for (const model::Value& event : list(kube::kEvents))
    if (model::string_at(event, {"regarding", "name"}) == name)
      out.push_back(fmt::format("{}: {}", model::string_at(event, {"reason"}),
                                model::string_at(event, {"note"})));
  return out;
}

bool Cluster::has_event(const std::string& name, const std::string& part) {
  const std::vector<std::string> all = events(name);
  return std::any_of(all.begin(), all.end(),
                     [&](const std::string& each) { return each.find(part) != each.npos; });
}

model::Value Cluster::claim(const std::string& name, const std::string& more,
                            const std::string& labels) {
  create(
      kube::kClaims,
      fmt::format("{{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {{namespace: default, "
                  "name: {}, labels: {{{}}}, annotations: {{volume.kubernetes.io/selected-node: "
                  "n1}}}}, spec: {{accessModes: [ReadWriteOnce], resources: {{requests: "
                  "{{storage: 1Gi}}}}{}{}}}}}",
                  name, labels, more.empty() ? "" : ", ", more));
  settle();
  return get(kube::kClaims, name);
}

fs::path Cluster::path_of(const std::string& claim) {
  const std::string volume(model::string_at(get(kube::kClaims, claim), {"spec", "volumeName"}));
  return std::string(model::string_at(get(kube::kVolumes, volume), {"spec", "local", "path"}));
}

}  // namespace holdfast::suite

// Informers against a server: they sync, follow, and come back from whatever happens to the
// connection, the history or the server itself.
#include <holdfast/apiserver/daemon.h>
#include <holdfast/kube/informers.h>

#include "suite.h"
#include "world.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

namespace holdfast::runtime {
namespace {

using namespace std::chrono_literals;
using kube::Cached;
using kube::Change;
using kube::Informer;
using kube::Informers;
using Names = std::vector<std::string>;

/// A connection that can be cut: what is open ends, what is asked waits. It can also hide streamed
/// lists, as old servers do.
class Line final : public net::Client {
 public:
  explicit Line(net::Client& server) : server_(server) {}
  Result<net::Response> call(const net::Call& call) override {
    await_up(call.stop);
    ++lists;
    return server_.call(call);
  }
  Result<net::Response> stream(const net::Call& call,
                               const std::function<bool(std::string_view)>& on_data) override {
    await_up(call.stop);
    if (old_fashioned && call.target.find("sendInitialEvents") != std::string::npos)
      return net::Response{.status = 422};
    // The caller's own end and ours: whichever comes first.
    std::stop_source cut;
    const std::stop_callback theirs(call.stop, [&cut] { cut.request_stop(); });
    net::Call ours = call;
    ours.stop = cut.get_token();
    {
      const Lock lock(mutex_);
      cut_ = cut;
    }
    // What is under way when the line goes down does not arrive either.
    return server_.stream(ours, [&](std::string_view bytes) { return !down() && on_data(bytes); });
  }
  void set_down(bool down) {
    const Lock lock(mutex_);
    down_ = down;
    changed_.notify_all();
    if (down) cut_.request_stop();
  }

  bool old_fashioned = false;
  std::atomic<int> lists{0};

 private:
  bool down() {
    const Lock lock(mutex_);
    return down_;
  }
  void await_up(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] {
      const Lock lock(mutex_);
      changed_.notify_all();
    });
    const Lock lock(mutex_);
    while (down_ && !stop.stop_requested()) changed_.wait(mutex_);
  }

  net::Client& server_;
  Mutex mutex_;
  CondVar changed_;
  bool down_ HF_GUARDED_BY(mutex_) = false;
  std::stop_source cut_ HF_GUARDED_BY(mutex_);
};

class InformersCase : public Case {
 protected:
  void TearDown() override {
    informers_.stop();
    Case::TearDown();
  }
  Informer& maps() { return informers_.of({.resource = kube::kConfigMaps, .ns = ns_}); }
  void start(net::Client& transport) {
    Informer& informer = maps();
    informer.on_change([this](const Change& change) {
      if (change.object().name() == "kube-root-ca.crt") return;
      const Lock lock(mutex_);
      told_.push_back(fmt::format("{}{}{}",
                                  change.kind == Change::Kind::Added     ? "+"
                                  : change.kind == Change::Kind::Updated ? "~"
                                                                         : "-",
                                  change.object().name(), change.final_state_unknown ? "?" : ""));
    });
    informers_.start(transport, clock_);
    ASSERT_TRUE(informers_.wait_for_sync(1min)) << fmt::format("{}", fmt::join(waiting(), "; "));
  }
  Names waiting() const { return informers_.waiting_for(); }
  Names told() {
    const Lock lock(mutex_);
    return told_;
  }
  /// Names in the cache, without the one that every namespace gets.
  Names cached() {
    Names names;
    for (const Cached& object : maps().list())
      if (object.name() != "kube-root-ca.crt") names.emplace_back(object.name());
    return names;
  }
  int lists() const { return informers_.entries().front()->reflector->lists(); }

  kube::Reply<Value> change_map(const std::string& name, const std::string& data) {
    return client_.patch(kube::kConfigMaps, ns_, name, kube::PatchType::Merge,
                         yaml("{data: " + data + "}"));
  }
  kube::Reply<Value> drop_map(const std::string& name) {
    return client_.remove(kube::kConfigMaps, ns_, name);
  }

  Informers informers_{random_, "runtime-suite"};
  Mutex mutex_;
  Names told_ HF_GUARDED_BY(mutex_);
};

struct Caches : InformersCase {};

TEST_F(Caches, FollowTheServer) {
  ASSERT_TRUE(make_map("a"));
  ASSERT_TRUE(make_map("b"));
  start(Subject::get().admin());
  EXPECT_EQ(cached(), (Names{"a", "b"}));

  ASSERT_TRUE(make_map("c"));
  const auto changed = change_map("a", "{a: '2'}");
  ASSERT_TRUE(changed);
  ASSERT_TRUE(drop_map("b"));

  EXPECT_TRUE(await([&] { return told() == Names{"+a", "+b", "+c", "~a", "-b"}; }));
  EXPECT_EQ(cached(), (Names{"a", "c"}));
  const Cached seen = maps().get(ns_, "a");
  EXPECT_EQ(text_at(seen.value(), {"data", "a"}), "2");
  EXPECT_EQ(text_at(seen.value(), {"kind"}), "ConfigMap");
  EXPECT_EQ(text_at(seen.value(), {"apiVersion"}), "v1");
  EXPECT_EQ(model::find(seen.value(), {"metadata", "managedFields"}), nullptr);
  EXPECT_EQ(std::to_string(seen.version()), text_at(*changed, {"metadata", "resourceVersion"}));
  EXPECT_GE(maps().progress(), seen.version());
  EXPECT_EQ(lists(), 1);
}

TEST_F(Caches, FollowServersThatKnowNoStreamedLists) {
  Line line(Subject::get().admin());
  line.old_fashioned = true;
  ASSERT_TRUE(make_map("a"));
  start(line);
  ASSERT_TRUE(change_map("a", "{a: '2'}"));

  EXPECT_TRUE(await([&] { return told() == Names{"+a", "~a"}; }));
  const Value seen = maps().get(ns_, "a").value();
  EXPECT_EQ(text_at(seen, {"kind"}), "ConfigMap") << "items of a list carry none";
  EXPECT_EQ(text_at(seen, {"apiVersion"}), "v1");
  EXPECT_EQ(line.lists, 1);
  informers_.stop();
}

TEST_F(Caches, HoldOnlyWhatTheyAskFor) {
  Value labelled = config_map("labelled");
  model::ensure_object(labelled, {"metadata", "labels"})["app"] = "db";
  ASSERT_TRUE(client_.create(kube::kConfigMaps, ns_, labelled));
  ASSERT_TRUE(make_map("plain"));
  Informer& by_label =
      informers_.of({.resource = kube::kConfigMaps, .ns = ns_, .label_selector = "app=db"});
  Informer& by_name = informers_.of(
      {.resource = kube::kConfigMaps, .ns = ns_, .field_selector = "metadata.name=plain"});
  Informer& metadata =
      informers_.of({.resource = kube::kConfigMaps, .ns = ns_, .metadata_only = true});
  start(Subject::get().admin());

  ASSERT_EQ(by_label.size(), 1u);
  EXPECT_EQ(by_label.list()[0].name(), "labelled");
  ASSERT_EQ(by_name.size(), 1u);
  EXPECT_EQ(by_name.list()[0].name(), "plain");
  const Value partial = metadata.get(ns_, "plain").value();
  EXPECT_EQ(text_at(partial, {"kind"}), "PartialObjectMetadata");
  EXPECT_EQ(model::find(partial, {"data"}), nullptr);
  // An object that leaves the selection is gone for whoever asked for it.
  ASSERT_TRUE(client_.patch(kube::kConfigMaps, ns_, "labelled", kube::PatchType::Merge,
                            yaml("{metadata: {labels: null}}")));
  EXPECT_TRUE(await([&] { return by_label.size() == 0; }));
}

TEST_F(Caches, ResumeWhereACutConnectionLeftThem) {
  Line line(Subject::get().admin());
  ASSERT_TRUE(make_map("a"));
  start(line);
  line.set_down(true);
  ASSERT_TRUE(make_map("b"));
  ASSERT_TRUE(drop_map("a"));
  EXPECT_EQ(cached(), Names{"a"});
  line.set_down(false);

  EXPECT_TRUE(await([&] { return told() == Names{"+a", "+b", "-a"}; }));
  EXPECT_EQ(lists(), 1) << "the watch went on; nothing was listed again";
  informers_.stop();
}

/// A server whose history is short or that is started anew: an embedded one of the test's own, or
/// the real one.
class Moody {
 public:
  explicit Moody(std::chrono::seconds history) {
    const char* const real = std::getenv("HOLDFAST_REAL_DIR");
    if (real != nullptr) {
      real_ = real;
      return;
    }
    std::string folder = std::filesystem::temp_directory_path() / "holdfast-moody.XXXXXX";
    HF_CHECK(mkdtemp(folder.data()) != nullptr);
    options_.data_dir = folder;
    options_.listen = "127.0.0.1:0";
    options_.history = history;
    begin();
    options_.listen = daemon_->url().substr(std::string("https://").size());
    transport_ = kube::connect(
                     kube::load_config({.kubeconfig = folder + "/admin.kubeconfig"}).take(), clock_)
                     .take();
  }
  ~Moody() {
    transport_.reset();
    end();
    std::error_code ignored;
    if (!options_.data_dir.empty()) std::filesystem::remove_all(options_.data_dir, ignored);
  }
  Moody(const Moody&) = delete;
  Moody& operator=(const Moody&) = delete;

  net::Client& transport() { return real_.empty() ? *transport_ : Subject::get().admin(); }
  /// Starts to forget old versions: at once, or as its history ends. What the real one's watch
  /// caches remember beyond etcd goes only with the process.
  void forget() {
    run("compact_real");
    run("restart_real");
  }
  void begin() {
    if (!real_.empty()) return run("restart_real");
    auto started = apiserver::Daemon::start(options_);
    HF_CHECK(bool(started));
    daemon_ = started.take();
  }
  void end() {
    if (!daemon_) return;
    daemon_->stop();
    daemon_.reset();
  }

 private:
  void run(const std::string& script) const {
    if (real_.empty()) return;
    const std::string source = std::getenv("HOLDFAST_SOURCE_DIR");
    const std::string command = source + "/tests/peers/" + script + " " + real_;
    HF_CHECK(std::system(command.c_str()) == 0);
  }

  const SystemClock clock_{};
  std::string real_;
  apiserver::DaemonOptions options_;
  std::unique_ptr<apiserver::Daemon> daemon_;
  std::unique_ptr<net::Client> transport_;
};

struct MoodyCaches : InformersCase {
  /// The case's namespace on that server too.
  void on(Moody& server) {
    client_ = client_over(server.transport());
    const std::string made =
        outcome(client_.create(kube::kNamespaces, "", yaml("{metadata: {name: " + ns_ + "}}")));
    EXPECT_TRUE(made == "done" || made == "409 AlreadyExists") << made;
  }
  void TearDown() override {
    informers_.stop();
    client_ = client_over(Subject::get().admin());
    InformersCase::TearDown();
  }
};

TEST_F(MoodyCaches, ListAgainWhenTheHistoryTheyNeedIsGone) {
  Moody server(1s);
  on(server);
  Line line(server.transport());
  ASSERT_TRUE(make_map("a"));
  ASSERT_TRUE(make_map("b"));
  start(line);
  line.set_down(true);
  ASSERT_TRUE(drop_map("a"));
  ASSERT_TRUE(change_map("b", "{a: '2'}"));
  const auto last = make_map("c");
  ASSERT_TRUE(last);
  server.forget();
  const std::string watch = kube::kConfigMaps.path(ns_, "") +
                            "?watch=true&timeoutSeconds=1&resourceVersion=" +
                            text_at(*last, {"metadata", "resourceVersion"});
  ASSERT_TRUE(await([&] {
    EXPECT_TRUE(make_map("z") && drop_map("z"));
    std::string first;
    const auto answer = server.transport().stream({.target = watch}, [&](std::string_view bytes) {
      first = bytes;
      return false;
    });
    return answer && (answer->status == 410 || first.find("\"ERROR\"") != std::string::npos);
  })) << "the server never forgets";
  line.set_down(false);

  EXPECT_TRUE(await([&] { return cached() == Names{"b", "c"}; }));
  EXPECT_EQ(told(), (Names{"+a", "+b", "-a?", "~b", "+c"}));
  EXPECT_GE(lists(), 2);
  ASSERT_TRUE(make_map("d"));
  EXPECT_TRUE(await([&] { return cached() == Names{"b", "c", "d"}; })) << "and they follow again";
  informers_.stop();
}

TEST(CachesInSteps, LearnFromBookmarksThatNothingHappened) {
  suite::World world;
  suite::Wire wire(*world.core);
  Informer secrets({.resource = kube::kSecrets, .ns = "default"});
  kube::Reflector reflector(secrets, world.random);
  net::Response refused;
  const auto stream = wire.open(reflector.next(world.clock.mono()).call, refused);
  ASSERT_NE(stream, nullptr) << refused.body;
  const auto read = [&] {
    std::string bytes;
    while (stream->read(bytes) == net::BodyStream::State::Ready) {
    }
    return reflector.received(bytes, world.clock.mono());
  };
  ASSERT_TRUE(read());
  ASSERT_TRUE(secrets.synced());
  const std::string elsewhere = text_at(world.config_map("x"), {"metadata", "resourceVersion"});
  EXPECT_LT(secrets.progress(), std::stoull(elsewhere));
  world.advance(61s);

  ASSERT_TRUE(read());

  EXPECT_GE(secrets.progress(), std::stoull(elsewhere));
}

TEST_F(MoodyCaches, ResumeAcrossAStartOfTheServer) {
  Moody server(300s);
  on(server);
  ASSERT_TRUE(make_map("a"));
  start(server.transport());

  server.end();
  server.begin();
  ASSERT_TRUE(await([&] { return bool(make_map("b")); }));
  ASSERT_TRUE(drop_map("a"));

  EXPECT_TRUE(await([&] { return cached() == Names{"b"}; }))
      << informers_.entries().front()->reflector->trouble().text;
  EXPECT_EQ(maps().get(ns_, "b").ns(), ns_);
  const Names seen = told();
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "+b"), 1);
}

}  // namespace
}  // namespace holdfast::runtime

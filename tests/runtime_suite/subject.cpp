#include "subject.h"

#include <holdfast/apiserver/daemon.h>
#include <holdfast/net/in_process.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

namespace holdfast::runtime {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The value; without one there is no suite to run.
template <class T>
T must(Result<T> result) {
  if (!result) std::fprintf(stderr, "runtime suite: %s\n", result.error().what().c_str());
  HF_CHECK(bool(result));
  return result.take();
}

/// A server that somebody else runs.
class Given final : public Subject {
 public:
  explicit Given(fs::path folder)
      : folder_(std::move(folder)),
        config_(must(kube::load_config({.kubeconfig = folder_ / "admin.kubeconfig"}))),
        admin_(must(kube::connect(config_, clock_))) {}

  net::Client& admin() override { return *admin_; }
  const kube::Config& config() const override { return config_; }
  const fs::path& folder() const override { return folder_; }

 private:
  const SystemClock clock_;
  fs::path folder_;
  kube::Config config_;
  std::unique_ptr<net::Client> admin_;
};

fs::path new_folder() {
  std::string name = fs::temp_directory_path() / "holdfast-runtime.XXXXXX";
  HF_CHECK(mkdtemp(name.data()) != nullptr);
  return name;
}

/// An embedded server of our own, in a folder that goes with it.
class Embedded final : public Subject {
 public:
  explicit Embedded(bool in_process) : folder_(new_folder()) {
    apiserver::DaemonOptions options;
    options.data_dir = folder_;
    options.listen = "127.0.0.1:0";
    daemon_ = must(apiserver::Daemon::start(options));
    config_ = must(kube::load_config({.kubeconfig = folder_ / "admin.kubeconfig"}));
    admin_ = in_process
                 ? net::make_in_process(daemon_->service(), {.address = "in-process",
                                                             .certificate = true,
                                                             .common_name = "kubernetes-admin",
                                                             .organizations = {"system:masters"}})
                 : must(kube::connect(config_, clock_));
  }
  ~Embedded() override {
    admin_.reset();
    daemon_->stop();
    daemon_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Embedded(const Embedded&) = delete;
  Embedded& operator=(const Embedded&) = delete;

  net::Client& admin() override { return *admin_; }
  const kube::Config& config() const override { return config_; }
  const fs::path& folder() const override { return folder_; }

 private:
  const SystemClock clock_;
  fs::path folder_;
  std::unique_ptr<apiserver::Daemon> daemon_;
  kube::Config config_;
  std::unique_ptr<net::Client> admin_;
};

std::unique_ptr<Subject> chosen() {
  const std::string name = variable("HOLDFAST_SUBJECT");
  if (name == "real") return std::make_unique<Given>(variable("HOLDFAST_REAL_DIR"));
  HF_CHECK(name == "core" || name == "daemon" || name.empty());
  return std::make_unique<Embedded>(name == "core");
}

std::unique_ptr<Subject> subject;

/// Ends the server while main is still there: tables that its threads read are gone after it.
class End final : public testing::Environment {
 public:
  void TearDown() override { subject.reset(); }
};
const testing::Environment* const end = testing::AddGlobalTestEnvironment(new End);

}  // namespace

Subject& Subject::get() {
  if (!subject) subject = chosen();
  return *subject;
}

}  // namespace holdfast::runtime

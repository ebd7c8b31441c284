#include "config/load.h"

#include <holdfast/base/files.h>

#include <gtest/gtest.h>

#include <map>

namespace holdfast::kube {
namespace {

namespace fs = std::filesystem;

struct LoadConfig : testing::Test {
  fs::path folder;
  std::map<std::string, std::string> variables;
  Surroundings around;

  void SetUp() override {
    std::string name = fs::temp_directory_path() / "holdfast-load.XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
    variables["HOME"] = folder;
    around = {[this](const char* variable) { return variables[variable]; }, folder / "account"};
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string write(const fs::path& name, const std::string& text) const {
    EXPECT_TRUE(make_folder((folder / name).parent_path(), 0700));
    EXPECT_TRUE(write_file(folder / name, text, 0600));
    return folder / name;
  }
  static std::string config(const std::string& server) {
    return "{clusters: [{name: c, cluster: {server: 'https://" + server +
           "', certificate-authority: ca}}], users: [{name: u, user: {}}], "
           "contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}";
  }
  void make_pod() {
    variables["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
    variables["KUBERNETES_SERVICE_PORT"] = "443";
    write("account/token", "t1\n");
    write("account/ca.crt", "CA");
    write("account/namespace", "shop\n");
  }
};

TEST_F(LoadConfig, NamedFileComesFirstThenTheVariableThenHome) {
  write(".kube/config", config("home"));
  EXPECT_EQ(load_config({}, around)->server, "https://home");
  variables["KUBECONFIG"] = ":" + write("a/env", config("env")) + ":" + (folder / "gone").string();
  const Result<Config> env = load_config({}, around);
  EXPECT_EQ(env->server, "https://env");
  EXPECT_EQ(env->ca_file, folder / "a/ca");
  EXPECT_EQ(load_config({.kubeconfig = write("named", config("named"))}, around)->server,
            "https://named");
}

TEST_F(LoadConfig, NamedFileThatIsMissingIsTheError) {
  make_pod();
  const Result<Config> config = load_config({.kubeconfig = folder / "gone"}, around);

  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().fault(), Fault::NotFound);
  EXPECT_NE(config.error().what().find("gone does not exist"), std::string::npos);
}

TEST_F(LoadConfig, FolderInPlaceOfAFileIsNamed) {
  const Result<Config> config = load_config({.kubeconfig = folder}, around);

  ASSERT_FALSE(config);
  EXPECT_NE(config.error().what().find(folder.string()), std::string::npos)
      << config.error().what();
}

TEST_F(LoadConfig, WithoutAnyFileAPodUsesItsOwnAccount) {
  make_pod();

  const Result<Config> config = load_config({}, around);

  ASSERT_TRUE(config) << config.error().what();
  EXPECT_EQ(config->server, "https://10.0.0.1:443");
  EXPECT_EQ(config->ca_file, folder / "account/ca.crt");
  EXPECT_EQ(config->user.token_file, folder / "account/token");
  EXPECT_EQ(config->ns, "shop");
  variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(load_config({}, around)->server, "https://[fd00::1]:443");
}

TEST_F(LoadConfig, PodWithoutATokenIsTold) {
  make_pod();
  fs::remove(folder / "account/token");

  const Result<Config> config = load_config({}, around);

  ASSERT_FALSE(config);
  EXPECT_NE(config.error().what().find("reading the pod's own account"), std::string::npos);
  EXPECT_NE(config.error().what().find("account/token"), std::string::npos);
}

TEST_F(LoadConfig, NothingAtAllSaysWhereItLooked) {
  const Result<Config> config = load_config({}, around);

  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().fault(), Fault::NotFound);
  EXPECT_NE(config.error().what().find((folder / ".kube/config").string() + " does not exist"),
            std::string::npos)
      << config.error().what();
  EXPECT_NE(config.error().hint().find("--kubeconfig"), std::string::npos);
}

}  // namespace
}  // namespace holdfast::kube

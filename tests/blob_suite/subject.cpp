#include "subject.h"

#include <holdfast/base/bytes.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace holdfast::blob_suite {
namespace {

/// Several clients of one memory store.
struct Shared final : blob::Store {
  explicit Shared(blob::Store& to) : inner(to) {}
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    return inner.put(name, bytes, options);
  }
  Result<void> read(const std::string& name, std::optional<blob::Range> range,
                    std::string& into) override {
    return inner.read(name, range, into);
  }
  Result<blob::Info> stat(const std::string& name) override { return inner.stat(name); }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const blob::Info&)>& each) override {
    return inner.list(prefix, each);
  }
  Result<void> remove(const std::string& name) override { return inner.remove(name); }
  blob::Abilities abilities() const override { return inner.abilities(); }
  std::string text() const override { return inner.text(); }
  blob::Store& inner;
};

s3_double::Options double_options(const std::string& name, const std::filesystem::path& folder) {
  s3_double::Options out{.page = 50};
  if (name == "double_in_a_folder") out.root = folder;
  if (name == "double_in_the_host_name") out.domain = "localhost";
  if (name == "double_that_overwrites") out.conditional = s3_double::Conditional::Overwrites;
  if (name == "double_that_says_304") out.conditional = s3_double::Conditional::Says304;
  if (name == "double_without_multi_delete") out.multi_delete = false;
  return out;
}

}  // namespace

std::vector<std::string> subjects() {
  if (std::getenv("HOLDFAST_S3") != nullptr) return {"service"};
  return {"memory",
          "file",
          "double",
          "double_in_a_folder",
          "double_in_the_host_name",
          "double_that_overwrites",
          "double_that_says_304",
          "double_without_multi_delete"};
}

std::string subject_name(const testing::TestParamInfo<std::string>& chosen) { return chosen.param; }

Subject::Subject(const std::string& name) : name_(name) {
  prefix_ = "suite-" + hex(random.bytes(8));
  if (name == "memory") memory_ = blob::memory_store();
  if (name == "file" || name == "double_in_a_folder") {
    std::string folder = testing::TempDir() + "blob_suite.XXXXXX";
    folder_ = mkdtemp(folder.data()) == nullptr ? "" : folder;
  }
  if (name.starts_with("double"))
    double_ = s3_double::Double::start(double_options(name, folder_), clock).take();
}

Subject::~Subject() {
  double_.reset();
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

size_t Subject::many() const { return name_ == "service" ? 1100 : 120; }

std::unique_ptr<blob::Store> Subject::open() {
  if (memory_) return std::make_unique<Shared>(*memory_);
  blob::OpenOptions options{.create = true, .waiting = {.clock = clock, .random = random}};
  std::string location = "local:" + folder_.string();
  if (name_ == "service") location = fmt::format("s3:{}/{}", std::getenv("HOLDFAST_S3"), prefix_);
  if (double_) {
    const bool in_host = name_ == "double_in_the_host_name";
    options.s3.addressing = in_host ? blob::Addressing::HostName : blob::Addressing::Auto;
    options.s3.sources.given = {"double", "double-secret", ""};
    location = fmt::format("s3:http://{}:{}/bucket/{}", in_host ? "localhost" : "127.0.0.1",
                           double_->port(), prefix_);
  }
  const Result<blob::Location> parsed = blob::parse_location(location);
  auto store = blob::open_store(*parsed, options);
  EXPECT_TRUE(store) << store.error().what();
  return store ? store.take() : nullptr;
}

blob::S3Settings Subject::settings() {
  const std::string place = name_ == "service"
                                ? std::getenv("HOLDFAST_S3")
                                : fmt::format("http://127.0.0.1:{}/bucket", double_->port());
  const blob::Location at = blob::parse_location("s3:" + place).take();
  blob::CredentialSources sources;
  if (double_) sources.given = {"double", "double-secret", ""};
  return {.endpoint = at.endpoint,
          .bucket = at.bucket,
          .prefix = prefix_,
          .credentials = blob::find_credentials(sources).take(),
          .create_bucket = true};
}

void AnyStore::TearDown() {
  // A real service keeps what is not removed.
  if (!store || GetParam() != "service") return;
  EXPECT_TRUE(store->remove_all(names("")));
}

std::vector<std::string> AnyStore::names(const std::string& prefix) {
  std::vector<std::string> out;
  const auto done =
      store->list(prefix, [&out](const blob::Info& info) { out.push_back(info.name); });
  EXPECT_TRUE(done) << done.error().what();
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace holdfast::blob_suite

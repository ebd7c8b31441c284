/// A bucket on our double, for cases about S3 alone. Pauses between tries take no time.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/blob/s3.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <s3_double/double.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::blob_suite {

struct Bucket : testing::Test {
  ManualClock clock{WallTime(std::chrono::hours(24 * 365 * 56))};
  SeededRandom random{1};
  std::unique_ptr<s3_double::Double> service{};
  std::vector<std::string> said{};  ///< by retries

  void start(s3_double::Options options = {}) {
    auto started = s3_double::Double::start(std::move(options), clock);
    ASSERT_TRUE(started) << started.error().what();
    service = started.take();
  }
  static blob::Credentials key(const std::string& access, const std::string& secret,
                               const std::string& token = "") {
    return [=]() -> Result<blob::S3Key> { return blob::S3Key{access, secret, token}; };
  }
  blob::S3Settings settings() {
    return {.endpoint = fmt::format("http://127.0.0.1:{}", service->port()),
            .bucket = "bucket",
            .prefix = "some/where",
            .credentials = key("double", "double-secret"),
            .create_bucket = true,
            .retry = {.said = [this](const std::string& line) { said.push_back(line); }}};
  }
  blob::Waiting waiting() {
    return {.clock = clock,
            .random = random,
            .sleep = [this](std::chrono::milliseconds pause, const std::stop_token&) {
              clock.advance(pause);
            }};
  }
  std::unique_ptr<blob::Store> open(blob::S3Settings chosen) {
    auto store = blob::s3_store(std::move(chosen), waiting());
    EXPECT_TRUE(store) << store.error().what();
    return store ? store.take() : nullptr;
  }
  std::unique_ptr<blob::Store> open() { return open(settings()); }
};

}  // namespace holdfast::blob_suite

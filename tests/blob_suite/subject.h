/// The stores that the suite is run on.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/blob/location.h>
#include <holdfast/blob/stores.h>

#include <gtest/gtest.h>
#include <s3_double/double.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::blob_suite {

/// memory, file, and our S3 double in several forms; or, if $HOLDFAST_S3 names a bucket of a real
/// service, only that: "service". Its keys come from AWS_ACCESS_KEY_ID and so on.
std::vector<std::string> subjects();

/// A store that nobody else uses, and what it stands on.
struct Subject {
  explicit Subject(const std::string& name);
  ~Subject();
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  /// Another client of the same blobs.
  std::unique_ptr<blob::Store> open();
  /// To be changed before a client of one's own is made. Only for services.
  blob::S3Settings settings();
  /// More names than one answer of a listing holds.
  size_t many() const;

  SystemClock clock;
  SystemRandom random;
  SeededRandom content{1};  ///< for many bytes: the kernel gives eight at a time

 private:
  const std::string name_;
  std::filesystem::path folder_{};
  std::unique_ptr<s3_double::Double> double_{};
  std::unique_ptr<blob::Store> memory_{};
  std::string prefix_{};
};

/// Every case of the suite gets a store of its own.
struct AnyStore : testing::TestWithParam<std::string> {
  void SetUp() override {
    subject = std::make_unique<Subject>(GetParam());
    store = subject->open();
    ASSERT_TRUE(store);
  }
  void TearDown() override;

  std::vector<std::string> names(const std::string& prefix);

  std::unique_ptr<Subject> subject{};
  std::unique_ptr<blob::Store> store{};
};

std::string subject_name(const testing::TestParamInfo<std::string>& chosen);

}  // namespace holdfast::blob_suite

/// Batch deletion: up to a thousand keys per request where the service supports it.
#pragma once

#include "s3/bucket.h"

#include <atomic>

namespace holdfast::blob {

class Deletes {
 public:
  explicit Deletes(const Bucket& bucket) : bucket_(bucket) {}

  /// A key that is not there is success.
  Result<void> one(const std::string& name) const;
  /// Names that stayed; the first failure if all did.
  Result<std::vector<std::string>> all(const std::vector<std::string>& names);

 private:
  struct Stayed {
    std::vector<std::string> names{};
    std::optional<Error> why{};  ///< of the first
    void add(const std::string& name, Error error);
  };
  Result<bool> together(std::span<const std::string> names, Stayed& stayed);
  void one_by_one(std::span<const std::string> names, Stayed& stayed) const;

  const Bucket& bucket_;
  std::atomic<bool> together_{true};  ///< until the service says that it cannot
};

}  // namespace holdfast::blob

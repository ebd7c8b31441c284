// Retries of a store: Unavailable is tried again; every other error goes to the caller.
#include <holdfast/base/bytes.h>
#include <holdfast/blob/forwarding.h>

#include "around/retries.h"

#include <algorithm>
#include <array>

namespace holdfast::blob {
namespace {

/// Names that a listing has handed out, sixteen bytes each: a second pass must not repeat them.
class HandedOut {
 public:
  /// Between passes.
  void settle() {
    std::sort(names_.begin(), names_.end());
    settled_ = names_.size();
  }
  bool add(const std::string& name) {
    const std::string digest = sha256(name);
    Short key{};
    std::copy_n(digest.begin(), key.size(), key.begin());
    const auto end = names_.begin() + ptrdiff_t(settled_);
    if (std::binary_search(names_.begin(), end, key)) return false;
    names_.push_back(key);
    return true;
  }

 private:
  using Short = std::array<char, 16>;
  std::vector<Short> names_;
  size_t settled_ = 0;
};

class RetryingStore final : public Forwarding {
  template <class Work>
  auto again(const Work& work) {
    return with_retries(policy_, waiting_, work);
  }

 public:
  RetryingStore(std::unique_ptr<Store> inner, RetryPolicy policy, Waiting waiting)
      : Forwarding(std::move(inner)), policy_(std::move(policy)), waiting_(std::move(waiting)) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const PutOptions& options) override {
    return again([&] { return inner().put(name, bytes, options); });
  }
  Result<void> read(const std::string& name, std::optional<Range> range,
                    std::string& into) override {
    return again([&] { return inner().read(name, range, into); });
  }
  Result<Info> stat(const std::string& name) override {
    return again([&] { return inner().stat(name); });
  }
  Result<void> remove(const std::string& name) override {
    return again([&] { return inner().remove(name); });
  }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const Info&)>& each) override {
    HandedOut seen;
    return again([&] {
      seen.settle();
      return inner().list(prefix, [&](const Info& info) {
        if (seen.add(info.name)) each(info);
      });
    });
  }
  Result<std::vector<std::string>> remove_all(const std::vector<std::string>& names) override;

 private:
  const RetryPolicy policy_;
  const Waiting waiting_;
};

/// As long as some go, those that stayed are worth another try. An inner store that removed none of
/// them says why.
Result<std::vector<std::string>> RetryingStore::remove_all(const std::vector<std::string>& names) {
  std::vector<std::string> left = names;
  while (!left.empty()) {
    Result<std::vector<std::string>> stayed = again([&] { return inner().remove_all(left); });
    if (!stayed && left.size() == names.size()) return stayed;
    if (!stayed) return left;
    if (stayed->size() >= left.size()) return stayed;
    left = stayed.take();
  }
  return left;
}

}  // namespace

std::unique_ptr<Store> retrying(std::unique_ptr<Store> inner, RetryPolicy policy, Waiting waiting) {
  return std::make_unique<RetryingStore>(std::move(inner), std::move(policy), std::move(waiting));
}

}  // namespace holdfast::blob

#include "world/bucket.h"

#include <holdfast/blob/stores.h>

namespace holdfast::sim {
namespace {

class RemoteStore final : public blob::Store {
 public:
  RemoteStore(Network& network, Life& life, blob::Store& contents)
      : network_(network), life_(life), contents_(contents) {}

  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    return network_.reach(life_, "PUT", "bucket/" + name,
                          [&] { return contents_.put(name, bytes, options); });
  }
  Result<void> read(const std::string& name, std::optional<blob::Range> range,
                    std::string& into) override {
    return network_.reach(life_, "GET", "bucket/" + name,
                          [&] { return contents_.read(name, range, into); });
  }
  Result<blob::Info> stat(const std::string& name) override {
    Result<blob::Info> info = blob::Info{};
    HF_TRY(network_.reach(life_, "HEAD", "bucket/" + name, [&] {
      info = contents_.stat(name);
      return ok();
    }));
    return info;
  }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const blob::Info&)>& each) override {
    std::vector<blob::Info> found;
    HF_TRY(network_.reach(life_, "GET", "bucket/?prefix=" + prefix, [&] {
      return contents_.list(prefix, [&](const blob::Info& info) { found.push_back(info); });
    }));
    for (const blob::Info& info : found) each(info);
    return ok();
  }
  Result<void> remove(const std::string& name) override {
    return network_.reach(life_, "DELETE", "bucket/" + name,
                          [&] { return contents_.remove(name); });
  }
  blob::Abilities abilities() const override { return contents_.abilities(); }
  bool lists_at_once() const override { return true; }
  std::string text() const override { return "bucket"; }

 private:
  Network& network_;
  Life& life_;
  blob::Store& contents_;
};

}  // namespace

Bucket::Bucket(Network& network) : network_(network), contents_(blob::memory_store()) {}
Bucket::~Bucket() = default;

std::unique_ptr<blob::Store> Bucket::store_of(Life& life) {
  return std::make_unique<RemoteStore>(network_, life, *contents_);
}

}  // namespace holdfast::sim

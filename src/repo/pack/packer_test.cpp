#include "pack/packer.h"

#include <holdfast/base/random.h>
#include <holdfast/blob/stores.h>

#include "hash/sha256.h"
#include "index/indexed.h"

#include <gtest/gtest.h>

#include <latch>

namespace holdfast::repo {
namespace {

/// Holds every pack back until it is let go.
class SlowStore final : public blob::Store {
 public:
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    if (name.starts_with("data/")) gate_.wait();
    return inner_->put(name, bytes, options);
  }
  Result<std::string> get(const std::string& name, std::optional<blob::Range> range) override {
    return inner_->get(name, range);
  }
  Result<blob::Info> stat(const std::string& name) override { return inner_->stat(name); }
  Result<void> list(const std::string& prefix,
                    const std::function<void(const blob::Info&)>& each) override {
    return inner_->list(prefix, each);
  }
  Result<void> remove(const std::string& name) override { return inner_->remove(name); }
  blob::Abilities abilities() const override { return {}; }
  std::string text() const override { return "slow"; }
  void let_go() { gate_.count_down(); }

 private:
  const std::unique_ptr<blob::Store> inner_ = blob::memory_store();
  std::latch gate_{1};
};

TEST(Packer, SaysThatPacksWaitForTheStore) {
  const SystemClock clock;
  SystemRandom random;
  const Surroundings around{clock, random, "host", "user"};
  const auto store = std::make_shared<SlowStore>();
  const auto index = load_index(init(store, "secret", {}, around).take(), {}).take();
  auto& indexed = static_cast<IndexedRepository&>(*index);
  std::atomic<int> stored{0};
  Packer packer(indexed.repository(), indexed.workshop(), {.pack_size = 1},
                [&stored](const IndexedPack&) { ++stored; });
  EXPECT_EQ(packer.pressure(), 0);

  std::jthread writer([&] {
    for (int i = 0; i < 4; ++i) {
      const std::string plain = "blob " + std::to_string(i);
      Workshop::Lent bench = indexed.workshop().lend();
      const std::string iv = random.bytes(kIvSize);
      EXPECT_TRUE(packer.add(seal_blob(*bench, BlobType::Data, hash(plain), plain, 0, iv)));
    }
  });
  while (packer.pressure() == 0) std::this_thread::yield();
  EXPECT_EQ(stored, 0) << "all are held back";
  store->let_go();
  writer.join();

  ASSERT_TRUE(packer.finish());
  EXPECT_EQ(stored, 4);
}

}  // namespace
}  // namespace holdfast::repo

#include "pack/packer.h"

#include <holdfast/base/random.h>
#include <holdfast/blob/forwarding.h>
#include <holdfast/blob/stores.h>

#include "hash/sha256.h"
#include "index/indexed.h"

#include <gtest/gtest.h>

#include <latch>

namespace holdfast::repo {
namespace {

/// Holds every pack back until it is let go.
class SlowStore final : public blob::Forwarding {
 public:
  SlowStore() : Forwarding(blob::memory_store()) {}
  Result<void> put(const std::string& name, std::string_view bytes,
                   const blob::PutOptions& options) override {
    if (name.starts_with("data/")) gate_.wait();
    return Forwarding::put(name, bytes, options);
  }
  void let_go() { gate_.count_down(); }

 private:
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

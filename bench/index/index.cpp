// A repository whose index is large, and lookups in it:
//
//   bench_index make FOLDER BLOBS             a repository that is all index
//   bench_index open FOLDER CACHE BLOBS LOOKUPS
//
// The n-th blob is named by the hash of n, so that hits and misses can be drawn without a list of
// them. `open` prints one line of JSON; it fails if a single answer is wrong.
#include <holdfast/base/bytes.h>
#include <holdfast/blob/stores.h>

#include "hash/sha256.h"
#include "index/index_writer.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace holdfast::repo {
namespace {

constexpr uint64_t kBlobsInPack = 16;
constexpr uint32_t kBlobSize = 1 << 20;

Id name_of(uint64_t number) { return hash(fmt::format("blob {}", number)); }

struct Place {
  SystemClock clock{};
  SystemRandom random{};
  Surroundings surroundings{.clock = clock, .random = random, .host = "bench", .user = "bench"};
};

Result<void> make(const std::string& folder, uint64_t blobs) {
  Place place;
  std::shared_ptr<blob::Store> store = HF_TRY(blob::file_store(folder, true));
  const auto repository = HF_TRY(init(store, "bench", {}, place.surroundings));
  IndexWriter writer(*repository);
  for (uint64_t at = 0; at < blobs;) {
    IndexedPack pack{.id = hash(fmt::format("pack {}", at))};
    // One pack in ten is of trees.
    const BlobType type = at / kBlobsInPack % 10 == 0 ? BlobType::Tree : BlobType::Data;
    for (uint32_t i = 0; i < kBlobsInPack && at < blobs; ++i, ++at)
      pack.blobs.push_back({type, name_of(at), i * kBlobSize, kBlobSize, kBlobSize + i});
    HF_TRY(writer.add(std::move(pack)));
  }
  return writer.finish();
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Half of them are there. The time without that of thinking them up.
Result<double> look_up(const Indexed& index, uint64_t blobs, uint64_t lookups) {
  SeededRandom random(1);
  std::vector<uint64_t> numbers(4096);
  std::vector<Id> ids(numbers.size());
  double took = 0;
  for (uint64_t done = 0; done < lookups; done += numbers.size()) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = random.below(blobs) + (i % 2 == 0 ? 0 : blobs);
      ids[i] = name_of(numbers[i]);
    }
    uint64_t wrong = 0;
    const auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < numbers.size(); ++i) {
      const bool tree = numbers[i] / kBlobsInPack % 10 == 0;
      const auto found = index.find(tree ? BlobType::Tree : BlobType::Data, ids[i]);
      const auto offset = uint32_t(numbers[i] % kBlobsInPack) * kBlobSize;
      wrong += bool(found) != (numbers[i] < blobs) || (found && found->offset != offset) ? 1 : 0;
    }
    took += seconds_since(start);
    if (wrong > 0) return Error(Fault::Internal, fmt::format("{} wrong answers", wrong));
  }
  return took;
}

Result<void> open(const std::string& folder, const std::string& cache, uint64_t blobs,
                  uint64_t lookups) {
  Place place;
  std::shared_ptr<blob::Store> store = HF_TRY(blob::file_store(folder, false));
  auto opened = HF_TRY(repo::open(store, "bench", place.surroundings));
  IndexOptions options;
  options.cache = cache;
  const auto start = std::chrono::steady_clock::now();
  const auto index = HF_TRY(load_index(std::move(opened), options));
  const double took = seconds_since(start);
  if (index->blobs(BlobType::Data) + index->blobs(BlobType::Tree) != blobs)
    return Error(Fault::Internal, "blobs are missing");
  const double looking = HF_TRY(look_up(*index, blobs, lookups));
  fmt::print("{{\"open\": {:.3f}, \"lookups\": {:.3f}}}\n", took, looking);
  return ok();
}

Result<void> run(const std::vector<std::string>& words) {
  const auto number = [&words](size_t i) { return std::strtoull(words[i].c_str(), nullptr, 10); };
  if (words.size() == 3 && words[0] == "make") return make(words[1], number(2));
  if (words.size() == 5 && words[0] == "open")
    return open(words[1], words[2], number(3), number(4));
  return Error(Fault::Invalid, "make FOLDER BLOBS, or open FOLDER CACHE BLOBS LOOKUPS");
}

}  // namespace
}  // namespace holdfast::repo

int main(int argc, char** argv) {
  const auto done = holdfast::repo::run({argv + 1, argv + argc});
  if (!done) fmt::print(stderr, "bench_index: {}\n", done.error().what());
  return done ? 0 : 1;
}

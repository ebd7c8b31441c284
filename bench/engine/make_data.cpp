// The data of bench/engine, from fixed seeds: the same bytes on every machine.
//
//   make_data DIR [SHARE]        4 GiB × SHARE: random/ (4 files), json/ (8), pages/ (4 of 16 KiB
//                                pages), small/ (100,000 files in 100 folders, a quarter random)
//   make_data DIR SHARE change   a second generation: 3 % of the pages rewritten, 4 MiB more at the
//                                end of each JSON file, 1000 bytes inserted into one random file,
//                                1 % of the small files rewritten, 0.5 % new, 0.5 % gone
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr size_t kPage = 16384;

/// xorshift64*: no need for better chance, only for the same.
class Chance {
 public:
  explicit Chance(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545f4914f6cdd1dULL;
  }
  uint64_t below(uint64_t bound) { return next() % bound; }
  void fill(char* into, size_t size) {
    for (size_t at = 0; at < size; at += 8) {
      const uint64_t bits = next();
      std::memcpy(into + at, &bits, std::min<size_t>(8, size - at));
    }
  }

 private:
  uint64_t state_;
};

const char* const kWords[] = {"order",   "invoice", "pending", "shipped",   "customer", "eu-west",
                              "us-east", "refund",  "basket",  "warehouse", "express",  "standard",
                              "gold",    "silver",  "delayed", "returned"};

std::string json_line(Chance& chance, uint64_t number) {
  char line[512];
  const int size = std::snprintf(
      line, sizeof line,
      "{\"id\":%llu,\"time\":\"2026-03-%02uT%02u:%02u:%02u.%03uZ\",\"user\":\"u%06u\",\"state\":\"%"
      "s\","
      "\"region\":\"%s\",\"amount\":%u.%02u,\"items\":[{\"sku\":\"%08x\",\"count\":%u},{\"sku\":\"%"
      "08x\","
      "\"count\":%u}],\"note\":\"%s %s %s\",\"trace\":\"%016llx\"}\n",
      static_cast<unsigned long long>(number), unsigned(1 + chance.below(28)),
      unsigned(chance.below(24)), unsigned(chance.below(60)), unsigned(chance.below(60)),
      unsigned(chance.below(1000)), unsigned(chance.below(500000)), kWords[chance.below(16)],
      kWords[chance.below(16)], unsigned(chance.below(5000)), unsigned(chance.below(100)),
      unsigned(chance.below(200000) * 2654435761U), unsigned(1 + chance.below(9)),
      unsigned(chance.below(200000) * 2654435761U), unsigned(1 + chance.below(9)),
      kWords[chance.below(16)], kWords[chance.below(16)], kWords[chance.below(16)],
      static_cast<unsigned long long>(chance.next()));
  return std::string(line, size_t(size));
}

/// A page of records: header, rows of a key, a few small numbers, text and a random part, then
/// nothing up to the end.
void make_page(Chance& chance, uint64_t number, char* page) {
  std::memset(page, 0, kPage);
  std::memcpy(page, &number, 8);
  const uint64_t checksum = chance.next();
  std::memcpy(page + 8, &checksum, 8);
  const size_t full = kPage * (60 + chance.below(36)) / 100;
  for (size_t at = 64; at + 128 <= full; at += 128) {
    const uint64_t key = number * 128 + at;
    std::memcpy(page + at, &key, 8);
    const uint32_t small = uint32_t(chance.below(4096));
    std::memcpy(page + at + 8, &small, 4);
    chance.fill(page + at + 12, 52);
    const std::string text = std::string(kWords[chance.below(16)]) + "-" + kWords[chance.below(16)];
    std::memcpy(page + at + 64, text.data(), text.size());
    std::memcpy(page + at + 100, "1970-01-01 00:00:00", 19);
  }
}

void write_random(const fs::path& path, uint64_t size, uint64_t seed) {
  std::ofstream out(path, std::ios::binary);
  Chance chance(seed);
  std::string block(kMiB, '\0');
  for (uint64_t done = 0; done < size; done += kMiB) {
    chance.fill(block.data(), block.size());
    out.write(block.data(), int64_t(std::min(kMiB, size - done)));
  }
}

void append_json(const fs::path& path, uint64_t size, uint64_t seed) {
  std::ofstream out(path, std::ios::binary | std::ios::app);
  Chance chance(seed);
  std::string block;
  for (uint64_t done = 0, number = seed << 32; done < size;) {
    block.clear();
    while (block.size() < kMiB) block += json_line(chance, number++);
    out << block;
    done += block.size();
  }
}

void write_pages(const fs::path& path, uint64_t size, uint64_t seed) {
  std::ofstream out(path, std::ios::binary);
  Chance chance(seed);
  char page[kPage];
  for (uint64_t done = 0; done < size; done += kPage) {
    make_page(chance, seed << 32 | done / kPage, page);
    out.write(page, kPage);
  }
}

void write_small(const fs::path& path, uint64_t number, uint64_t seed) {
  Chance chance(seed * 1000003 + number);
  std::string text(1000 + chance.below(19000), '\0');
  if (number % 4 == 0) {
    chance.fill(text.data(), text.size());
  } else {
    const size_t size = text.size();
    text.clear();
    while (text.size() < size) text += json_line(chance, number);
    text.resize(size);
  }
  std::ofstream(path, std::ios::binary) << text;
}

fs::path small_path(const fs::path& root, uint64_t number) {
  char name[64];
  std::snprintf(name, sizeof name, "%02llu/file-%06llu",
                static_cast<unsigned long long>(number % 100),
                static_cast<unsigned long long>(number));
  return root / "small" / name;
}

void make_all(const fs::path& root, double share) {
  for (const char* folder : {"random", "json", "pages", "small"})
    fs::create_directories(root / folder);
  for (int i = 0; i < 100; ++i) fs::create_directories(small_path(root, uint64_t(i)).parent_path());
  const auto part = [share](double mib) { return uint64_t(mib * share) * kMiB; };
  for (uint64_t i = 0; i < 4; ++i) write_random(root / "random" / std::to_string(i), part(256), i);
  for (uint64_t i = 0; i < 8; ++i)
    append_json(root / "json" / std::to_string(i), part(128), 10 + i);
  for (uint64_t i = 0; i < 4; ++i)
    write_pages(root / "pages" / std::to_string(i), part(256), 20 + i);
  for (uint64_t i = 0; i < uint64_t(100000 * share); ++i) write_small(small_path(root, i), i, 30);
}

void change_pages(const fs::path& path, uint64_t seed) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const uint64_t pages = fs::file_size(path) / kPage;
  Chance chance(seed);
  char page[kPage];
  for (uint64_t i = 0; i < pages * 3 / 100; ++i) {
    const uint64_t number = chance.below(pages);
    make_page(chance, number, page);
    file.seekp(int64_t(number * kPage));
    file.write(page, kPage);
  }
}

void insert_bytes(const fs::path& path, uint64_t seed) {
  std::string bytes(fs::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(bytes.data(), int64_t(bytes.size()));
  std::string more(1000, '\0');
  Chance chance(seed);
  chance.fill(more.data(), more.size());
  bytes.insert(bytes.size() / 3, more);
  std::ofstream(path, std::ios::binary) << bytes;
}

void change_all(const fs::path& root, double share) {
  const auto count = uint64_t(100000 * share);
  for (uint64_t i = 0; i < 4; ++i) change_pages(root / "pages" / std::to_string(i), 40 + i);
  for (uint64_t i = 0; i < 8; ++i) append_json(root / "json" / std::to_string(i), 4 * kMiB, 50 + i);
  insert_bytes(root / "random" / "0", 60);
  for (uint64_t i = 0; i < count / 100; ++i) write_small(small_path(root, i * 97 % count), i, 70);
  for (uint64_t i = 0; i < count / 200; ++i) write_small(small_path(root, count + i), i, 80);
  for (uint64_t i = 0; i < count / 200; ++i) fs::remove(small_path(root, i * 193 % count));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_data DIR [SHARE [change]]\n");
    return 2;
  }
  const double share = argc > 2 ? std::strtod(argv[2], nullptr) : 1;
  if (argc > 3 && std::string(argv[3]) == "change")
    change_all(argv[1], share);
  else
    make_all(argv[1], share);
  return 0;
}

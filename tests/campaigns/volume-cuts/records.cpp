#include "records.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <set>

namespace holdfast::suite {

namespace fs = std::filesystem;

namespace {

struct Record {
  uint64_t number = 0;
  std::array<uint64_t, 2> filler{};
  uint64_t checksum = 0;
};
static_assert(sizeof(Record) == 32);

uint64_t checksum_of(const Record& record) {
  uint64_t sum = 14695981039346656037U;
  for (const uint64_t word : {record.number, record.filler[0], record.filler[1]})
    sum = (sum ^ word) * 1099511628211U;
  return sum;
}

Record record_of(int64_t number) {
  Record record{.number = uint64_t(number)};
  record.filler = {record.number * 0x9E3779B97F4A7C15U, ~record.number};
  record.checksum = checksum_of(record);
  return record;
}

constexpr int kVolumes = 4;

std::string name_of(int volume) { return "pvc-" + std::to_string(volume); }

/// The counter goes 1, 2, 3 … over the volumes in turns; each file holds its latest.
class TurnWriter {
 public:
  explicit TurnWriter(const volumes::Store& store) {
    for (int i = 0; i < kVolumes; ++i) {
      const fs::path file = store.path_of({"shop", name_of(i)}) / "counter";
      files_.at(size_t(i)) = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
      HF_CHECK(files_.at(size_t(i)) >= 0);
    }
    thread_ = std::jthread([this](const std::stop_token& stop) {
      for (int64_t next = 1; !stop.stop_requested(); ++next) {
        const Record record = record_of(next);
        const int file = files_.at(size_t(next % kVolumes));
        HF_CHECK(pwrite(file, &record, sizeof record, 0) == sizeof record);
        HF_CHECK(fdatasync(file) == 0);
        acknowledged_ = next;
        acknowledged_.notify_all();
      }
    });
  }
  ~TurnWriter() {
    thread_.request_stop();
    thread_.join();
    for (const int file : files_) close(file);
  }
  TurnWriter(const TurnWriter&) = delete;
  TurnWriter& operator=(const TurnWriter&) = delete;
  int64_t acknowledged() const { return acknowledged_.load(); }
  void wait_past(int64_t number) const {
    for (int64_t now = acknowledged_; now <= number; now = acknowledged_) acknowledged_.wait(now);
  }

 private:
  std::array<int, kVolumes> files_{};
  std::atomic<int64_t> acknowledged_{0};
  std::jthread thread_;
};

int64_t counter_in(const fs::path& file) {
  const auto text = read_file(file);
  Record record;
  if (!text || text->size() != sizeof record) return 0;
  std::memcpy(&record, text->data(), sizeof record);
  return record.checksum == checksum_of(record) ? int64_t(record.number) : -1;
}

/// One instant shows four counters in a row, each in its own volume: n, n-1, n-2, n-3.
void judge(const volumes::Store& store, const std::string& id, int64_t before, CutTally& tally,
           std::set<int64_t>& seen) {
  std::array<int64_t, kVolumes> counters{};
  int64_t latest = 0;
  for (int i = 0; i < kVolumes; ++i) {
    counters.at(size_t(i)) = counter_in(store.cut_path({id, name_of(i)}) / "counter");
    latest = std::max(latest, counters.at(size_t(i)));
  }
  bool whole = true;
  for (int64_t n = latest; n > latest - kVolumes; --n)
    whole &= counters.at(size_t(n % kVolumes)) == n;
  tally.backwards += whole ? 0 : 1;
  tally.lost += latest < before ? 1 : 0;
  seen.insert(latest);
}

}  // namespace

RecordWriter::RecordWriter(const fs::path& file)
    : thread_([this, file](const std::stop_token& stop) { run(file, stop); }) {}

void RecordWriter::run(const fs::path& file, const std::stop_token& stop) {
  const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  HF_CHECK(fd >= 0);
  for (int64_t next = 1; !stop.stop_requested(); ++next) {
    begun_ = next;
    const Record record = record_of(next);
    HF_CHECK(write(fd, &record, sizeof record) == sizeof record);
    HF_CHECK(fdatasync(fd) == 0);
    acknowledged_ = next;
    acknowledged_.notify_all();
  }
  close(fd);
}

void RecordWriter::wait_for(int64_t number) const {
  for (int64_t now = acknowledged_; now < number; now = acknowledged_) acknowledged_.wait(now);
}

void RecordWriter::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

Records read_records(const fs::path& file) {
  Records out;
  const auto text = read_file(file);
  if (!text) return {.damaged = 1};
  if (text->size() % sizeof(Record) != 0) ++out.damaged;
  for (size_t at = 0; at + sizeof(Record) <= text->size(); at += sizeof(Record)) {
    Record record;
    std::memcpy(&record, text->data() + at, sizeof record);
    if (record.checksum != checksum_of(record)) ++out.damaged;
    ++out.count;
    out.last = std::max(out.last, int64_t(record.number));
  }
  return out;
}

Result<CutTally> cut_while_writing(volumes::Store& store, int64_t rounds) {
  CutTally tally;
  std::set<int64_t> seen;
  std::map<std::string, int64_t> sizes;
  for (int i = 0; i < kVolumes; ++i) {
    HF_TRY(store.make({"shop", name_of(i)}));
    sizes[name_of(i)] = 1;
  }
  const TurnWriter writer(store);
  writer.wait_past(kVolumes);
  for (; tally.rounds < rounds; ++tally.rounds) {
    writer.wait_past(writer.acknowledged());
    const std::string id = "cut-" + std::to_string(tally.rounds);
    const int64_t before = writer.acknowledged();
    HF_TRY(store.cut(id, "shop", sizes));
    judge(store, id, before, tally, seen);
    for (const auto& [volume, size] : sizes) HF_TRY(store.release({id, volume}));
  }
  tally.distinct = int64_t(seen.size());
  return tally;
}

namespace {

Result<std::string> cut_once(volumes::Store& store, RecordWriter& writer, const std::string& id) {
  const volumes::VolumeFolder restored{"shop", "pvc-restored"};
  const int64_t before = writer.acknowledged();
  HF_TRY(store.cut(id, "shop", {{"pvc-records", 1}}));
  const int64_t ready = writer.begun();
  HF_TRY(store.restore({id, "pvc-records"}, restored));
  const Records found = read_records(store.path_of(restored) / "records");
  HF_TRY(store.remove(restored));
  HF_TRY(store.release({id, "pvc-records"}));
  if (found.damaged == 0 && found.last >= before && found.last <= ready &&
      found.count == found.last)
    return std::string();
  return fmt::format(
      "{}: {} records up to {}, {} damaged; {} were acknowledged before it, {} begun when it was "
      "ready",
      id, found.count, found.last, found.damaged, before, ready);
}

}  // namespace

std::string cut_records(volumes::Store& store, int64_t rounds, bool still) {
  const volumes::VolumeFolder volume{"shop", "pvc-records"};
  if (const Result<void> made = store.make(volume); !made) return made.error().what();
  RecordWriter writer(store.path_of(volume) / "records");
  for (int64_t round = 0; round < rounds; ++round) {
    writer.wait_for(20 * (round + 1));
    if (still) writer.stop();
    const Result<std::string> wrong = cut_once(store, writer, fmt::format("cut-{}", round));
    if (!wrong) return wrong.error().what();
    if (!wrong->empty()) return *wrong;
    if (still) break;
  }
  return "";
}

}  // namespace holdfast::suite

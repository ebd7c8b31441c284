/// Writers whose records say whether a cut is whole: numbered, checksummed, and acknowledged only
/// once they are on disk.
///
///   RECORD, 32 bytes:  number (8, little-endian) · filler (16) · checksum of both (8)
#pragma once

#include "provider/store.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

namespace holdfast::suite {

/// Appends records to a file until stopped, fdatasync after each.
class RecordWriter {
 public:
  explicit RecordWriter(const std::filesystem::path& file);
  ~RecordWriter() { stop(); }
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  int64_t begun() const { return begun_.load(); }
  int64_t acknowledged() const { return acknowledged_.load(); }
  void wait_for(int64_t number) const;
  void stop();

 private:
  void run(const std::filesystem::path& file, const std::stop_token& stop);
  std::atomic<int64_t> begun_{0}, acknowledged_{0};
  std::jthread thread_;
};

struct Records {
  int64_t count = 0, last = 0, damaged = 0;
};
Records read_records(const std::filesystem::path& file);

struct CutTally {
  int64_t rounds = 0;
  int64_t backwards = 0;  ///< cuts that hold a write without one before it
  int64_t lost = 0;       ///< cuts without a write that was acknowledged before
  int64_t distinct = 0;   ///< different counters seen
};
/// Cuts four volumes of one namespace while one counter is written to them in turns.
Result<CutTally> cut_while_writing(volumes::Store& store, int64_t rounds);

/// What is wrong with cuts of a volume whose records are written meanwhile, or before if `still`;
/// "" if nothing is: every record acknowledged before a cut is in it, none begun after it was
/// ready, none damaged.
std::string cut_records(volumes::Store& store, int64_t rounds, bool still);

}  // namespace holdfast::suite

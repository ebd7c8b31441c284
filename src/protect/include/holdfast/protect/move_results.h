/// Parts of a DataMove's status: progress, verification, rounds, restored documents.
#pragma once

#include <holdfast/model/fields.h>

#include <optional>
#include <string>

namespace holdfast::protect::data_move {

struct Progress {
  std::optional<int64_t> total_bytes{}, bytes_done{}, bytes_per_second{}, bytes_uploaded{};
  std::string eta{};
  std::optional<int64_t> activity{};
  std::string last_activity{}, last_reported{};
  bool operator==(const Progress&) const = default;
  template <class V>
  void fields(V& v) {
    v.optional("totalBytes", total_bytes, "bytes to read in total, as far as known");
    v.optional("bytesDone", bytes_done, "bytes done so far");
    v.optional("bytesPerSecond", bytes_per_second, "speed over the last minute");
    v.optional("bytesUploaded", bytes_uploaded, "bytes sent to the location by this attempt");
    v.optional("eta", eta, "expected time of the end, at this speed", {.format = "date-time"});
    v.optional("activity", activity,
               "bytes, entries and requests of this attempt; grows as long as the mover works");
    v.optional("lastActivity", last_activity, "time at which activity was seen to grow",
               {.format = "date-time"});
    v.optional("lastReported", last_reported, "time of this report", {.format = "date-time"});
  }
};

struct Verified {
  std::string method{}, time{};
  template <class V>
  void fields(V& v) {
    v.optional("method", method, "method of verification");
    v.optional("time", time, "time of verification", {.format = "date-time"});
  }
};

/// Of a move that goes on: one snapshot a round.
struct Rounds {
  int64_t current = 1, done = 0, attempts_before = 0;
  std::string last_time{};
  template <class V>
  void fields(V& v) {
    v.required("current", current, "number of the running round, else of the last one");
    v.required("done", done, "number of the last finished round");
    v.required("attemptsBefore", attempts_before, "number of attempts of all finished rounds");
    v.optional("lastTime", last_time, "end of the last finished round", {.format = "date-time"});
  }
};

struct FoundDocument {
  std::string snapshot_id{}, time{};
  std::optional<std::string> content{};
  std::string error{};
  template <class V>
  void fields(V& v) {
    v.required("snapshotID", snapshot_id, "id of the snapshot that holds the document");
    v.required("time", time, "time of that snapshot", {.format = "date-time"});
    v.optional("content", content, "text of the document");
    v.optional("error", error, "reason why the document could not be read");
  }
};

}  // namespace holdfast::protect::data_move

/// Parts of a DataMove: what its bytes come from or go to, and what its status tells.
#pragma once

#include <holdfast/protect/types.h>

namespace holdfast::protect::data_move {

struct Volume {
  std::string claim{}, snapshot{};
  template <class V>
  void fields(V& v) {
    v.optional("persistentVolumeClaim", claim,
               "name of the claim; exactly one of persistentVolumeClaim and volumeSnapshot");
    v.optional("volumeSnapshot", snapshot, "name of the VolumeSnapshot");
  }
};

struct Pod {
  std::string name{}, container{}, directory{};
  std::vector<std::string> command{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the pod");
    v.optional("container", container, "name of the container; empty: the pod's first");
    v.optional("directory", directory,
               "folder in the container; exactly one of directory and command");
    v.optional(
        "command", command,
        "command whose standard output is backed up, or whose standard input is restored to");
  }
};

/// One file of text that stands in the object itself.
struct Document {
  std::string name{};
  std::optional<std::string> content{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the file, at the root of the snapshot", {.max_length = 255});
    v.optional("content", content, "text to back up, at most 512 KiB", {.max_length = 512 << 10});
  }
};

/// Which snapshots of the repository; the newest come first.
struct Find {
  std::vector<std::string> tags{};
  std::string before{};
  int64_t limit = 20;
  template <class V>
  void fields(V& v) {
    v.optional("tags", tags, "tags that a snapshot must have, all of them");
    v.optional("before", before, "latest time of a snapshot", {.format = "date-time"});
    v.defaulted("limit", limit, 20, "maximum number of documents", {.minimum = 1, .maximum = 200});
  }
};

struct Limits {
  std::optional<int64_t> bytes_per_second{};
  template <class V>
  void fields(V& v) {
    v.optional("bytesPerSecond", bytes_per_second,
               "network limit in bytes per second; can be changed while the move runs",
               {.minimum = 1});
  }
};

struct Follow {
  std::string interval{};
  template <class V>
  void fields(V& v) {
    v.required("interval", interval, "time from one snapshot to the next: 5m, 1h");
  }
};

struct Progress {
  std::optional<int64_t> total_bytes{}, bytes_done{}, bytes_per_second{}, bytes_uploaded{};
  std::string eta{};
  template <class V>
  void fields(V& v) {
    v.optional("totalBytes", total_bytes, "bytes to read in total, as far as known");
    v.optional("bytesDone", bytes_done, "bytes done so far");
    v.optional("bytesPerSecond", bytes_per_second, "speed over the last minute");
    v.optional("bytesUploaded", bytes_uploaded, "bytes sent to the location by this attempt");
    v.optional("eta", eta, "expected time of the end, at this speed", {.format = "date-time"});
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

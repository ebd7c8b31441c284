/// Parts of a DataMove: what its bytes come from or go to, and what its status tells.
#pragma once

#include <holdfast/protect/types.h>

namespace holdfast::protect::data_move {

struct Volume {
  std::string claim{}, snapshot{};
  template <class V>
  void fields(V& v) {
    v.optional("persistentVolumeClaim", claim, "name of a claim; exactly one of the two");
    v.optional("volumeSnapshot", snapshot, "name of a VolumeSnapshot");
  }
};

struct Pod {
  std::string name{}, container{}, directory{};
  std::vector<std::string> command{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "name of the pod");
    v.optional("container", container, "its container; empty: the first");
    v.optional("directory", directory, "folder in it; exactly one of directory and command");
    v.optional("command", command, "its standard output is backed up, its input restored to");
  }
};

/// One file of text that stands in the object itself.
struct Document {
  std::string name{};
  std::optional<std::string> content{};
  template <class V>
  void fields(V& v) {
    v.required("name", name, "of the file, which lies at the root of the snapshot",
               {.max_length = 255});
    v.optional("content", content, "of a backup: what it holds; text of at most 512 KiB",
               {.max_length = 512 << 10});
  }
};

/// Which snapshots of the repository; the newest come first.
struct Find {
  std::vector<std::string> tags{};
  std::string before{};
  int64_t limit = 20;
  template <class V>
  void fields(V& v) {
    v.optional("tags", tags, "that a snapshot has, all of them");
    v.optional("before", before, "none that is younger", {.format = "date-time"});
    v.defaulted("limit", limit, 20, "how many at most", {.minimum = 1, .maximum = 200});
  }
};

struct Limits {
  std::optional<int64_t> bytes_per_second{};
  template <class V>
  void fields(V& v) {
    v.optional("bytesPerSecond", bytes_per_second, "of the network; can change while it runs",
               {.minimum = 1});
  }
};

struct Follow {
  std::string interval{};
  template <class V>
  void fields(V& v) {
    v.required("interval", interval, "one snapshot each: 5m, 1h");
  }
};

struct Progress {
  std::optional<int64_t> total_bytes{}, bytes_done{}, bytes_per_second{}, bytes_uploaded{};
  std::string eta{};
  template <class V>
  void fields(V& v) {
    v.optional("totalBytes", total_bytes, "to be read in all, as far as known");
    v.optional("bytesDone", bytes_done, "of them, done");
    v.optional("bytesPerSecond", bytes_per_second, "over the last minute");
    v.optional("bytesUploaded", bytes_uploaded, "sent to the location by this attempt");
    v.optional("eta", eta, "when it will be done at this rate", {.format = "date-time"});
  }
};

struct Verified {
  std::string method{}, time{};
  template <class V>
  void fields(V& v) {
    v.optional("method", method, "how it was proven");
    v.optional("time", time, "when", {.format = "date-time"});
  }
};

/// Of a move that goes on: one snapshot a round.
struct Rounds {
  int64_t current = 1, done = 0, attempts_before = 0;
  std::string last_time{};
  template <class V>
  void fields(V& v) {
    v.required("current", current, "number of the round that runs, or ran last");
    v.required("done", done, "number of the last round that is over");
    v.required("attemptsBefore", attempts_before, "attempts of all rounds that are over");
    v.optional("lastTime", last_time, "when the last one was over", {.format = "date-time"});
  }
};

struct FoundDocument {
  std::string snapshot_id{}, time{};
  std::optional<std::string> content{};
  std::string error{};
  template <class V>
  void fields(V& v) {
    v.required("snapshotID", snapshot_id, "the snapshot that it is of");
    v.required("time", time, "when that was made", {.format = "date-time"});
    v.optional("content", content, "what it holds");
    v.optional("error", error, "why it could not be read");
  }
};

}  // namespace holdfast::protect::data_move

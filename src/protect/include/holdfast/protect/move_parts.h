/// Parts of a DataMove's spec: what its bytes come from or go to.
#pragma once

#include <holdfast/protect/types.h>

namespace holdfast::protect::data_move {

struct Volume {
  std::string ns{}, claim{}, snapshot{}, snapshot_uid{};
  template <class V>
  void fields(V& v) {
    v.optional("namespace", ns,
               "namespace of the claim or VolumeSnapshot; one other than the move's only for "
               "admins");
    v.optional("persistentVolumeClaim", claim,
               "name of the claim; exactly one of persistentVolumeClaim and volumeSnapshot");
    v.optional("volumeSnapshot", snapshot, "name of the VolumeSnapshot");
    v.optional("volumeSnapshotUID", snapshot_uid,
               "uid of the VolumeSnapshot; another one of its name is not backed up");
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

/// A snapshot as its own move has told of it.
struct Expected {
  std::string snapshot_id{};
  std::vector<std::string> tags{};
  int64_t files = 0, bytes = 0;
  template <class V>
  void fields(V& v) {
    v.required("snapshotID", snapshot_id, "id of the repository's snapshot");
    v.optional("tags", tags, "tags that it must have");
    v.required("files", files, "number of files in it");
    v.required("bytes", bytes, "size of its files in bytes");
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

}  // namespace holdfast::protect::data_move

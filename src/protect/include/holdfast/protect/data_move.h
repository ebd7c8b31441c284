/// One movement of bytes between a volume or a pod and a repository, done by a mover pod beside the
/// data.
#pragma once

#include <holdfast/protect/types.h>

#include <span>

namespace holdfast::protect {

struct DataMove {
  static constexpr model::Kind kKind{"holdfast.dev", "v1alpha1", "DataMove"};

  enum class Direction { Backup, Restore };
  enum class Chunking { Auto, Rabin, Fixed };
  enum class Phase { New, Accepted, Prepared, InProgress, Canceling, Canceled, Completed, Failed };

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

  struct Spec {
    Direction direction = Direction::Backup;
    std::optional<Volume> volume{};
    std::optional<Pod> pod{};
    std::optional<Reference> location{};
    std::string snapshot{};
    Chunking chunking = Chunking::Auto;
    std::optional<Limits> limits{};
    int64_t backoff_limit = 3;
    bool cancel = false;
    std::optional<Follow> follow{};
    template <class V>
    void fields(V& v) {
      v.required("direction", direction, "into the repository, or out of it");
      v.optional("volume", volume, "a volume; exactly one of volume and pod");
      v.optional("pod", pod, "a folder or a command of a running pod");
      v.optional("location", location, "BackupLocation; absent: the default one");
      v.optional("snapshot", snapshot, "id of the repository's snapshot to restore");
      v.defaulted("chunking", chunking, Chunking::Auto, "how data is cut");
      v.optional("limits", limits, "what it may take");
      v.defaulted("backoffLimit", backoff_limit, 3, "attempts after the first", {.minimum = 0});
      v.defaulted("cancel", cancel, false, "true ends it");
      v.optional("follow", follow, "a backup that goes on until it is canceled");
    }
  } spec{};

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
  struct Status {
    std::optional<Phase> phase{};
    std::optional<int64_t> attempts{};
    std::optional<Rounds> rounds{};
    std::optional<Reference> location{};
    std::optional<Progress> progress{};
    std::string snapshot_id{}, lock_id{};
    std::optional<Verified> verified{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("phase", phase, "derived from the conditions, for people's eyes");
      v.optional("attempts", attempts, "how often a mover was started");
      v.optional("rounds", rounds, "of a move with follow");
      v.optional("location", location, "the BackupLocation that was taken");
      v.optional("progress", progress, "how far it is");
      v.optional("snapshotID", snapshot_id, "the repository's snapshot made or restored");
      v.optional("verified", verified, "proof of it");
      v.optional("lockID", lock_id,
                 "the mover's lock in the repository; the next attempt removes it");
      v.optional("conditions", conditions, "what is known of it");
    }
  } status{};
};

std::span<const std::pair<DataMove::Direction, const char*>> words(DataMove::Direction);
std::span<const std::pair<DataMove::Chunking, const char*>> words(DataMove::Chunking);
std::span<const std::pair<DataMove::Phase, const char*>> words(DataMove::Phase);

}  // namespace holdfast::protect

/// DataMove: a transfer of data between a volume, pod or document and a repository, done by a mover
/// pod next to the data.
#pragma once

#include <holdfast/protect/move_parts.h>

#include <span>

namespace holdfast::protect {

struct DataMove {
  static constexpr model::Kind kKind{"holdfast.dev", "v1alpha1", "DataMove"};

  enum class Direction { Backup, Restore, Forget };
  enum class Chunking { Auto, Rabin, Fixed };
  enum class Phase { New, Accepted, Prepared, InProgress, Canceling, Canceled, Completed, Failed };

  using Volume = data_move::Volume;
  using Pod = data_move::Pod;
  using Document = data_move::Document;
  using Find = data_move::Find;
  using FoundDocument = data_move::FoundDocument;
  using Limits = data_move::Limits;
  using Follow = data_move::Follow;
  using Progress = data_move::Progress;
  using Verified = data_move::Verified;
  using Rounds = data_move::Rounds;

  struct Spec {
    Direction direction = Direction::Backup;
    std::optional<Volume> volume{};
    std::optional<Pod> pod{};
    std::optional<Document> document{};
    std::optional<Reference> location{};
    std::string snapshot{};
    std::optional<Find> find{};
    std::vector<std::string> snapshots{};
    std::vector<std::string> tags{};
    Chunking chunking = Chunking::Auto;
    std::optional<Limits> limits{};
    int64_t backoff_limit = 3;
    bool cancel = false;
    std::optional<Follow> follow{};
    template <class V>
    void fields(V& v) {
      v.required("direction", direction,
                 "Backup: into the repository; Restore: out of it; Forget: removal of snapshots");
      v.optional("volume", volume, "volume to move; exactly one of volume, pod and document");
      v.optional("pod", pod, "folder or command of a running pod");
      v.optional("document", document, "small text file, stored in the DataMove itself");
      v.optional("location", location, "BackupLocation; absent: the default one");
      v.optional("snapshot", snapshot, "id of the repository's snapshot to restore");
      v.optional("find", find, "query for documents to restore, in place of snapshot");
      v.optional("snapshots", snapshots, "ids of the repository's snapshots to forget");
      v.optional(
          "tags", tags,
          "tags of the new snapshot, in addition to the operator's; one that begins with pvc= "
          "replaces the operator's. Forget: tags that each snapshot to forget must have");
      v.defaulted("chunking", chunking, Chunking::Auto, "method by which data is cut into chunks");
      v.optional("limits", limits, "limits of the transfer");
      v.defaulted("backoffLimit", backoff_limit, 3, "number of retries after the first attempt",
                  {.minimum = 0});
      v.defaulted("cancel", cancel, false, "true: end the move");
      v.optional("follow", follow,
                 "continuous backup: a snapshot at each interval, until the move is canceled");
    }
  } spec{};

  struct Status {
    std::optional<Phase> phase{};
    std::optional<int64_t> attempts{};
    std::optional<Rounds> rounds{};
    std::optional<Reference> location{};
    std::optional<Progress> progress{};
    std::string snapshot_id{}, lock_id{};
    std::optional<Verified> verified{};
    std::vector<FoundDocument> documents{};
    std::optional<bool> documents_truncated{};
    std::vector<std::string> forgotten{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v) {
      v.optional("phase", phase, "summary of the conditions, for display");
      v.optional("attempts", attempts, "number of movers started");
      v.optional("rounds", rounds, "rounds of a move with spec.follow");
      v.optional("location", location, "BackupLocation in use");
      v.optional("progress", progress, "progress of the transfer");
      v.optional("snapshotID", snapshot_id,
                 "id of the repository's snapshot that was made or restored");
      v.optional("verified", verified, "verification of the moved data");
      v.optional("documents", documents, "restored documents, newest first");
      v.optional("documentsTruncated", documents_truncated,
                 "true: more documents were found than fit into 512 KiB");
      v.optional("forgotten", forgotten, "ids of snapshots that are gone from the repository");
      v.optional("lockID", lock_id,
                 "id of the mover's lock in the repository; the next attempt removes the lock");
      v.optional("conditions", conditions, "conditions of the move");
    }
  } status{};
};

/// Beginnings of the tag that says whose data a snapshot holds: a claim's; or the same claim's, cut
/// once more for the sake of the log on it, which is not what a restore of it begins with.
inline constexpr std::string_view kClaimTag = "pvc=", kLogTag = "log=";

std::span<const std::pair<DataMove::Direction, const char*>> words(DataMove::Direction);
std::span<const std::pair<DataMove::Chunking, const char*>> words(DataMove::Chunking);
std::span<const std::pair<DataMove::Phase, const char*>> words(DataMove::Phase);

}  // namespace holdfast::protect

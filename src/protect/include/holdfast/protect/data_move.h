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
      v.required("direction", direction, "into the repository, out of it, or snapshots away");
      v.optional("volume", volume, "a volume; exactly one of volume, pod and document");
      v.optional("pod", pod, "a folder or a command of a running pod");
      v.optional("document", document, "a small text that the object itself says");
      v.optional("location", location, "BackupLocation; absent: the default one");
      v.optional("snapshot", snapshot, "id of the repository's snapshot to restore");
      v.optional("find", find, "instead of snapshot: whose documents are restored");
      v.optional("snapshots", snapshots, "ids of the repository's snapshots to forget");
      v.optional("tags", tags,
                 "of the snapshot that is made, beside our own, and one that begins with pvc= in "
                 "place of ours; or what all that are forgotten must carry");
      v.defaulted("chunking", chunking, Chunking::Auto, "how data is cut");
      v.optional("limits", limits, "what it may take");
      v.defaulted("backoffLimit", backoff_limit, 3, "attempts after the first", {.minimum = 0});
      v.defaulted("cancel", cancel, false, "true ends it");
      v.optional("follow", follow, "a backup that goes on until it is canceled");
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
      v.optional("phase", phase, "derived from the conditions, for people's eyes");
      v.optional("attempts", attempts, "how often a mover was started");
      v.optional("rounds", rounds, "of a move with follow");
      v.optional("location", location, "the BackupLocation that was taken");
      v.optional("progress", progress, "how far it is");
      v.optional("snapshotID", snapshot_id, "the repository's snapshot made or restored");
      v.optional("verified", verified, "proof of it");
      v.optional("documents", documents, "what was restored of documents, the newest first");
      v.optional("documentsTruncated", documents_truncated,
                 "there are more of them than fit into 512 KiB");
      v.optional("forgotten", forgotten, "the snapshots that the repository no longer has");
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

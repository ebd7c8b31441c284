/// DataMove: a transfer of data between a volume, pod or document and a repository, done by a mover
/// pod next to the data.
#pragma once

#include <holdfast/protect/move_parts.h>
#include <holdfast/protect/move_results.h>

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
  using Expected = data_move::Expected;
  using FoundDocument = data_move::FoundDocument;
  using Limits = data_move::Limits;
  using Follow = data_move::Follow;
  using Progress = data_move::Progress;
  using Verified = data_move::Verified;
  using Rounds = data_move::Rounds;

  /// Read once, when the move is accepted.
  struct Asked {
    static constexpr model::FieldLimits kFixed{.immutable = true};
    Direction direction = Direction::Backup;
    std::optional<Volume> volume{};
    std::optional<Pod> pod{};
    std::optional<Document> document{};
    std::optional<Reference> location{};
    std::string repository{}, snapshot{};
    std::optional<Find> find{};
    std::vector<std::string> snapshots{};
    bool all_tagged = false;
    std::vector<std::string> tags{};
    std::vector<Expected> expects{};
    Chunking chunking = Chunking::Auto;
    std::optional<Follow> follow{};
    template <class V>
    void fields(V& v);
  };
  struct Spec : Asked {
    std::optional<Limits> limits{};
    int64_t backoff_limit = 3;
    bool cancel = false;
    template <class V>
    void fields(V& v) {
      Asked::fields(v);
      v.optional("limits", limits, "limits of the transfer");
      v.defaulted("backoffLimit", backoff_limit, 3, "number of retries after the first attempt",
                  {.minimum = 0});
      v.defaulted("cancel", cancel, false, "true: end the move");
    }
  } spec{};

  struct Status {
    std::optional<Phase> phase{};
    std::optional<Asked> asked{};
    std::string document_digest{};
    std::optional<int64_t> attempts{}, files{};
    std::string mover{};
    std::optional<Rounds> rounds{};
    std::optional<Reference> location{};
    std::string repository{}, repository_id{}, snapshot_id{}, lock_id{};
    std::optional<Progress> progress{};
    std::optional<Verified> verified{};
    std::vector<FoundDocument> documents{};
    std::optional<bool> documents_truncated{};
    std::vector<std::string> forgotten{};
    std::vector<model::Condition> conditions{};
    template <class V>
    void fields(V& v);
  } status{};
};

template <class V>
void DataMove::Asked::fields(V& v) {
  v.required("direction", direction,
             "Backup: into the repository; Restore: out of it; Forget: removal of snapshots",
             kFixed);
  v.optional("volume", volume, "volume to move; exactly one of volume, pod and document", kFixed);
  v.optional("pod", pod, "folder or command of a running pod", kFixed);
  v.optional("document", document, "small text file, stored in the DataMove itself", kFixed);
  v.optional("location", location, "BackupLocation; absent: the default one", kFixed);
  v.optional("repository", repository,
             "name of the repository in the location: NAMESPACE, or ADMINS.NAMESPACE for volumes "
             "backed up from another namespace; default: the move's own; another only for admins",
             {.max_length = 127, .pattern = "^[a-z0-9-]+([.][a-z0-9-]+)?$", .immutable = true});
  v.optional("snapshot", snapshot, "id of the repository's snapshot to restore", kFixed);
  v.optional("find", find, "query for documents to restore, in place of snapshot", kFixed);
  v.optional("snapshots", snapshots, "ids of the repository's snapshots to forget", kFixed);
  v.defaulted("allTagged", all_tagged, false,
              "true: forget all snapshots that have all of spec.tags, in place of spec.snapshots",
              kFixed);
  v.optional("tags", tags,
             "tags of the new snapshot, in addition to the operator's; one that begins with pvc= "
             "replaces the operator's. Forget: tags that each snapshot to forget must have",
             kFixed);
  v.optional("expects", expects,
             "with a document to back up: snapshots that must be in the repository first", kFixed);
  v.defaulted("chunking", chunking, Chunking::Auto, "method by which data is cut into chunks",
              kFixed);
  v.optional("follow", follow,
             "continuous backup: a snapshot at each interval, until the move is canceled", kFixed);
}

template <class V>
void DataMove::Status::fields(V& v) {
  v.optional("phase", phase, "summary of the conditions, for display");
  v.optional("asked", asked,
             "copy of the spec fields read when the move was accepted; later edits are ignored");
  v.optional("documentDigest", document_digest, "SHA-256 of spec.document.content as accepted");
  v.optional("attempts", attempts, "number of movers started");
  v.optional("mover", mover, "name of the last mover pod that was seen");
  v.optional("rounds", rounds, "rounds of a move with spec.follow");
  v.optional("location", location, "BackupLocation in use");
  v.optional("repository", repository, "name of the repository in use");
  v.optional("repositoryID", repository_id, "id of the repository in use");
  v.optional("progress", progress, "progress of the transfer");
  v.optional("snapshotID", snapshot_id,
             "id of the repository's snapshot that was made or restored");
  v.optional("files", files, "number of files in the snapshot that was made");
  v.optional("verified", verified, "verification of the moved data");
  v.optional("documents", documents, "restored documents, newest first");
  v.optional("documentsTruncated", documents_truncated,
             "true: more documents were found than fit into 512 KiB");
  v.optional("forgotten", forgotten, "ids of snapshots that are gone from the repository");
  v.optional("lockID", lock_id,
             "id of the mover's lock in the repository; the next attempt removes the lock");
  v.optional("conditions", conditions, "conditions of the move");
}

/// Beginnings of the tag that says whose data a snapshot holds: a claim's; or the same claim's, cut
/// once more for the sake of the log on it, which is not what a restore of it begins with.
inline constexpr std::string_view kClaimTag = "pvc=", kLogTag = "log=";

std::span<const std::pair<DataMove::Direction, const char*>> words(DataMove::Direction);
std::span<const std::pair<DataMove::Chunking, const char*>> words(DataMove::Chunking);
std::span<const std::pair<DataMove::Phase, const char*>> words(DataMove::Phase);

}  // namespace holdfast::protect

/// The data mover: the process that runs beside the data, in a pod that a DataMove's controller
/// has made, and carries its bytes into a repository or out of it.
#pragma once

#include <holdfast/protect/move_parts.h>

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace holdfast::protect {

/// How a pod of ours reaches the repository that it works on: where it is, and which of the files
/// mounted beside it open it.
struct RepositoryAccess {
  std::string repository{};  ///< as blob/location.h reads it
  std::string region{}, ca_bundle{};
  bool path_style = false;
  bool read_only = false;  ///< nothing may be written there, not even a lock
  std::string password_key = "password";
  std::string derived_for{};  ///< the name whose own password is made from the location's; "" = it
                              ///< is used as it is
  std::string repository_id{};  ///< that it must have; "" = not known yet
  bool may_init = false;        ///< there was none yet: whoever backs up first makes it
  std::string marker{};      ///< what the file holdfast-location beside it must say; "" = anything
  int64_t keep_seconds = 0;  ///< nothing younger is forgotten, or deleted by prune

  template <class V>
  void fields(V& v) {
    v.required("repository", repository, "");
    v.optional("region", region, "");
    v.optional("caBundle", ca_bundle, "");
    v.optional("pathStyle", path_style, "");
    v.optional("readOnly", read_only, "");
    v.optional("passwordKey", password_key, "");
    v.optional("derivedFor", derived_for, "");
    v.optional("repositoryID", repository_id, "");
    v.optional("mayInit", may_init, "");
    v.optional("marker", marker, "");
    v.optional("keepSeconds", keep_seconds, "");
  }
};

/// What one attempt of a move is to do; handed over as JSON in the variable HOLDFAST_MOVE. It
/// holds no secret: those are files below `secrets`.
struct MoveTask {
  std::string ns{}, name{};         ///< of the DataMove
  std::string mover{}, mover_ns{};  ///< the Mover that is read and reported to
  std::string pod_name{};           ///< of the mover itself
  std::string direction = "Backup";
  std::string folder = "/data";  ///< where the volume is mounted
  RepositoryAccess access{};
  std::string snapshot{};  ///< to restore
  std::string chunking = "Auto";
  int64_t bytes_per_second = 0;
  std::string host{};                         ///< of the snapshot
  std::vector<std::string> tags{};            ///< of the snapshot, or of all to forget
  std::vector<std::string> own_tags{};        ///< of these, those that no other move's have
  std::vector<std::string> snapshots{};       ///< to forget
  bool all_tagged = false;                    ///< in their place: all that carry `tags`
  std::vector<std::string> earlier_movers{};  ///< hosts of earlier attempts: their locks go, and
                                              ///< what they have done is taken up
  /// Instead of a volume: a folder of a running pod of the move's namespace, or a command there.
  std::string pod{}, container{}, directory{};
  std::vector<std::string> command{};
  /// Or one file of that name; what it is to hold stands in the Mover, and what it held is told
  /// there: of `snapshot`, or of those that `find` finds.
  std::string document{};
  std::optional<data_move::Find> find{};

  template <class V>
  void fields(V& v) {
    v.required("namespace", ns, "");
    v.required("name", name, "");
    v.optional("mover", mover, "");
    v.optional("moverNamespace", mover_ns, "");
    v.optional("podName", pod_name, "");
    v.required("direction", direction, "");
    v.required("folder", folder, "");
    v.required("access", access, "");
    v.optional("snapshot", snapshot, "");
    v.required("chunking", chunking, "");
    v.required("bytesPerSecond", bytes_per_second, "");
    v.optional("host", host, "");
    v.optional("tags", tags, "");
    v.optional("ownTags", own_tags, "");
    v.optional("snapshots", snapshots, "");
    v.optional("allTagged", all_tagged, "");
    v.optional("earlierMovers", earlier_movers, "");
    v.optional("pod", pod, "");
    v.optional("container", container, "");
    v.optional("directory", directory, "");
    v.optional("command", command, "");
    v.optional("document", document, "");
    v.optional("find", find, "");
  }
};

/// How it ended; the container's termination message, as JSON.
struct MoveReport {
  std::string snapshot_id{}, lock_id{}, repository_id{};
  int64_t bytes_done = 0, bytes_uploaded = 0;
  std::optional<int64_t> files{};  ///< in the snapshot
  std::string verified{};          ///< by which method; "" = not
  std::string reason{}, message{};
  bool again = false;              ///< another attempt may succeed
  std::optional<int64_t> count{};  ///< of documents, or of snapshots forgotten

  template <class V>
  void fields(V& v) {
    v.optional("snapshotID", snapshot_id, "");
    v.optional("lockID", lock_id, "");
    v.optional("repositoryID", repository_id, "");
    v.optional("files", files, "");
    v.required("bytesDone", bytes_done, "");
    v.required("bytesUploaded", bytes_uploaded, "");
    v.optional("verified", verified, "");
    v.optional("reason", reason, "");
    v.optional("message", message, "");
    v.required("again", again, "");
    v.optional("count", count, "");
  }
};

std::string to_text(const MoveTask& task);
Result<MoveTask> parse_move_task(std::string_view json);
std::string to_text(const MoveReport& report);
Result<MoveReport> parse_move_report(std::string_view json);

struct MoverPlaces {
  /// password/KEY, credential/… (as blob/credentials.h finds them).
  std::filesystem::path secrets = "/holdfast";
  std::filesystem::path report = "/dev/termination-log";
};

/// 0 if it is done, 1 if not; the report says why. Progress goes to the status of the Mover by the
/// move's own account.
int run_mover(const MoveTask& task, const MoverPlaces& places, std::stop_token stop);

/// The password of the repository of that name, unless it is the location's own namespace's:
/// whoever has it can open nothing else, whoever has the location's can make all of them.
std::string derived_password(std::string_view location_password, std::string_view name);

}  // namespace holdfast::protect

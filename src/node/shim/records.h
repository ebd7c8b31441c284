/// Records of a pod's containers in its folder: written by the node (what to run) and by the pod's
/// shim (what became of it), read by both, also by a node that was started after either died.
///
///   PODS/<uid>/
///     pod.json                    Sandbox: what all containers of the pod share
///     shim.sock                   where the pod's shim listens (calls.h)
///     shim.log                    what it has to complain about
///     hosts                       /etc/hosts of its containers
///     shm                         the pod's shared memory, mounted in its shim's namespace
///     root/<id>                   where a container's root is mounted, in its own namespace
///     volumes/<kind>/<name>/      what the node made for the pod's volumes
///     containers/<id>/
///       spec.json                 ContainerSpec, there before the container is asked for
///       state.json                ContainerRecord, replaced at start and at exit
///       termination-log           what the container wrote to its terminationMessagePath
///       layer/                    its writes to the image's root
#pragma once

#include <holdfast/base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::node {

struct Sandbox {
  std::string uid, ns, name, hostname;
  std::string ip{};
  int64_t users = 0;  ///< first id, outside, of its user namespace; 0 = the machine's users
  bool share_processes = false;  ///< one PID namespace for all containers
  bool host_processes = false;   ///< the machine's own
  int64_t log_max_bytes = int64_t(10) << 20;
  int64_t log_max_files = 5;
  std::string cgroup{};    ///< of the pod, below each controller's folder; "" = none
  int64_t pids_limit = 0;  ///< 0 = none
  template <class V>
  void fields(V& v) {
    v.required("uid", uid, "");
    v.required("namespace", ns, "");
    v.required("name", name, "");
    v.required("hostname", hostname, "");
    v.optional("ip", ip, "");
    v.optional("users", users, "");
    v.optional("shareProcesses", share_processes, "");
    v.optional("hostProcesses", host_processes, "");
    v.required("logMaxBytes", log_max_bytes, "");
    v.required("logMaxFiles", log_max_files, "");
    v.optional("cgroup", cgroup, "");
    v.required("pidsLimit", pids_limit, "");
  }
};

struct MountSpec {
  std::string from, to;
  bool read_only = false;
  /// Below `from`; looked up without following a link, since what lies in a volume is the tenant's.
  /// A folder that is not there is made.
  std::string sub_path{};
  bool made_here = false;  ///< by the node, for this pod: never a link
  /// How ids on it become those of the pod's user namespace. Disk: they stand there as the pod sees
  /// them. Pod: they are the namespace's own already. Any: like Disk if the file system can do it.
  std::string ids = "Disk";
  template <class V>
  void fields(V& v) {
    v.required("from", from, "");
    v.required("to", to, "");
    v.optional("readOnly", read_only, "");
    v.optional("subPath", sub_path, "");
    v.optional("madeHere", made_here, "");
    v.optional("ids", ids, "");
  }
};

/// Who runs, as what, where: said once for a container and for an exec in it.
struct ProcessSpec {
  std::vector<std::string> args, env;  ///< NAME=value
  std::string cwd = "/";
  int64_t uid = 0, gid = 0;
  std::vector<int64_t> groups;
  std::string capabilities = "0";  ///< a mask in hex: those that root keeps
  bool tty = false;
  template <class V>
  void fields(V& v) {
    v.required("args", args, "");
    v.optional("env", env, "");
    v.required("cwd", cwd, "");
    v.required("uid", uid, "");
    v.required("gid", gid, "");
    v.optional("groups", groups, "");
    v.required("capabilities", capabilities, "");
    v.optional("tty", tty, "");
  }
};

struct ContainerSpec {
  std::string id, name;
  int64_t attempt = 0;
  std::string image_root;  ///< a folder that is never written to
  bool read_only_root = false;
  bool privileged = false;  ///< the machine's knobs in /proc and /sys are its own to turn
  ProcessSpec process;
  std::vector<MountSpec> mounts;          ///< in the order of their making
  std::vector<std::string> masked;        ///< folders of the image that must not be seen
  std::string filter;                     ///< file: system calls that it may make; "" = all
  std::string log;                        ///< file
  int64_t memory_limit = 0;               ///< bytes; 0 = none
  int64_t cpu_quota = 0, cpu_shares = 0;  ///< microseconds per 100 ms; 0 = none
  int64_t oom_score_adj = 0;
  bool stdin_open = false;
  template <class V>
  void fields(V& v) {
    v.required("id", id, "");
    v.required("name", name, "");
    v.required("attempt", attempt, "");
    v.required("imageRoot", image_root, "");
    v.optional("readOnlyRoot", read_only_root, "");
    v.optional("privileged", privileged, "");
    v.required("process", process, "");
    v.optional("mounts", mounts, "");
    v.optional("masked", masked, "");
    v.optional("filter", filter, "");
    v.required("log", log, "");
    v.required("memoryLimit", memory_limit, "");
    v.required("cpuQuota", cpu_quota, "");
    v.required("cpuShares", cpu_shares, "");
    v.required("oomScoreAdj", oom_score_adj, "");
    v.optional("stdin", stdin_open, "");
  }
};

struct ContainerRecord {
  std::string id, name;
  int64_t attempt = 0;
  int64_t pid = 0;                      ///< in the machine's PID namespace; 0 = not running
  std::string started_at, finished_at;  ///< RFC 3339 with microseconds; "" = not yet
  int64_t exit_code = 0;
  bool oom_killed = false;
  std::string start_error{};  ///< why the command does not run
  bool running() const { return pid != 0; }
  bool exited() const { return !finished_at.empty(); }
  template <class V>
  void fields(V& v) {
    v.required("id", id, "");
    v.required("name", name, "");
    v.required("attempt", attempt, "");
    v.required("pid", pid, "");
    v.optional("startedAt", started_at, "");
    v.optional("finishedAt", finished_at, "");
    v.required("exitCode", exit_code, "");
    v.optional("oomKilled", oom_killed, "");
    v.optional("startError", start_error, "");
  }
};

Result<Sandbox> read_sandbox(const std::filesystem::path& file);
Result<ContainerSpec> read_container_spec(const std::filesystem::path& file);
Result<ContainerRecord> read_container_record(const std::filesystem::path& file);
Result<ProcessSpec> parse_process_spec(std::string_view json);
/// All or nothing, also over a power cut.
Result<void> write_record(const std::filesystem::path& file, const Sandbox& sandbox);
Result<void> write_record(const std::filesystem::path& file, const ContainerSpec& spec);
Result<void> write_record(const std::filesystem::path& file, const ContainerRecord& record);
std::string to_text(const ProcessSpec& spec);
std::string to_text(const ContainerRecord& record);
Result<ContainerRecord> parse_container_record(std::string_view json);

}  // namespace holdfast::node

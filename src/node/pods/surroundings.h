/// Surroundings of the workers of all pods: the node's places, the API server, the names that pods
/// find each other by.
#pragma once

#include <holdfast/base/mutex.h>
#include <holdfast/control/write.h>
#include <holdfast/kube/client.h>

#include "pods/images.h"
#include "pods/volumes.h"
#include "seccomp/filter.h"
#include "users/ranges.h"

#include <set>

namespace holdfast::node {

/// The addresses of pods: 127.64.0.1 … 127.127.255.254, each once.
class Addresses {
 public:
  /// From which it goes up is told by `place`, so that two nodes of one machine, each with its own
  /// folder, do not give out the same ones.
  explicit Addresses(std::string_view place);
  /// Another one each time, so that a client of a pod that is gone does not meet its successor at
  /// once.
  Result<std::string> take();
  /// One that a pod had before the node was started.
  void keep(const std::string& address);
  void give_back(const std::string& address);

 private:
  Mutex mutex_;
  std::set<uint32_t> taken_ HF_GUARDED_BY(mutex_);
  uint32_t last_ HF_GUARDED_BY(mutex_);
};

struct Surroundings {
  const Clock& clock;
  kube::Client& client;
  Addresses& addresses;
  SeccompFilters& filters;
  UserRanges& ranges;
  Images images;
  std::filesystem::path pods{}, logs{}, secrets{};  ///< folders
  std::filesystem::path program{};                  ///< this binary, for shims
  std::string node_name{}, host_ip{};
  int64_t cpu_millis = 0, memory_bytes = 0;
  std::vector<std::string> masked{};  ///< what no container may see of the machine's root
  /// Where pods find the API server: host and port.
  std::string server_host{}, server_port{};
  /// Lines of /etc/hosts that pods of a namespace resolve services and each other by.
  std::function<std::string(const std::string& ns)> names{};
  /// {DB_SERVICE_HOST, …} for pods of a namespace.
  std::function<Variables(const std::string& ns)> service_variables{};
  std::function<void(const kube::Cached& pod, control::Note note)> tell{};
  bool user_namespaces = false;  ///< pods can have them on this machine
  std::string cgroup{};          ///< below which pods have theirs; "" = none

  std::filesystem::path folder_of(const std::string& uid) const { return pods / uid; }
  std::filesystem::path log_folder_of(const Pod& pod) const {
    return logs / (pod.ns + "_" + pod.name + "_" + pod.uid);
  }
};

/// The container's log of one run.
std::filesystem::path log_file_of(const std::filesystem::path& log_folder,
                                  const std::string& container, int64_t attempt);
/// From the pod's uid, the container's name and the run: asking twice makes one.
std::string make_container_id(const std::string& uid, const std::string& container,
                              int64_t attempt);
std::string hostname_of(const Pod& pod);
/// /etc/hosts of a pod's containers.
std::string hosts_text(const Pod& pod, const std::string& ip, const std::string& names);

}  // namespace holdfast::node

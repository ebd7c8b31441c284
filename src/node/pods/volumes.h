/// A pod's volumes as folders of the machine: made, filled and kept up to date by the node, mounted
/// by the pod's shim.
#pragma once

#include "pods/environment.h"
#include "shim/records.h"
#include "volume_files/payload.h"

namespace holdfast::node {

/// What filling volumes needs from the API server.
struct VolumeSources : EnvSources {
  /// The bound claim's folder, or why there is none yet.
  std::function<Result<std::string>(const std::string& claim)> claim;
  struct Token {
    std::string audience;
    int64_t expiration_seconds = 3600;
  };
  std::function<Result<std::string>(const Token& wanted)> token;
};

struct VolumeFolders {
  std::filesystem::path pod;  ///< PODS/<uid>: emptyDir
  std::filesystem::path
      secrets;        ///< in memory where the machine has it: what must not reach a disk
  int64_t users = 0;  ///< first id of the pod's user namespace; 0 = the machine's users
};

/// Where a volume of the pod lies. By volume name.
using VolumePaths = std::map<std::string, std::string>;

/// Whether files are given to the pod's fsGroup: before its first container, and never while it
/// runs. A server may have closed them to the group meanwhile, and refuse to start where it finds
/// them open.
enum class Ownership { Give, Keep };

/// Makes and fills all volumes; done again, it brings those that change up to date. NotFound and
/// Invalid say in kubelet's words what is missing (event FailedMount).
Result<VolumePaths> make_volumes(const Pod& pod, const VolumeFolders& folders,
                                 const VolumeSources& sources, WallTime now, Ownership ownership);
/// Whether it has volumes whose content may change while it runs.
bool has_changing_volumes(const Pod& pod);

/// The mounts of a container: its volumeMounts, in the order in which they are written.
Result<std::vector<MountSpec>> mounts_of(const Pod& pod, const ContainerDef& container,
                                         const VolumePaths& paths, const Variables& variables);

}  // namespace holdfast::node

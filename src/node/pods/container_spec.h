/// A container of a pod as its shim is to run it.
#pragma once

#include "pods/surroundings.h"

namespace holdfast::node {

/// Why a container was not asked for: the waiting reason, and what to say.
struct Refusal {
  std::string reason;  ///< CreateContainerConfigError, ErrImagePull, CreateContainerError, …
  std::string message;
  bool pull = false;
};

struct PodFacts {
  std::filesystem::path folder;  ///< PODS/<uid>
  std::filesystem::path log_folder;
  std::string ip;
  int64_t users = 0;  ///< first id of the pod's user namespace; 0 = the machine's users
  VolumePaths volumes;
};

Result<ContainerSpec, Refusal> container_spec(const Pod& pod, const ContainerDef& container,
                                              int64_t attempt, const PodFacts& facts,
                                              Surroundings& around, const EnvSources& sources);

}  // namespace holdfast::node

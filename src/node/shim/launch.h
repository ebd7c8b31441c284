/// Launch of a container's processes: the image's root under a layer of the container's own, bwrap
/// with the pod's mounts around it, and our init as its first instruction (init/main.cpp).
#pragma once

#include "shim/descriptors.h"
#include "shim/records.h"

#include <sys/types.h>

namespace holdfast::node {

/// What all launches of a pod share.
struct PodPlace {
  std::filesystem::path folder;  ///< PODS/<uid>
  Sandbox sandbox;
  Fd init;       ///< the program that containers begin with
  Fd processes;  ///< the PID namespace that all containers share; none if each has its own
};

struct Launched {
  pid_t pid = 0;     ///< bwrap, our child; its exit code is the container's
  Fd report;         ///< how far it came: see init/main.cpp
  Fd status;         ///< what bwrap says, in JSON: the pid of the container's first process
  Fd output, error;  ///< of the container
  Fd input;          ///< its stdin, if it is to be kept open
};

/// The namespaces and mounts of this process are the pod's from now on.
Result<PodPlace> take_place(const std::filesystem::path& folder);

Result<Launched> launch(const PodPlace& place, const ContainerSpec& spec);
/// After its end: the layer of its writes goes.
void clear_root(const PodPlace& place, const std::string& id);

/// A process in a running container. The descriptors become its stdin, stdout and stderr.
struct Entered {
  pid_t pid = 0;
  Fd report;
};
Result<Entered> enter(const PodPlace& place, pid_t container, const std::string& cgroup,
                      const ProcessSpec& process, int input, int output, int error);

/// For the init program: see init/main.cpp.
std::string init_words(const ProcessSpec& process);
/// bwrap's own arguments, up to and without the command. `sub_paths` are the descriptors of those
/// mounts that have one.
std::vector<std::string> bwrap_arguments(const PodPlace& place, const ContainerSpec& spec,
                                         const std::string& root,
                                         const std::vector<int>& sub_paths);
/// Where a path of the image ends when its links are followed as from inside: "/var/run/x" →
/// "/run/x". bwrap mounts before the image is the root, when absolute links lead elsewhere.
std::string inside(const std::filesystem::path& root, std::string_view path);
std::string cgroup_of(const Sandbox& sandbox, const std::string& container);

}  // namespace holdfast::node

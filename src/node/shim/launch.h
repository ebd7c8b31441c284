/// Launch of a container's processes: namespaces, a root of its own (rootfs.h), and our init as
/// their first instruction (init/main.cpp).
///
///   shim ─┬─ holder, first of a PID namespace ── first process of the container, in one of its own
///         └─ …                                    └─ what it starts, and what is executed in it
///
/// When the shim dies the kernel kills the holder, and with it all below. Containers that share
/// their processes are children of the shim in the namespace of one holder.
#pragma once

#include "shim/descriptors.h"
#include "shim/records.h"

#include <sys/types.h>

namespace holdfast::node {

/// What all launches of a pod share.
struct PodPlace {
  std::filesystem::path folder;  ///< PODS/<uid>
  Sandbox sandbox;
  Fd init, holder;  ///< programs: see their main.cpp
  Fd processes;     ///< the PID namespace that all containers share; none if each has its own
  Fd users;         ///< the pod's user namespace; none: the machine's
  /// Of an id that the pod sees, the one outside.
  uid_t outside(int64_t id) const { return uid_t(sandbox.users + id); }
};

struct Launched {
  pid_t pid = 0;     ///< our child; its exit code is the container's
  Fd first;          ///< pidfd of the container's first process: its number may be another's later
  Fd news;           ///< where `first` comes from, if it is not there yet: a packet that carries it
  Fd report;         ///< how far it came: see init/main.cpp
  Fd output, error;  ///< of the container
  Fd input;          ///< its stdin, if it is to be kept open
  Fd filter;         ///< system calls that all its processes may make; none: all
};

/// The namespaces and mounts of this process are the pod's from now on.
Result<PodPlace> take_place(const std::filesystem::path& folder);

Result<Launched> launch(const PodPlace& place, const ContainerSpec& spec);
/// After its end: the layer of its writes goes.
void clear_root(const PodPlace& place, const std::string& id);

/// A process in a container that runs. The descriptors become its stdin, stdout and stderr.
struct Entered {
  pid_t pid = 0;
  Fd report;
};
Result<Entered> enter(const PodPlace& place, const Launched& container, const std::string& cgroup,
                      const ProcessSpec& process, int input, int output, int error);

/// Where init finds its descriptors: those from 3 on.
inline constexpr int kInit = 3, kReport = 5;
/// For the init program: see init/main.cpp.
std::string init_words(const ProcessSpec& process, bool filtered);
/// What a command writes to, it may open anew: /dev/stdout is a link to it.
void give_ends(const std::vector<int>& ends, uid_t user);
/// This process becomes init; it returns only if it cannot.
void execute(int program, const char* name, const char* argument = nullptr);
std::string cgroup_of(const Sandbox& sandbox, const std::string& container);
std::filesystem::path layer_of(const PodPlace& place, const std::string& id);

}  // namespace holdfast::node

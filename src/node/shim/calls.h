/// A pod's shim as the node calls it. Each call is a connection of its own; shim.h draws what goes
/// over it.
#pragma once

#include "shim/descriptors.h"
#include "shim/records.h"

#include <filesystem>
#include <string>
#include <vector>

namespace holdfast::node {

/// Where a shim finds the lock that it holds, if it holds one.
inline constexpr int kHeldLock = 4;

/// Whether a command outlives the connection it was asked for on. Users' do, as everywhere; probes
/// and hooks do not.
enum class Leash { Long, Short };

/// A process in a container: its answer comes when it has ended.
class ExecCall {
 public:
  explicit ExecCall(Fd connection) : connection_(std::move(connection)) {}
  /// Unavailable when it has not ended within the time; NotFound when the pod's shim is gone.
  Result<int> exit_code(int wait_milliseconds);
  int descriptor() const { return connection_.get(); }

 private:
  Fd connection_;
};

class ShimCalls {
 public:
  /// `folder` is PODS/<uid>; the shim may live or not.
  explicit ShimCalls(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Starts the shim of a pod whose pod.json lies there. `program` is this binary; what `held`
  /// locks, if it is a descriptor, is locked as long as the shim lives.
  Result<void> spawn(const std::filesystem::path& program, int held) const;
  bool alive() const;

  Result<ContainerRecord> start(const std::string& id) const;
  Result<void> signal(const std::string& id, int number) const;
  Result<std::vector<ContainerRecord>> list() const;
  /// A packet comes at once, and whenever a record has changed; the end of it when the shim ends.
  Result<Fd> watch() const;
  /// Invalid says why the command does not run.
  Result<ExecCall> exec(const std::string& id, const ProcessSpec& process, int input, int output,
                        int error, Leash leash = Leash::Long) const;
  /// Kills what still lives; returns when nothing does.
  Result<void> end() const;

 private:
  Result<Fd> connect() const;
  Result<std::string> ask(const std::string& request, int wait_milliseconds) const;
  std::filesystem::path folder_;
};

}  // namespace holdfast::node

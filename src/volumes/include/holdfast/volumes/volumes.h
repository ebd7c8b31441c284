/// Local volumes: folders of this machine as PersistentVolumes, with snapshots and group snapshots.
/// The controllers know the machine only by the API server and one folder.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/control/reconciler.h>

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::volumes {

struct Settings {
  std::string node{};  ///< its label kubernetes.io/hostname
  std::filesystem::path folder{};
  std::string provider = "auto";  ///< auto, btrfs, reflink, copy
  int64_t pool_size = 0;          ///< bytes of a btrfs made in the folder, as root; 0 = none
  /// The pool stays mounted at the end: pods that this process does not run start from it.
  bool leave_pool_mounted = false;
  std::stop_token stop{};  ///< ends a long copy; it is begun again later
};

/// The folder, open, and how it is worked with. Shared by the controllers made from it.
class Machine {
 public:
  /// Conflict if another process holds the folder; Invalid if it cannot do what the provider needs.
  /// A pool is not made where the file system is btrfs or shares blocks already.
  static Result<Machine> open(const Settings& settings, const Clock& clock);
  ~Machine();
  Machine(Machine&& other) noexcept;
  Machine& operator=(Machine&& other) = delete;

  std::string_view provider() const;
  /// What a person can and cannot count on with it.
  std::string_view promise() const;

  /// What must be there before the controllers start. What others have changed is left alone, but
  /// for the annotations that tell the provider of this machine. Where a snapshot-controller of
  /// others runs, it keeps snapshots, and the class says so. Unavailable while the server does not
  /// serve the kinds whose definitions it was given: to be tried again.
  Result<void> install(kube::Client& client);

  /// The provisioner and the deleter of this machine and, unless others have them, its snapshots.
  std::vector<control::ControllerSpec> controllers() const;

 private:
  struct Body;
  explicit Machine(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

/// Says on the StorageClass that this node has no volumes, and why; an event says it too.
Result<void> report_trouble(kube::Client& client, std::string_view node, const Error& why);

/// kube-controller-manager's part, for the embedded server alone: claims and volumes find each
/// other. On a cluster the real one does it.
std::vector<control::ControllerSpec> binders();

}  // namespace holdfast::volumes

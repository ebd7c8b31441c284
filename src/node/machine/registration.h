/// The machine as a Node object: what it has, how it is, and a lease that says it lives.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/kube/client.h>

#include <cstdint>
#include <string>

namespace holdfast::node {

struct MachineFacts {
  int64_t cpus = 0, memory_bytes = 0, disk_bytes = 0;
  std::string hostname, kernel, os_image, machine_id, boot_id, architecture;
};
MachineFacts machine_facts(const std::string& data_dir);

/// What a person must know of a disk that is all but full; "" while there is room. Past that point
/// pods lose their logs and the server may not be able to write down anything, this included.
std::string disk_pressure(const std::string& data_dir);

struct Registration {
  std::string name, host_ip;
  int port = 0;
  std::string certificate;  ///< PEM of what the node serves with
  MachineFacts facts;
  bool limits = false;               ///< memory and CPU limits hold
  std::string disk_pressure{};       ///< as above
  std::string no_user_namespaces{};  ///< why pods have none; "" if they have
};

/// Creates the Node, or brings an existing one up to date, its status too.
Result<void> register_node(kube::Client& client, const Registration& about, WallTime now);
/// Renews the node's lease in kube-node-lease.
Result<void> renew_lease(kube::Client& client, const std::string& name, WallTime now);
/// For a node that stops: NodeNotReady.
Result<void> report_stopped(kube::Client& client, const Registration& about, WallTime now);

model::Value node_status(const Registration& about, bool ready, const model::Value& before,
                         WallTime now);

}  // namespace holdfast::node

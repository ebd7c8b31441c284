/// The API server that the suite runs against, as $HOLDFAST_SUBJECT says: `core` (the embedded
/// server's handler, called in this process), `daemon` (the same over TLS) or `real` (the one that
/// tests/peers/with_real has started).
#pragma once

#include <holdfast/kube/client.h>
#include <holdfast/kube/config.h>

#include <filesystem>
#include <string>

namespace holdfast::runtime {

class Subject {
 public:
  virtual ~Subject() = default;
  /// Started on first use, ended with the process.
  static Subject& get();

  /// On behalf of a member of system:masters.
  virtual net::Client& admin() = 0;
  /// How the admin logs in over TLS.
  virtual const kube::Config& config() const = 0;
  /// Holds admin.kubeconfig and pki/ca.{crt,key}.
  virtual const std::filesystem::path& folder() const = 0;
};

}  // namespace holdfast::runtime

/// Connections to nodes: kubelet's own endpoints, by which logs and exec sessions come. The core
/// only says where to; who can wait carries it.
#pragma once

#include <holdfast/net/http.h>

#include <string>

namespace holdfast::apiserver {

struct NodeRequest {
  enum class Kind { Log, Exec } kind = Kind::Log;
  std::string node{};         ///< its name
  std::string pod{};          ///< name; for messages
  std::string url{};          ///< "https://10.0.0.7:10250"
  std::string target{};       ///< "/exec/NAMESPACE/POD/CONTAINER?command=…"
  std::string certificate{};  ///< PEM: only who has its key is trusted; "": anybody
  std::string protocol{};     ///< of an exec: the subprotocol agreed with the client
};

/// A node announces its own certificate by this annotation. Without it nodes are not verified, as
/// by the real server without --kubelet-certificate-authority.
inline constexpr char kServingCertificate[] = "node.holdfast.dev/serving-certificate";

class Nodes {
 public:
  virtual ~Nodes() = default;
  /// Never waits; the answer comes later, once, from any thread.
  virtual void carry(NodeRequest request, net::Respond respond) = 0;
};

}  // namespace holdfast::apiserver

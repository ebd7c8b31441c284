/// Relay of requests to nodes, with threads that wait for their answers.
#pragma once

#include <holdfast/apiserver/nodes.h>
#include <holdfast/net/client.h>
#include <holdfast/net/websocket.h>

#include "nodes/crew.h"

#include <memory>
#include <string>

namespace holdfast::apiserver {

class NodeRelay final : public Nodes {
 public:
  /// What the server shows to nodes: PEM.
  NodeRelay(std::string certificate, std::string key)
      : certificate_(std::move(certificate)), key_(std::move(key)), crew_(kMostErrands) {}

  void carry(NodeRequest request, net::Respond respond) override;
  void stop() { crew_.stop(); }

 private:
  static constexpr size_t kMostErrands = 256;

  Result<std::unique_ptr<net::Client>> client_of(const NodeRequest& request) const;
  void carry_log(const NodeRequest& request, const net::Respond& respond,
                 const std::stop_token& stop) const;
  void carry_exec(const NodeRequest& request, const net::Respond& respond,
                  const std::stop_token& stop) const;

  const std::string certificate_, key_;
  Crew crew_;
};

/// Hands messages both ways until one end closes or is lost; then the other is closed too. Of a
/// node that ends before it said how the command did, the error channel says that, and the close is
/// 1011.
void relay_exec(const std::shared_ptr<net::WebSocket>& client,
                const std::shared_ptr<net::WebSocket>& node);

}  // namespace holdfast::apiserver

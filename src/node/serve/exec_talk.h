/// An exec as it goes over a WebSocket, v5.channel.k8s.io and v4: the first byte of a message is
/// its channel.
///
///   0 stdin   1 stdout   2 stderr   3 how it ended, a Status   4 {"Width":W,"Height":H}
///   255 N: channel N is closed (v5)
#pragma once

#include <holdfast/net/websocket.h>

#include "shim/calls.h"

namespace holdfast::node {

struct ExecRequest {
  std::filesystem::path pod_folder;
  std::string container_id;
  std::vector<std::string> command;
  bool input = false, output = false, error = false, tty = false;
};

/// The conversation; returns when the command has ended, or the server that has the socket stops. A
/// client that goes leaves the command running.
void talk_exec(const ExecRequest& request, net::WebSocket& socket);

}  // namespace holdfast::node

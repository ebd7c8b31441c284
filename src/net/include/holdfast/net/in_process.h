/// A client without a socket: its calls go to a service of the same process.
#pragma once

#include <holdfast/net/client.h>

#include <memory>

namespace holdfast::net {

/// Every request comes from `peer`, whose certificate counts as proven: whoever holds this client
/// is trusted as that peer. Calls wait for the service's answer, streams for its body; both end
/// with the call's time limit and stop token, and what the service answers later is dropped. A
/// WebSocket is a pair of bounded queues, closed when the client goes. The service must outlive the
/// client and its calls. Safe to use from many threads.
std::unique_ptr<Client> make_in_process(Service& service, Peer peer);

}  // namespace holdfast::net

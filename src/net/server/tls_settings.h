/// TLS settings of a server, and the peer of a finished handshake.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/net/http.h>
#include <holdfast/net/server.h>

#include "tls/openssl.h"

namespace holdfast::net {

/// Null if the options ask for plain TCP.
Result<TlsSettings> server_tls(const ServerOptions& options);

/// Subject of the client's certificate, if it sent one that verified.
struct ClientIdentity {
  bool present = false;
  std::string common_name{};
  std::vector<std::string> organizations{};
  WallTime expires{};
  bool refused = false;  ///< it sent one that did not verify
};
ClientIdentity client_identity(const SSL* ssl);

}  // namespace holdfast::net

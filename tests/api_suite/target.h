/// The API server that the suite runs against: the one of $HOLDFAST_KUBECONFIG, else an embedded
/// one inside this process.
#pragma once

#include <holdfast/net/client.h>

#include <string>

namespace holdfast::suite {

/// A client that proves to be `user`: "" the admin of the kubeconfig, "-" nobody, a name of
/// tokens.csv, or any bearer token.
net::Client& client_of(const std::string& user);

}  // namespace holdfast::suite

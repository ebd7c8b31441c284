/// The API servers that the suite runs against.
///   Usual      the one of $HOLDFAST_KUBECONFIG, else an embedded one inside this process
///   Forgetful  one whose older versions can be made to go while a case waits: the one of
///              $HOLDFAST_FORGETFUL_KUBECONFIG, which keeps them for a second only; else the usual
///              one if $HOLDFAST_COMPACT is a command that drops them; else an embedded one
#pragma once

#include <holdfast/net/client.h>

#include <string>

namespace holdfast::suite {

enum class Subject { Usual, Forgetful };

/// Which of them `client_of` speaks to from now on.
void choose(Subject subject);

/// Has a forgetful server drop what is no longer the newest; it may take a while to show.
void compact();

/// A client that proves to be `user`: "" the admin of the kubeconfig, "-" nobody, a name of
/// tokens.csv, or any bearer token.
net::Client& client_of(const std::string& user);

}  // namespace holdfast::suite

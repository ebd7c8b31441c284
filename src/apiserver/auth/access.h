/// Impersonation checks and the sentence of a 403.
#pragma once

#include <holdfast/net/http.h>

#include "auth/authorizer.h"

namespace holdfast::apiserver {

/// The user that the Impersonate-* headers ask for, if `user` may impersonate them; `user` itself
/// without such headers.
model::Answer<User> impersonate(const Authorizer& authorizer, User user,
                                const net::Request& request);

/// 403 in the real server's words: `pods is forbidden: User "x" cannot list resource "pods" in API
/// group "" in the namespace "d"`.
model::Status access_denied(const User& user, const Attributes& what, const std::string& reason);

}  // namespace holdfast::apiserver

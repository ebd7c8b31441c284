/// Authentication of requests: client certificate, static token, ServiceAccount token,
/// impersonation.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/random.h>
#include <holdfast/model/status.h>
#include <holdfast/net/http.h>

#include "auth/user.h"
#include "store/store.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::apiserver {

/// Who signs ServiceAccount tokens, and the audience of those that name none.
inline constexpr std::string_view kTokenIssuer = "https://kubernetes.default.svc.cluster.local";

struct AuthenticatorOptions {
  std::string
      token_csv;  ///< text of kube-apiserver's --token-auth-file: token,user,uid,"group1,group2"
  std::string sa_private_key;  ///< PEM, P-256
  std::string sa_public_key;
  std::string issuer{kTokenIssuer};
};

/// A bound ServiceAccount token that was asked for (TokenRequest).
struct TokenSpec {
  std::string ns, service_account, service_account_uid;
  std::vector<std::string> audiences;  ///< empty: the API server's own
  int64_t expiration_seconds = 3600;
  int64_t warn_after_seconds = 0;  ///< what the client is told instead of the real end; 0: that
  struct Bound {
    std::string kind, name, uid;  ///< Pod, Secret, Node
  };
  std::optional<Bound> bound;
  std::string node_name, node_uid;  ///< of the bound pod, when known
};

/// Passive and safe to use from many threads.
class Authenticator {
 public:
  static Result<std::unique_ptr<Authenticator>> make(AuthenticatorOptions options,
                                                     const Store& store, const Clock& clock,
                                                     Random& random);
  virtual ~Authenticator() = default;
  /// Anonymous requests become system:anonymous in system:unauthenticated; a bad token is 401
  /// Unauthorized.
  virtual model::Answer<User> authenticate(const net::Request& request) const = 0;
  /// A bearer token alone, for TokenReview. `audiences` empty: the server's own. Absent: not
  /// authenticated, with the reason.
  struct Verdict {
    std::optional<User> user;
    std::vector<std::string> audiences;
    std::string error;
  };
  virtual Verdict review_token(std::string_view token,
                               const std::vector<std::string>& audiences) const = 0;
  virtual Result<std::string> issue_token(const TokenSpec& spec, WallTime& expires) const = 0;
  /// /.well-known/openid-configuration and /openid/v1/jwks
  virtual std::string openid_configuration(std::string_view external_url) const = 0;
  virtual std::string jwks() const = 0;
};

}  // namespace holdfast::apiserver

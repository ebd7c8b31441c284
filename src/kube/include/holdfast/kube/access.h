/// Access reviews: rights of oneself and of others.
#pragma once

#include <holdfast/kube/client.h>

namespace holdfast::kube {

struct Attributes {
  std::string verb{}, group{}, resource{}, subresource{}, ns{}, name{};
};

struct Access {
  bool allowed = false;
  std::string reason{};
};

struct Who {
  std::string user{}, uid{};
  std::vector<std::string> groups{};
};

Reply<Access> may_i(Client& client, const Attributes& attributes);
Reply<Access> may(Client& client, const Who& who, const Attributes& attributes);
Reply<Who> who_am_i(Client& client);
/// Whose token it is; a token that nobody issued is Fault::Denied. The token enters no message.
Reply<Who> whose_token(Client& client, std::string_view token,
                       const std::vector<std::string>& audiences = {});

}  // namespace holdfast::kube

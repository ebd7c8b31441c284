/// Static tokens of kube-apiserver's --token-auth-file.
#pragma once

#include <holdfast/base/result.h>

#include "auth/user.h"

#include <map>
#include <string>
#include <string_view>

namespace holdfast::apiserver {

/// By the token's SHA-256, so that look-ups do not leak it by their time. Lines are
/// token,user,uid[,"group1,group2"].
Result<std::map<std::string, User>> read_token_file(std::string_view text);

}  // namespace holdfast::apiserver

/// The password of a repository, from its possible sources.
#pragma once

#include "repo/settings.h"

namespace holdfast::cli {

/// A flag, the environment, or a person at a terminal. `what` names the repository in the question.
Result<std::string> find_password(const Access& access, const std::string& what);

/// For a new key: as above; a person is asked twice.
Result<std::string> find_new_password(const Access& access, const std::string& what);

}  // namespace holdfast::cli

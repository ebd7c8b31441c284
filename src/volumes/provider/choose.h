/// Choice of the provider, by a folder's file system.
#pragma once

#include "provider/provider.h"

namespace holdfast::volumes {

/// `wish` is a provider's name, or "auto" for the best that works there. Invalid if the folder
/// cannot do what is asked for, with what to do about it.
Result<std::unique_ptr<Provider>> choose_provider(std::string_view wish, const fs::path& folder);

/// Whether files in the folder can share blocks.
bool shares_blocks(const fs::path& folder);

}  // namespace holdfast::volumes

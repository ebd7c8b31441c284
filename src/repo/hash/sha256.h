/// SHA-256 of several buffers at once. One stream leaves half of the SHA unit idle; two fill it.
#pragma once

#include <holdfast/repo/id.h>

#include <span>
#include <string_view>

namespace holdfast::repo {

/// ids[i] = SHA-256(buffers[i]). The same on every machine; faster where the processor has SHA
/// instructions.
void hash_all(std::span<const std::string_view> buffers, std::span<Id> ids);
Id hash(std::string_view bytes);

/// For tests: without the processor's help.
void hash_all_portably(std::span<const std::string_view> buffers, std::span<Id> ids);
bool has_sha_instructions();

}  // namespace holdfast::repo

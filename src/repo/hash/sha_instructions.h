/// SHA-256 with the processor's SHA instructions; call only where has_sha_instructions().
#pragma once

#include <holdfast/repo/id.h>

#include <string_view>

namespace holdfast::repo::sha_instructions {

void hash_one(std::string_view bytes, Id& id);
/// Both at once, block by block; what the longer one has more is hashed alone.
void hash_two(std::string_view first, std::string_view second, Id& first_id, Id& second_id);

}  // namespace holdfast::repo::sha_instructions

/// Unicode as bytes.
#pragma once

#include <cstdint>
#include <string>

namespace holdfast {

/// Of any code point; surrogates are not told apart.
void append_utf8(std::string& out, uint32_t code);

}  // namespace holdfast

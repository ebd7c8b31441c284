/// Characters that Go prints as they are.
#pragma once

#include <cstdint>

namespace holdfast::repo {

/// Go's strconv.IsPrint.
bool is_printable(uint32_t code);

}  // namespace holdfast::repo

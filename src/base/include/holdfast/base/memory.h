/// Memory settings of the process's allocator.
#pragma once

namespace holdfast {

/// For programs with a bound on their memory, or with many threads: large blocks are mapped each on
/// their own and go back when they are freed, and threads share two heaps. Call it once, early.
void give_back_large_blocks();

}  // namespace holdfast

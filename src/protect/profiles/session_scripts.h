/// The texts that sessions are put together from: the frame, and what each profile adds to it.
#pragma once

namespace holdfast::protect {

extern const char* const kSessionFrame;
extern const char* const kMariadbSession;
extern const char* const kPostgresqlSession;
extern const char* const kFsfreezeSession;

}  // namespace holdfast::protect

/// Bodies in signed chunks, as other people's clients send them over plain HTTP.
///
///   SIZE(hex);chunk-signature=SIGNATURE ⏎ bytes ⏎ … 0;chunk-signature=… ⏎ [trailers ⏎] ⏎
/// Each signature covers the chunk and the signature before it; the first one follows that of the
/// request.
#pragma once

#include "signed.h"

namespace holdfast::s3_double {

/// The request's body, put together, in place of the chunks. Nothing is done to other bodies.
std::optional<Refusal> unwrap_chunks(net::Request& request, const Keys& keys);

}  // namespace holdfast::s3_double

/// Listings: paged, and in parallel where names are spread over data/00 … data/ff.
#pragma once

#include "s3/bucket.h"

namespace holdfast::blob {

/// Calls `each` from one thread at a time, with names as the store knows them.
Result<void> list_bucket(const Bucket& bucket, const std::string& prefix,
                         const std::function<void(const Info&)>& each);

}  // namespace holdfast::blob

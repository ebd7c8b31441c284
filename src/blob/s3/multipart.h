/// Multipart upload of large blobs.
#pragma once

#include "s3/bucket.h"

namespace holdfast::blob {

/// The answer to the request that completes the upload, or the Error of whatever failed; the parts
/// are then thrown away. `headers` go with the completing request.
Result<net::Response> put_in_parts(const Bucket& bucket, const std::string& key,
                                   std::string_view bytes, const net::Headers& headers,
                                   const std::vector<int>& also_good);

}  // namespace holdfast::blob

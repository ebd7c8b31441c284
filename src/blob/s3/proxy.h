/// Proxy settings of the environment, read as other tools for S3 read them.
#pragma once

#include <holdfast/blob/credentials.h>

#include <string>

namespace holdfast::blob {

/// From HTTPS_PROXY or HTTP_PROXY, by the endpoint's scheme, in capitals or not; "" if none is
/// named, if NO_PROXY exempts the host ("*", "host", ".domain", "domain" with all below it), or if
/// it is this machine.
std::string find_proxy(const std::string& endpoint, const Environment& environment);

}  // namespace holdfast::blob

/// Upgrade of a line from HTTP to another protocol: the request is written and its answer read by
/// us, since libcurl would take a 101 for the end of the story.
#pragma once

#include <holdfast/net/client.h>

#include "client/line.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::net {

Result<Connected> upgrade(std::shared_ptr<const ClientOptions> options, const Call& call,
                          const std::vector<std::string>& protocols);

}  // namespace holdfast::net

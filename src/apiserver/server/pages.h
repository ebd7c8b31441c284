/// Everything served that is not a resource: discovery, OpenAPI, health, version, metrics, keys.
#pragma once

#include "rest/api.h"
#include "server/metrics.h"

namespace holdfast::apiserver {

Answer<Reply> page(Api& api, Call& call, Metrics& metrics, const std::string& address);

/// What nobody serves: no Status but plain text, as the real server answers.
Reply page_not_found();

net::Response response(Reply reply, const std::vector<std::string>& warnings);
net::Response error_response(const Status& status, const std::vector<std::string>& warnings);

}  // namespace holdfast::apiserver

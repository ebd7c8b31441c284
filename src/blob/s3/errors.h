/// Meaning of an S3 service's error: which Fault, and what a person can do.
#pragma once

#include <holdfast/net/http.h>

#include "s3/answers.h"

namespace holdfast::blob {

/// `what` names verb, key and bucket.
Error refusal(const std::string& what, const net::Response& response, const ServiceError& said);

/// By the service's code first, then by the status.
Fault fault_of(std::string_view code, int status);

/// A new key may help.
bool is_about_credentials(std::string_view code);

}  // namespace holdfast::blob

/// Failure of a request: the Fault that decides about retrying, and a message that names the
/// request and keeps the server's own words.
#pragma once

#include <holdfast/kube/client.h>

namespace holdfast::kube {

/// 404 NotFound; 409 Conflict; 410 Conflict too, since what to do is the same: read again from the
/// newest state; 401 and 403 Denied; 408, 429 and every 5xx Unavailable; all other codes Invalid.
Fault fault_of_code(int code);

/// "PUT /api/v1/namespaces/shop/pods/web": a request in messages. The query stays out: it may hold
/// a continue token of kilobytes.
std::string text_of(const net::Call& call);
/// A request that may have changed something.
bool is_write(const net::Call& call);

/// From an answer with a code of 300 or more.
Failure failure_of(const net::Call& call, const net::Response& response, WallTime now);
/// No answer came, or none that can be read.
Failure no_answer(const net::Call& call, Error error);
/// The request was not sent: nothing happened.
Failure not_sent(Fault fault, std::string what);

/// Seconds, or a date of the HTTP form; 0 if there is none or it makes no sense.
std::chrono::seconds retry_after_of(const net::Response& response, WallTime now);

}  // namespace holdfast::kube

/// Errors of an API server: metav1.Status with the codes, reasons and sentences of the real server,
/// which clients compare.
#pragma once

#include <holdfast/model/field_error.h>
#include <holdfast/model/object.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {

struct StatusCause {
  std::string reason;
  std::string message;
  std::string field;
};

struct Status {
  int code = 500;
  std::string reason;  ///< NotFound, AlreadyExists, Conflict, Invalid, …; "" is left out
  std::string message;
  struct Details {
    std::string name, group, kind, uid;
    std::vector<StatusCause> causes;
    int retry_after_seconds = 0;
  };
  std::optional<Details> details;
  /// Of an expired list: goes on from the same key in the newest state.
  std::string continue_token = {};
};

/// An API operation's value, or the Status that the client gets.
template <class T>
using Answer = Result<T, Status>;

/// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",…}
Value to_value(const Status& status);

Status bad_request(std::string message);
Status unauthorized(std::string message = "Unauthorized");
Status not_found(const GroupResource& resource, std::string_view name);
/// The answer for a path that nobody serves.
Status page_not_found();
Status already_exists(const GroupResource& resource, std::string_view name);
/// `Operation cannot be fulfilled on R "N": CAUSE`
Status conflict(const GroupResource& resource, std::string_view name, std::string_view cause);
Status invalid(const GroupKind& kind, std::string_view name, const FieldErrors& errors);
/// `R "N" is forbidden: CAUSE`
Status forbidden(const GroupResource& resource, std::string_view name, std::string_view cause);
Status method_not_supported(const GroupResource& resource, std::string_view action);
Status resource_expired(std::string message);
Status too_large(std::string_view message);
Status unsupported_media_type(std::string message);
Status not_acceptable(std::string message);
Status internal_error(std::string_view cause);
Status timeout(std::string_view message, int retry_after_seconds);
Status too_many_requests(std::string message, int retry_after_seconds);
Status service_unavailable(std::string message);

}  // namespace holdfast::model

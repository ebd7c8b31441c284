#include "s3/errors.h"

#include <holdfast/blob/s3.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::blob {
namespace {

struct Meaning {
  std::string_view code;
  Fault fault;
  const char* hint;
};

constexpr const char* kRegion = "sign for the region that the bucket is in";
constexpr const char* kRoom = "make room there, or raise the quota";

constexpr std::array kMeanings = {
    Meaning{"AccessDenied", Fault::Denied,
            "give this access key the right to list, read, write and delete in the bucket"},
    Meaning{"InvalidAccessKeyId", Fault::Denied, "the service does not know this access key"},
    Meaning{"XAdminUserNotFound", Fault::Denied, "the service does not know this access key"},
    Meaning{"SignatureDoesNotMatch", Fault::Denied, "check the secret key and the region"},
    Meaning{"ExpiredToken", Fault::Denied, "renew the session token"},
    Meaning{"TokenRefreshRequired", Fault::Denied, "renew the session token"},
    Meaning{"InvalidToken", Fault::Denied, "renew the session token"},
    Meaning{"RequestTimeTooSkewed", Fault::Denied, "set the clock of this machine"},
    Meaning{"RequestExpired", Fault::Denied, "set the clock of this machine"},
    Meaning{"AuthorizationHeaderMalformed", Fault::Denied, kRegion},
    Meaning{"IllegalLocationConstraintException", Fault::Denied, kRegion},
    Meaning{"AllAccessDisabled", Fault::Denied, "the service has closed this account or bucket"},
    Meaning{"AccountProblem", Fault::Denied, "the service has closed this account or bucket"},
    Meaning{"PermanentRedirect", Fault::Invalid, kRegion},
    Meaning{"TemporaryRedirect", Fault::Invalid, kRegion},
    Meaning{"NoSuchBucket", Fault::NotFound, "make the bucket, or correct its name"},
    Meaning{"NoSuchKey", Fault::NotFound, ""},
    Meaning{"NoSuchUpload", Fault::Conflict, ""},
    Meaning{"InvalidRange", Fault::Corrupt, ""},
    Meaning{"PreconditionFailed", Fault::Conflict, ""},
    Meaning{"InvalidObjectState", Fault::Denied, "the object is archived: restore it first"},
    Meaning{"QuotaExceeded", Fault::Invalid, kRoom},
    Meaning{"InsufficientStorage", Fault::Invalid, kRoom},
    Meaning{"XMinioStorageFull", Fault::Invalid, kRoom},
    Meaning{"XMinioAdminBucketQuotaExceeded", Fault::Invalid, kRoom},
    Meaning{"EntityTooLarge", Fault::Invalid, ""},
    Meaning{"SlowDown", Fault::Unavailable, ""},
    Meaning{"ServiceUnavailable", Fault::Unavailable, ""},
    Meaning{"InternalError", Fault::Unavailable, ""},
    Meaning{"RequestTimeout", Fault::Unavailable, ""},
    Meaning{"OperationAborted", Fault::Unavailable, ""},
    Meaning{"ConditionalRequestConflict", Fault::Unavailable, ""},
    Meaning{"Throttling", Fault::Unavailable, ""},
    Meaning{"TooManyRequests", Fault::Unavailable, ""},
    Meaning{"BandwidthLimitExceeded", Fault::Unavailable, ""},
    // Damaged on its way: the bytes here are checked before anybody tries again.
    Meaning{"BadDigest", Fault::Unavailable, ""},
    Meaning{"XAmzContentSHA256Mismatch", Fault::Unavailable, ""},
    Meaning{"IncompleteBody", Fault::Unavailable, ""},
};

const Meaning* meaning_of(std::string_view code) {
  const auto* const found = std::find_if(kMeanings.begin(), kMeanings.end(),
                                         [code](const Meaning& m) { return m.code == code; });
  return found == kMeanings.end() ? nullptr : found;
}

std::string hint_for(const net::Response& response, const ServiceError& said) {
  const Meaning* const meaning = meaning_of(said.code);
  std::string hint = meaning != nullptr ? meaning->hint : "";
  if (meaning == nullptr && (response.status == 401 || response.status == 403))
    hint = "check the access key, the secret key and the bucket's policy";
  std::string_view region = said.region;
  if (region.empty()) region = response.headers.get("x-amz-bucket-region");
  if (!region.empty() && !hint.empty()) hint += fmt::format(" (the service says: {})", region);
  if (said.code == "RequestTimeTooSkewed")
    hint += fmt::format(" (the service's says {})", response.headers.get("Date"));
  return hint;
}

}  // namespace

std::string hint_of(std::string_view code) {
  const Meaning* const meaning = meaning_of(code);
  return meaning == nullptr ? "" : meaning->hint;
}

Fault fault_of(std::string_view code, int status) {
  if (const Meaning* const meaning = meaning_of(code)) return meaning->fault;
  switch (status) {
    case 401:
    case 403:
      return Fault::Denied;
    case 404:
      // Absence is said in few words; a code that nobody knows may mean anything else.
      return code.empty() || code == "NotFound" ? Fault::NotFound : Fault::Invalid;
    case 412:
      return Fault::Conflict;
    case 416:
      return Fault::Corrupt;
    case 501:
    case 505:
    case 507:
      return Fault::Invalid;
    default:
      return status >= 500 || status == 408 || status == 409 || status == 429 ? Fault::Unavailable
                                                                              : Fault::Invalid;
  }
}

bool is_about_credentials(std::string_view code) {
  return code == "InvalidAccessKeyId" || code == "SignatureDoesNotMatch" ||
         code == "ExpiredToken" || code == "TokenRefreshRequired" || code == "InvalidToken" ||
         code == "AccessDenied";
}

Error refusal(const std::string& what, const net::Response& response, const ServiceError& said) {
  std::string text = fmt::format("{}: {}", what, response.status);
  if (!said.code.empty()) text += " " + said.code;
  if (!said.message.empty()) text += ": " + said.message;
  if (!said.request_id.empty()) text += fmt::format(" (request {})", said.request_id);
  Error error(fault_of(said.code, response.status), std::move(text));
  const std::string hint = hint_for(response, said);
  if (hint.empty()) return error;
  return std::move(error).with_hint(hint);
}

}  // namespace holdfast::blob

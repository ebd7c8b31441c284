/// XML bodies: answers of S3 services, parsed, and the body of a batch deletion.
#pragma once

#include <holdfast/blob/store.h>

namespace holdfast::blob {

struct ListPage {
  std::vector<Info> entries{};
  std::string next{};  ///< the token of the next page; "" = this was the last
};
Result<ListPage> read_list(std::string_view xml);

struct ServiceError {
  std::string code{}, message{};
  std::string key{};         ///< of DeleteObjects: which one
  std::string request_id{};  ///< what the service's operators ask for
  std::string region{};      ///< the one it should have been signed for, if it says
};
/// None if the text is anything else than an Error document.
std::optional<ServiceError> read_error(std::string_view xml);

/// Those that stayed.
Result<std::vector<ServiceError>> read_delete_result(std::string_view xml);
std::string delete_request(std::span<const std::string> keys);

/// The upload's id.
Result<std::string> read_upload(std::string_view xml);
std::string complete_request(std::span<const std::string> etags);

}  // namespace holdfast::blob

#include "server/accept.h"

#include <holdfast/base/text.h>

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::apiserver {
namespace {

constexpr std::string_view kLists[] = {
    "application/json", "application/yaml", "application/vnd.kubernetes.protobuf",
    "application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"};

}  // namespace

Answer<void> check_accept(const net::Request& request, std::span<const std::string_view> produced) {
  const std::string_view accept = request.headers.get("Accept");
  if (accept.empty()) return {};
  for (const std::string_view clause : split(accept, ',')) {
    const std::string_view type = trim(clause.substr(0, clause.find(';')));
    if (type == "*/*" || std::find(produced.begin(), produced.end(), type) != produced.end())
      return {};
  }
  Status status = model::not_acceptable(fmt::format(
      "406: Not Acceptable\n\nAvailable representations: {}", fmt::join(produced, ", ")));
  status.details = Status::Details{};
  return status;
}

Answer<void> check_accept(const Call& call) {
  if (call.resource->is_custom()) return {};
  const bool lists = call.info.verb == "list" || call.info.verb == "watch";
  if (lists) return check_accept(call.http, kLists);
  return check_accept(call.http, kObjects);
}

}  // namespace holdfast::apiserver

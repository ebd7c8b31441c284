/// Messages of a server to a reflector: pages of a list, lines of a watch, refusals.
#pragma once

#include <holdfast/kube/cached.h>
#include <holdfast/net/http.h>

#include "cache/object_reader.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::kube {

/// {"kind":"PodList","metadata":{"resourceVersion":"7","continue":"…"},"items":[{…},…]}
struct ListPage {
  uint64_t version = 0;
  std::string next{};  ///< the token of the page behind this one; "" = this is the last
  std::vector<Cached> items{};
};
Result<ListPage> read_list(std::string_view body, const ObjectReader& reader);

/// A Status, or as much of one as an answer without it tells.
struct Refusal {
  int code = 0;
  std::string reason{}, message{};
  bool version_too_large = false;  ///< the server has not seen the version that was asked for yet
  bool expired() const { return code == 410 || reason == "Expired" || reason == "Gone"; }
};
Refusal read_refusal(int code, std::string_view body);
/// What its Retry-After asks for, five minutes at most.
std::chrono::seconds retry_after(const net::Response& answer);

/// {"type":"MODIFIED","object":{…}}
struct WatchLine {
  enum class Type { Added, Modified, Deleted, Bookmark, Error } type = Type::Bookmark;
  Cached object{};                  ///< of the first three
  uint64_t version = 0;             ///< of the object or the bookmark
  bool initial_events_end = false;  ///< a bookmark that completes a streamed list
  Refusal refusal{};                ///< of an Error
};
Result<WatchLine> read_line(std::string_view line, const ObjectReader& reader);

}  // namespace holdfast::kube

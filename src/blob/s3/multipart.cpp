//   POST key?uploads → UploadId;  PUT key?partNumber=N&uploadId=… → ETag, for each part;
//   POST key?uploadId=… with all ETags: only now is there a blob.  DELETE key?uploadId=… gives up.
#include "s3/multipart.h"

#include "s3/errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::blob {
namespace {

constexpr uint64_t kMostParts = 10000;

Result<std::string> put_part(const Bucket& bucket, const std::string& key, const std::string& id,
                             size_t number, std::string_view bytes) {
  const Ask ask{.method = "PUT",
                .key = key,
                .query = {{"partNumber", std::to_string(number)}, {"uploadId", id}},
                .payload = bytes};
  const net::Response response = HF_TRY(bucket.ask(ask));
  std::string etag(response.headers.get("ETag"));
  if (etag.empty())
    return Error(Fault::Corrupt,
                 fmt::format("{}: part {} has no ETag", bucket.naming(ask), number));
  return etag;
}

Result<net::Response> put_parts(const Bucket& bucket, const std::string& key, const std::string& id,
                                std::string_view bytes, Ask complete) {
  const uint64_t size =
      std::max(bucket.settings().part_size, (bytes.size() + kMostParts - 1) / kMostParts);
  std::vector<std::string> etags;
  for (size_t at = 0; at < bytes.size(); at += size) {
    etags.push_back(HF_TRY(put_part(bucket, key, id, etags.size() + 1, bytes.substr(at, size))));
  }
  const std::string body = complete_request(etags);
  complete.payload = body;
  complete.query = {{"uploadId", id}};
  net::Response response = HF_TRY(bucket.ask(complete));
  // It answers 200 before it is done, to keep the line open, and may find a failure then.
  if (const auto said = read_error(response.body); said && response.status == 200) {
    response.status = 500;
    return refusal(bucket.naming(complete), response, *said);
  }
  return response;
}

}  // namespace

Result<net::Response> put_in_parts(const Bucket& bucket, const std::string& key,
                                   std::string_view bytes, const net::Headers& headers,
                                   const std::vector<int>& also_good) {
  const Ask begin{.method = "POST", .key = key, .query = {{"uploads", ""}}, .verb = "PUT"};
  const net::Response begun = HF_TRY(bucket.ask(begin));
  Result<std::string> id = read_upload(begun.body);
  if (!id) return id.take_error().with_context(bucket.naming(begin));
  Result<net::Response> done = put_parts(
      bucket, key, *id, bytes,
      {.method = "POST", .key = key, .headers = headers, .also_good = also_good, .verb = "PUT"});
  if (!done || done->status / 100 != 2)
    (void)bucket.ask({.method = "DELETE", .key = key, .query = {{"uploadId", *id}}});
  return done;
}

}  // namespace holdfast::blob

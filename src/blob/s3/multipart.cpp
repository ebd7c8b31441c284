//   POST key?uploads → UploadId;  PUT key?partNumber=N&uploadId=… → ETag, for each part;
//   POST key?uploadId=… with all ETags: only now is there a blob.  DELETE key?uploadId=… gives up.
#include "s3/multipart.h"

#include "s3/errors.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::blob {
namespace {

constexpr uint64_t kMostParts = 10000;
constexpr int kMostUploads = 3;

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

/// Whether the blob is there with these bytes; read part by part, to hold only one.
Result<bool> is_there(const Bucket& bucket, const std::string& key, std::string_view bytes) {
  const uint64_t size = bucket.settings().part_size;
  for (size_t at = 0; at < bytes.size(); at += size) {
    const std::string_view part = bytes.substr(at, size);
    Ask ask{.key = key,
            .longest_answer = std::max(part.size(), size_t{1} << 20),
            .also_good = {404, 416}};
    ask.headers.set("Range", fmt::format("bytes={}-{}", at, at + part.size() - 1));
    const net::Response response = HF_TRY(bucket.ask(ask));
    const std::string_view range = response.headers.get("Content-Range");
    if (response.body != part || !range.ends_with(fmt::format("/{}", bytes.size()))) return false;
  }
  return true;
}

/// An upload that is no longer there when it is to be completed may have been completed by a try
/// whose answer was lost.
Result<net::Response> complete_upload(const Bucket& bucket, Ask complete, std::string_view bytes) {
  complete.also_good.push_back(404);
  net::Response response = HF_TRY(bucket.ask(complete));
  const auto said = read_error(response.body);
  if (response.status == 404) {
    const bool ours = said && said->code == "NoSuchUpload";
    Result<bool> there = ours ? is_there(bucket, complete.key, bytes) : Result<bool>(false);
    if (!there) return there.take_error();
    if (*there) return net::Response{};
    return refusal(bucket.naming(complete), response, said.value_or(ServiceError{}));
  }
  // It answers 200 before it is done, to keep the line open, and may find a failure then.
  if (said && response.status == 200) {
    response.status = 500;
    return refusal(bucket.naming(complete), response, *said);
  }
  return response;
}

Result<net::Response> put_parts(const Bucket& bucket, const std::string& key, const std::string& id,
                                std::string_view bytes, Ask complete) {
  const uint64_t size =
      std::max(bucket.settings().part_size, (bytes.size() + kMostParts - 1) / kMostParts);
  std::vector<std::string> etags;
  for (size_t at = 0; at < bytes.size(); at += size) {
    std::string etag = HF_TRY(put_part(bucket, key, id, etags.size() + 1, bytes.substr(at, size)));
    etags.push_back(std::move(etag));
  }
  const std::string body = complete_request(etags);
  complete.payload = body;
  complete.query = {{"uploadId", id}};
  return complete_upload(bucket, std::move(complete), bytes);
}

Result<net::Response> upload(const Bucket& bucket, const std::string& key, std::string_view bytes,
                             const net::Headers& headers, const std::vector<int>& also_good) {
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

}  // namespace

/// An upload that somebody else ended (a rule of the bucket, a proxy) is begun anew.
Result<net::Response> put_in_parts(const Bucket& bucket, const std::string& key,
                                   std::string_view bytes, const net::Headers& headers,
                                   const std::vector<int>& also_good) {
  for (int uploads = 1;; ++uploads) {
    Result<net::Response> done = upload(bucket, key, bytes, headers, also_good);
    if (done || done.error().fault() != Fault::Conflict || uploads == kMostUploads) return done;
  }
}

}  // namespace holdfast::blob

#include "s3/answers.h"

#include <holdfast/net/http.h>

#include "s3/xml.h"

#include <fmt/format.h>

#include <charconv>

namespace holdfast::blob {
namespace {

Error unexpected(std::string_view wanted) {
  return {Fault::Corrupt, fmt::format("the answer is no {}", wanted)};
}

bool read_number(std::string_view text, uint64_t& out) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  return !text.empty() && read.ec == std::errc() && read.ptr == text.data() + text.size();
}

/// Fields of an Error, also of one among many.
void take_field(ServiceError& error, std::string_view name, const std::string& text) {
  if (name == "Code") error.code = text;
  if (name == "Message") error.message = text;
  if (name == "Key") error.key = text;
  if (name == "RequestId") error.request_id = text;
  if (name == "Region") error.region = text;
}

/// Filled while a list is read.
struct ListReader {
  ListPage page{};
  Info entry{};
  bool encoded = false, truncated = false, sizes_good = true, is_list = false;

  void field(XmlPath path, const std::string& text) {
    const std::string_view name = path.back();
    if (path.size() == 1) is_list = name == "ListBucketResult";
    if (path.size() == 2 && name == "IsTruncated") truncated = text == "true";
    if (path.size() == 2 && name == "NextContinuationToken") page.next = text;
    if (path.size() == 2 && name == "EncodingType") encoded = text == "url";
    if (path.size() == 2 && name == "Contents") page.entries.push_back(std::exchange(entry, {}));
    if (path.size() != 3 || path[1] != "Contents") return;
    if (name == "Key") entry.name = text;
    if (name == "Size") sizes_good = sizes_good && read_number(text, entry.size);
  }
};

}  // namespace

Result<ListPage> read_list(std::string_view xml) {
  ListReader reader;
  HF_TRY(read_xml(xml,
                  [&reader](XmlPath path, const std::string& text) { reader.field(path, text); }));
  if (!reader.is_list) return unexpected("ListBucketResult");
  if (!reader.sizes_good) return Error(Fault::Corrupt, "a listed size is no number");
  if (!reader.truncated) reader.page.next.clear();
  if (reader.truncated && reader.page.next.empty())
    return Error(Fault::Corrupt, "the list goes on, but says not where");
  for (Info& entry : reader.page.entries) {
    if (reader.encoded) entry.name = net::percent_decode(entry.name, true);
    if (entry.name.empty()) return Error(Fault::Corrupt, "a listed key has no name");
  }
  return std::move(reader.page);
}

std::optional<ServiceError> read_error(std::string_view xml) {
  ServiceError error;
  bool is_error = false;
  const Result<void> read = read_xml(xml, [&](XmlPath path, const std::string& text) {
    // Some wrap it: <ErrorResponse><Error>….
    if (path.size() >= 2 && path[path.size() - 2] == "Error") take_field(error, path.back(), text);
    is_error = is_error || path.back() == "Error";
  });
  if (!read || !is_error) return {};
  return error;
}

Result<std::vector<ServiceError>> read_delete_result(std::string_view xml) {
  std::vector<ServiceError> out;
  ServiceError error;
  bool is_result = false;
  HF_TRY(read_xml(xml, [&](XmlPath path, const std::string& text) {
    if (path.size() == 1) is_result = path[0] == "DeleteResult";
    if (path.size() == 3 && path[1] == "Error") take_field(error, path[2], text);
    if (path.size() == 2 && path[1] == "Error") out.push_back(std::exchange(error, {}));
  }));
  if (!is_result) return unexpected("DeleteResult");
  return out;
}

std::string delete_request(std::span<const std::string> keys) {
  std::string out =
      R"(<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>)";
  for (const std::string& key : keys) out += "<Object><Key>" + xml_escape(key) + "</Key></Object>";
  return out + "</Delete>";
}

Result<std::string> read_upload(std::string_view xml) {
  std::string id;
  HF_TRY(read_xml(xml, [&id](XmlPath path, const std::string& text) {
    if (path.size() == 2 && path[0] == "InitiateMultipartUploadResult" && path[1] == "UploadId")
      id = text;
  }));
  if (id.empty()) return unexpected("InitiateMultipartUploadResult");
  return id;
}

std::string complete_request(std::span<const std::string> etags) {
  std::string out = R"(<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">)";
  for (size_t i = 0; i < etags.size(); ++i) {
    out += fmt::format("<Part><PartNumber>{}</PartNumber><ETag>{}</ETag></Part>", i + 1,
                       xml_escape(etags[i]));
  }
  return out + "</CompleteMultipartUpload>";
}

}  // namespace holdfast::blob

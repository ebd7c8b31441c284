/// Text of a Response, as it is sent.
///
///   HTTP/1.1 200 OK ⏎ Date: … ⏎ the service's fields ⏎ framing fields ⏎ ⏎ body
///   a stream's chunk: eight hex digits ⏎ bytes ⏎; its end: 0 ⏎ ⏎
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/net/http.h>

#include <string>
#include <string_view>

namespace holdfast::net {

/// What a request asks of the form of its answer.
struct AnswerForm {
  bool head = false;  ///< HEAD: fields only
  bool gzip = false;  ///< the client takes gzip
  bool keep_alive = true;
  bool chunked = true;  ///< HTTP/1.1; an older client reads a stream until the connection closes
};

AnswerForm answer_form(const Request& request, bool keep_alive, bool chunked);

/// Replaces a large body by its gzip form if the client takes that, and says so in the headers.
/// Kubernetes' threshold and level: below 128 KiB the time costs more than the bytes, and level 1
/// is the cheapest.
void compress_large(Response& response, const AnswerForm& form);

/// The head, up to and with the empty line.
std::string response_head(const Response& response, const AnswerForm& form, WallTime now);
/// True if this status and method have a body on the wire at all.
bool has_body(const Response& response, const AnswerForm& form);

inline constexpr std::string_view kLastChunk = "0\r\n\r\n";
/// Appends room for a chunk's size line and says where it is; the chunk's bytes are appended after
/// it.
size_t open_chunk(std::string& out);
/// Fills in the size line, or takes it away if nothing was appended.
void close_chunk(std::string& out, size_t at);

}  // namespace holdfast::net

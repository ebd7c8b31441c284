/// HTTP request parser: bytes of a connection to Requests. Pure: no socket, no clock; the server
/// feeds it, and so does the fuzzer.
#pragma once

#include <holdfast/net/http.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace holdfast::net {

/// Holds one request under way and the bytes that came after it. What a hostile peer can make it
/// hold is bounded: a header block of kMaxHead, a body of `max_body`, and the last `feed`.
class RequestParser {
 public:
  static constexpr size_t kMaxHead = size_t(64) << 10;

  enum class State { More, Done, Failed };

  explicit RequestParser(size_t max_body);
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  /// Goes on with bytes kept from before, then `bytes`. Stops at the end of the request: what
  /// follows is kept until after take(). Fed past Done, it only keeps; past Failed, it ignores.
  State feed(std::string_view bytes);
  /// A byte of a request has come that is not yet taken.
  bool started() const;
  /// Bytes kept for later requests, or of a line not yet complete.
  size_t kept() const { return kept_.size(); }
  /// True once per request: its head is there, its body is not, and the client waits to be told to
  /// send it.
  bool wants_continue();

  /// After Failed: 400, 413 (body), 431 (head) or 501 (a coding that is not known), and why.
  int status() const { return status_; }
  const std::string& reason() const { return reason_; }

  /// What the framing of the answer depends on. Valid after Done, until the next feed.
  struct Framing {
    bool keep_alive = true;
    bool chunked = true;  ///< the client is new enough for a chunked answer
  };
  Framing framing() const { return framing_; }
  /// After Done. Path and query are split.
  Request take();
  /// For who leaves HTTP after a request: what came behind it.
  std::string take_kept() { return std::exchange(kept_, {}); }

 private:
  class Grammar;
  State fail(int status, std::string_view reason);
  /// `seen`: so many of the bytes have been looked at before.
  State parse(std::string_view& bytes, size_t seen);
  State check_coding();
  State finish();

  size_t max_body_;
  std::string kept_;
  std::unique_ptr<Grammar> grammar_;
  bool done_ = false;
  int status_ = 0;
  std::string reason_;
  Framing framing_;
};

}  // namespace holdfast::net

/// Parser of the answer to a request that asks to leave HTTP. Passive; libcurl reads all other
/// answers.
#pragma once

#include <holdfast/net/http.h>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::net {

/// Holds a head of at most 64 KiB and a body of at most `max_body`.
class ResponseParser {
 public:
  enum class State { More, Done, Failed };

  explicit ResponseParser(size_t max_body);
  ~ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;

  /// Interim answers (100) are passed over. After a 101 what follows is not HTTP: see take_rest().
  State feed(std::string_view bytes);
  /// The connection has ended; that may be the end of a body.
  State end();
  bool too_long() const { return too_long_; }
  const std::string& reason() const { return reason_; }  ///< after Failed
  Response take();
  std::string take_rest();

 private:
  class Grammar;
  State parse();

  const size_t max_body_;
  std::string kept_;
  std::unique_ptr<Grammar> grammar_;
  bool too_long_ = false;
  std::string reason_;
};

}  // namespace holdfast::net

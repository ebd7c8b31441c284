/// Line: one libcurl transfer at a time, driven by the calling thread, with the connection it
/// leaves open for the next.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/result.h>
#include <holdfast/net/client.h>

#include "server/wire.h"

#include <curl/curl.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace holdfast::net {

/// Owned by one thread at a time. An easy handle and a multi handle of its own: the multi handle
/// keeps the connection, waits exactly as long as it should, and can be woken from another thread.
class Line {
 public:
  explicit Line(const ClientOptions& options);

  using OnData = std::function<bool(std::string_view)>;
  /// With `on_data`, the body of a 2xx answer goes there and `call.timeout` ends with the headers.
  Result<Response> perform(const Call& call, const OnData* on_data);

  /// A connection and nothing more: no request is made on it. From here on the line is a Duplex.
  Result<void> open(const Call& call);
  Moved read(char* into, size_t size);
  Moved write(std::string_view bytes);
  int descriptor() const { return descriptor_; }
  /// Why the last read or write said Closed.
  Error lost() const;
  /// Of the base URL: what a request on an open line has to say.
  std::string host() const;
  std::string path() const;

 private:
  template <auto Free>
  struct Deleter {
    template <class T>
    void operator()(T* object) const {
      Free(object);
    }
  };
  using List = std::unique_ptr<curl_slist, Deleter<curl_slist_free_all>>;

  /// What the callbacks fill while a call is under way.
  struct Exchange {
    const Call* call = nullptr;
    const OnData* on_data = nullptr;
    Response response{};
    size_t uploaded = 0;
    bool headers_done = false;
    bool refused = false;              ///< on_data wants no more
    bool too_long = false;             ///< the body is over the call's bound
    std::optional<MonoTime> resume{};  ///< paused until then
    /// True if bytes must wait.
    bool must_wait(size_t bytes, bool up);
  };

  static int on_socket(void* options, curl_socket_t socket, curlsocktype purpose);
  static size_t on_header(char* data, size_t size, size_t count, void* exchange);
  static size_t on_body(char* data, size_t size, size_t count, void* exchange);
  static size_t on_upload(char* data, size_t size, size_t count, void* exchange);

  static size_t expected_length(const Exchange& seen);

  void set_connection_options();
  void set_tls_options();
  Result<void> set_request(const Call& call, Exchange& exchange);
  void set_body(const Call& call, Exchange& exchange);
  Result<void> set_headers(const Call& call);
  Result<void> run(const Call& call, Exchange& exchange);
  /// Ends a pause that is over. How long the line may wait for events at most.
  MonoTime after_pause(Exchange& exchange, MonoTime wait);
  Error failure(CURLcode code) const;

  const ClientOptions& options_;
  const SystemClock clock_;
  // The order of destruction matters: the multi handle, which owns the connection, goes after the
  // easy one.
  std::unique_ptr<CURLM, Deleter<curl_multi_cleanup>> multi_;
  std::unique_ptr<CURL, Deleter<curl_easy_cleanup>> easy_;
  List headers_;
  List connect_to_;
  std::string url_;
  std::string host_field_;  ///< "Host: …" when the URL names the certificate instead of the host
  char error_text_[CURL_ERROR_SIZE] = {};
  int descriptor_ = -1;
  CURLcode last_ = CURLE_OK;
};

}  // namespace holdfast::net

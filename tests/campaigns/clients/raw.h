/// A connection that does what no decent client does: stays silent, stops in the middle, sends
/// garbage, never reads.
#pragma once

#include <holdfast/net/client.h>

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::campaign {

/// Client side TLS with or without the admin's certificate. The server's own is not checked: these
/// clients do not care whom they annoy.
class TlsTerms {
 public:
  explicit TlsTerms(const net::ClientOptions& admin, bool with_certificate);
  SSL_CTX* get() const { return terms_.get(); }

 private:
  std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> terms_;
};

class Raw {
 public:
  /// Connected, or not (see connected()); `receive_buffer` 0 is the kernel's choice.
  explicit Raw(uint16_t port, int receive_buffer = 0);
  ~Raw();
  Raw(Raw&& other) noexcept;
  Raw& operator=(Raw&&) = delete;

  bool connected() const { return fd_ >= 0; }
  bool shake_hands(const TlsTerms& terms);
  /// False if the other side has gone or does not read.
  bool send(std::string_view bytes);
  /// What comes until the other side closes, nothing comes for `limit`, or `most` bytes are there.
  std::string read(std::chrono::milliseconds limit, size_t most = size_t(1) << 20);
  /// Reads what is left; true if the other side has closed behind it.
  bool ends_within(std::chrono::milliseconds limit);
  /// Looks without reading: has the other side closed, with nothing left to read before?
  bool closed() const;

 private:
  int fd_;
  SSL* ssl_ = nullptr;
};

}  // namespace holdfast::campaign

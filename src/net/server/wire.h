/// A non-blocking socket with or without TLS: each call does what it can now and says what to wait
/// for. Waiting for readiness instead of handing buffers to the kernel is what lets an idle
/// connection own no buffer at all.
#pragma once

#include "tls/openssl.h"

#include <cstddef>
#include <string_view>

namespace holdfast::net {

enum class Step { Done, WantRead, WantWrite, Closed };

struct Moved {
  Step step = Step::Done;
  size_t bytes = 0;
};

/// Borrows the descriptor.
class Wire {
 public:
  /// Plain TCP when `tls` is null.
  Wire(int fd, SSL_CTX* tls);

  bool secure() const { return ssl_ != nullptr; }
  const SSL* ssl() const { return ssl_.get(); }
  Step handshake();
  /// Done with at least one byte, else nothing was read. Closed: the peer's end, orderly or not.
  Moved read(char* into, size_t size);
  /// Done with at least one byte, perhaps not all. After a Want… the same bytes must be offered
  /// again.
  Moved write(std::string_view bytes);
  /// Bytes as they come off the socket, to be thrown away.
  Moved read_raw(char* into, size_t size);
  /// Tells the peer that nothing more comes; it may still send.
  void finish();
  /// Frees the TLS state; the wire is of no use after.
  void drop() { ssl_.reset(); }

 private:
  Moved write_raw(std::string_view bytes);
  Step want(int result);

  int fd_;
  Openssl<SSL, SSL_free> ssl_;
  bool broken_ = false;
};

}  // namespace holdfast::net

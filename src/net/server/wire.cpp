#include "server/wire.h"

#include <openssl/sslerr.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace holdfast::net {
namespace {

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

int fd_of(BIO* bio) { return int(reinterpret_cast<intptr_t>(BIO_get_data(bio))); }

int bio_write(BIO* bio, const char* data, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t sent = send(fd_of(bio), data, size_t(size), MSG_NOSIGNAL);
  if (sent < 0 && would_block(errno)) BIO_set_retry_write(bio);
  return int(sent);
}

int bio_read(BIO* bio, char* data, int size) {
  BIO_clear_retry_flags(bio);
  const ssize_t got = recv(fd_of(bio), data, size_t(size), 0);
  if (got < 0 && would_block(errno)) BIO_set_retry_read(bio);
  return int(got);
}

long bio_control(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

/// OpenSSL's own socket BIO writes without MSG_NOSIGNAL: a peer that hangs up would kill the
/// process.
BIO* socket_bio(int fd) {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "holdfast socket");
    BIO_meth_set_write(made, bio_write);
    BIO_meth_set_read(made, bio_read);
    BIO_meth_set_ctrl(made, bio_control);
    return made;
  }();
  BIO* bio = BIO_new(method);
  if (bio == nullptr) return nullptr;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the only field a BIO has for its owner is a pointer
  BIO_set_data(bio, reinterpret_cast<void*>(intptr_t(fd)));
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace

Wire::Wire(int fd, SSL_CTX* tls) : fd_(fd) {
  if (tls == nullptr) return;
  ssl_.reset(SSL_new(tls));
  BIO* bio = ssl_ ? socket_bio(fd) : nullptr;
  HF_CHECK(bio != nullptr);  // only memory can be missing
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
}

Step Wire::want(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Step::WantRead;
    case SSL_ERROR_WANT_WRITE:
      return Step::WantWrite;
    default:
      broken_ = true;
      ERR_clear_error();
      return Step::Closed;
  }
}

Step Wire::handshake() {
  if (!ssl_) return Step::Done;
  ERR_clear_error();
  const int result = SSL_accept(ssl_.get());
  if (result == 1) return Step::Done;
  if (ERR_GET_REASON(ERR_peek_error()) == SSL_R_HTTP_REQUEST)
    write_raw(
        "HTTP/1.0 400 Bad Request\r\n\r\n"
        "Client sent an HTTP request to an HTTPS server.\n");
  return want(result);
}

Moved Wire::read_raw(char* into, size_t size) {
  const ssize_t got = recv(fd_, into, size, 0);
  if (got > 0) return {Step::Done, size_t(got)};
  return {got < 0 && would_block(errno) ? Step::WantRead : Step::Closed, 0};
}

Moved Wire::write_raw(std::string_view bytes) {
  const ssize_t sent = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return {Step::Done, size_t(sent)};
  return {would_block(errno) ? Step::WantWrite : Step::Closed, 0};
}

Moved Wire::read(char* into, size_t size) {
  if (!ssl_) return read_raw(into, size);
  ERR_clear_error();
  const int got = SSL_read(ssl_.get(), into, int(std::min<size_t>(size, INT_MAX)));
  if (got > 0) return {Step::Done, size_t(got)};
  return {want(got), 0};
}

Moved Wire::write(std::string_view bytes) {
  if (!ssl_) return write_raw(bytes);
  ERR_clear_error();
  const int sent =
      SSL_write(ssl_.get(), bytes.data(), int(std::min<size_t>(bytes.size(), INT_MAX)));
  if (sent > 0) return {Step::Done, size_t(sent)};
  return {want(sent), 0};
}

void Wire::finish() {
  if (ssl_ && !broken_ && SSL_is_init_finished(ssl_.get()) == 1) {
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
    ERR_clear_error();
  }
  shutdown(fd_, SHUT_WR);
}

}  // namespace holdfast::net

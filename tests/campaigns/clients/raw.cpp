#include "clients/raw.h"

#include <netinet/in.h>
#include <openssl/pem.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace holdfast::campaign {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kSendLimit{20};

void set_limit(int fd, int option, milliseconds limit) {
  const timeval time{limit.count() / 1000, (limit.count() % 1000) * 1000};
  setsockopt(fd, SOL_SOCKET, option, &time, sizeof time);
}

int connect_to(uint16_t port, int receive_buffer) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  if (receive_buffer > 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  set_limit(fd, SO_SNDTIMEO, kSendLimit);
  set_limit(fd, SO_RCVTIMEO, kSendLimit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return fd;
  close(fd);
  return -1;
}

}  // namespace

TlsTerms::TlsTerms(const net::ClientOptions& admin, bool with_certificate)
    : terms_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
  SSL_CTX_set_mode(get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE);
  if (!with_certificate) return;
  BIO* certificate = BIO_new_mem_buf(admin.certificate.data(), int(admin.certificate.size()));
  BIO* key = BIO_new_mem_buf(admin.key.data(), int(admin.key.size()));
  X509* parsed = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
  EVP_PKEY* parsed_key = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
  HF_CHECK(parsed != nullptr && parsed_key != nullptr);
  SSL_CTX_use_certificate(get(), parsed);
  SSL_CTX_use_PrivateKey(get(), parsed_key);
  X509_free(parsed);
  EVP_PKEY_free(parsed_key);
  BIO_free(certificate);
  BIO_free(key);
}

Raw::Raw(uint16_t port, int receive_buffer) : fd_(connect_to(port, receive_buffer)) {}

Raw::Raw(Raw&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), ssl_(std::exchange(other.ssl_, nullptr)) {}

Raw::~Raw() {
  SSL_free(ssl_);
  if (fd_ >= 0) close(fd_);
}

bool Raw::shake_hands(const TlsTerms& terms) {
  if (!connected()) return false;
  ssl_ = SSL_new(terms.get());
  SSL_set_fd(ssl_, fd_);
  return SSL_connect(ssl_) == 1;
}

bool Raw::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ssl_ != nullptr ? ssize_t(SSL_write(ssl_, bytes.data(), int(bytes.size())))
                                      : ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(size_t(sent));
  }
  return true;
}

std::string Raw::read(milliseconds limit, size_t most) {
  set_limit(fd_, SO_RCVTIMEO, limit);
  std::string out;
  char bytes[16384];
  while (out.size() < most) {
    const auto got = ssl_ != nullptr ? ssize_t(SSL_read(ssl_, bytes, sizeof bytes))
                                     : recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0) break;
    out.append(bytes, size_t(got));
  }
  return out;
}

bool Raw::ends_within(milliseconds limit) {
  set_limit(fd_, SO_RCVTIMEO, limit);
  char bytes[16384];
  ssize_t got = 0;
  while ((got = recv(fd_, bytes, sizeof bytes, 0)) > 0) {
  }
  return got == 0 || errno == ECONNRESET;
}

bool Raw::closed() const {
  pollfd state{fd_, POLLRDHUP, 0};
  return poll(&state, 1, 0) > 0 && (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

}  // namespace holdfast::campaign

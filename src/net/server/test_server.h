/// For tests: a service made of a lambda, TLS material, and a client that sends what it likes.
#pragma once

#include <holdfast/base/clock.h>
#include <holdfast/base/mutex.h>
#include <holdfast/base/random.h>
#include <holdfast/net/client.h>
#include <holdfast/net/pki.h>
#include <holdfast/net/server.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace holdfast::net {

struct LambdaService final : Service {
  std::function<void(Request, Respond)> answer;
  void serve(Request request, Respond respond) override {
    answer(std::move(request), std::move(respond));
  }
};

/// A CA, a server certificate for 127.0.0.1 and a client certificate of it.
struct TestPki {
  SystemClock clock;
  SystemRandom random;
  KeyPair ca_key = make_key().take(), server_key = make_key().take(),
          client_key = make_key().take();
  std::string ca =
      make_certificate({.common_name = "ca", .ca = true}, ca_key.private_pem, "", "", clock, random)
          .take();
  std::string server =
      issue({.common_name = "server", .ip_addresses = {"127.0.0.1"}, .server = true}, server_key);
  std::string client =
      issue({.common_name = "admin", .organizations = {"system:masters", "ops"}, .client = true},
            client_key);

  std::string issue(const CertificateRequest& request, const KeyPair& key) {
    return make_certificate(request, key.private_pem, ca, ca_key.private_pem, clock, random).take();
  }
};

/// Waits for something another thread will make true; false after ten seconds.
class Signal {
 public:
  void set() {
    const Lock lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool wait() {
    const SystemClock clock;
    const MonoTime end = clock.mono() + std::chrono::seconds(10);
    const Lock lock(mutex_);
    while (!set_ && clock.mono() < end) changed_.wait_for(mutex_, std::chrono::milliseconds(100));
    return set_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  bool set_ HF_GUARDED_BY(mutex_) = false;
};

/// For what a server does on its own time and tells nobody: asks again and again, for a
/// minute: on a busy machine threads wait long for their turn, and only a hang should be red.
template <class Condition>
bool eventually(const Condition& condition) {
  Mutex mutex;
  CondVar never;
  const Lock lock(mutex);
  for (int i = 0; i < 6000 && !condition(); ++i)
    never.wait_for(mutex, std::chrono::milliseconds(10));
  return condition();
}

/// A blocking socket; reads give up after a minute.
class RawClient {
 public:
  explicit RawClient(uint16_t port, int receive_buffer = 0) : fd_(socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval limit{60, 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (receive_buffer > 0)
      setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { ::close(fd_); }

  bool connected() const { return connected_; }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(size_t(sent));
    }
    return true;
  }
  /// Until `mark` has come, or the end. What came after it stays for the next call.
  std::string read_until(std::string_view mark) {
    for (;;) {
      const size_t at = buffer_.find(mark);
      if (at != std::string::npos) {
        std::string out = buffer_.substr(0, at + mark.size());
        buffer_.erase(0, at + mark.size());
        return out;
      }
      if (!more()) return std::exchange(buffer_, {});
    }
  }
  std::string read_all() {
    while (more()) {
    }
    return std::exchange(buffer_, {});
  }
  /// True if the server ended the connection, orderly or not.
  bool at_end() {
    char byte = 0;
    const ssize_t got = recv(fd_, &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  bool more() {
    char bytes[65536];
    const ssize_t got = recv(fd_, bytes, sizeof bytes, 0);
    if (got > 0) buffer_.append(bytes, size_t(got));
    return got > 0;
  }

  int fd_;
  bool connected_ = false;
  std::string buffer_;
};

}  // namespace holdfast::net

/// Line that is only connected: libcurl finds the way (names, proxy, TLS), the bytes are ours.
#include "client/line.h"

#include <fmt/format.h>
#include <pthread.h>

#include <csignal>
#include <ctime>

namespace holdfast::net {
namespace {

/// OpenSSL, as libcurl uses it, writes without MSG_NOSIGNAL: a peer that hangs up would end a
/// process that has not said otherwise.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;
  ~NoPipeSignal() {
    const timespec now{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &now);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
  bool was_pending_ = false;
};

}  // namespace

Result<void> Line::open(const Call& call) {
  CURL* const easy = easy_.get();
  Exchange exchange{.call = &call};
  HF_TRY(set_request(call, exchange));
  curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
  curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, nullptr);
  curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, options_.proxy.empty() ? 0L : 1L);
  // It stays with the multi handle: taken out, it would lose its connection.
  curl_multi_add_handle(multi_.get(), easy);
  HF_TRY(run(call, exchange));
  curl_socket_t found = CURL_SOCKET_BAD;
  curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &found);
  if (found == CURL_SOCKET_BAD) return Error(Fault::Unavailable, "the connection is gone");
  descriptor_ = found;
  return ok();
}

Moved Line::read(char* into, size_t size) {
  size_t got = 0;
  last_ = curl_easy_recv(easy_.get(), into, size, &got);
  if (last_ == CURLE_AGAIN) return {Step::WantRead, 0};
  if (last_ != CURLE_OK || got == 0) return {Step::Closed, 0};
  return {Step::Done, got};
}

Moved Line::write(std::string_view bytes) {
  const NoPipeSignal quiet;
  size_t sent = 0;
  last_ = curl_easy_send(easy_.get(), bytes.data(), bytes.size(), &sent);
  if (last_ == CURLE_AGAIN || (last_ == CURLE_OK && sent == 0)) return {Step::WantWrite, 0};
  if (last_ != CURLE_OK) return {Step::Closed, 0};
  return {Step::Done, sent};
}

Error Line::lost() const {
  if (last_ == CURLE_OK) return {Fault::Unavailable, "the server closed the connection"};
  return failure(last_);
}

}  // namespace holdfast::net

#include "clients/crowd.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <thread>

namespace holdfast::campaign {
namespace {

constexpr int kOpeners = 4;
constexpr int kSmallBuffer = 4096;
constexpr std::chrono::seconds kAnswerLimit{20};
constexpr std::chrono::seconds kEndLimit{2};

/// Makes `count` connections from several threads; `begin` makes each what it is to be.
size_t gather(std::vector<Raw>& into, size_t count, uint16_t port, int receive_buffer,
              const std::function<bool(Raw&, size_t)>& begin) {
  std::mutex mutex;
  size_t next = 0;
  size_t refused = 0;
  const auto work = [&] {
    for (;;) {
      size_t mine = 0;
      {
        const std::lock_guard lock(mutex);
        if (next == count) return;
        mine = next++;
      }
      Raw raw(port, receive_buffer);
      const bool begun = raw.connected() && begin(raw, mine);
      const std::lock_guard lock(mutex);
      if (begun)
        into.push_back(std::move(raw));
      else
        ++refused;
    }
  };
  {
    std::vector<std::jthread> openers;
    for (int i = 0; i < kOpeners; ++i) openers.emplace_back(work);
  }
  return refused;
}

std::string half_request(size_t number) {
  if (number % 2 == 0) return "GET /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nAccept";
  return "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
         "Content-Length: 1000000\r\n\r\n" +
         std::string(4096, ' ');
}

}  // namespace

size_t raise_descriptor_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  getrlimit(RLIMIT_NOFILE, &limit);
  return size_t(limit.rlim_cur);
}

Crowd::Crowd(uint16_t port, const TlsTerms& terms, const CrowdSize& size,
             const std::string& watched)
    : port_(port) {
  refused_ +=
      gather(idle_, size.idle, port_, 0, [&](Raw& raw, size_t) { return raw.shake_hands(terms); });
  refused_ += gather(silent_, size.silent, port_, 0, [](Raw&, size_t) { return true; });
  refused_ += gather(halves_, size.halves, port_, 0, [&](Raw& raw, size_t number) {
    return raw.shake_hands(terms) && raw.send(half_request(number));
  });
  const std::string watch = fmt::format("GET {}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n", watched);
  refused_ += gather(slow_, size.watchers, port_, kSmallBuffer,
                     [&](Raw& raw, size_t) { return raw.shake_hands(terms) && raw.send(watch); });
}

size_t Crowd::wake_some(size_t count) {
  size_t unanswered = 0;
  for (size_t i = 0; i < std::min(count, idle_.size()); ++i) {
    Raw& raw = idle_[i * idle_.size() / count];
    if (raw.closed()) continue;  // idle for longer than the server bears
    const bool asked = raw.send("GET /version HTTP/1.1\r\nHost: x\r\n\r\n");
    if (!asked || !raw.read(kAnswerLimit, 1).starts_with("HTTP/1.1 200")) ++unanswered;
  }
  return unanswered;
}

size_t Crowd::dropped() {
  return size_t(std::count_if(slow_.begin(), slow_.end(),
                              [](Raw& raw) { return raw.ends_within(kEndLimit); }));
}

}  // namespace holdfast::campaign

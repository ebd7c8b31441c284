// The bytes of an answer, as they come from a connection, to the first byte's choice of an S3
// request. Whatever they are, the client ends with a result that keeps the store's contract, or
// with an error.
#include <holdfast/base/mutex.h>
#include <holdfast/blob/s3.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

using namespace holdfast;
using namespace holdfast::blob;

namespace {

/// Gives every connection the same bytes, and ends it.
class Answering {
 public:
  Answering() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    HF_CHECK(::bind(socket_, reinterpret_cast<sockaddr*>(&at), size) == 0);
    HF_CHECK(::listen(socket_, 16) == 0);
    HF_CHECK(::getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size) == 0);
    port_ = ntohs(at.sin_port);
    std::thread([this] { run(); }).detach();
  }
  uint16_t port() const { return port_; }
  void say(std::string_view bytes) {
    const Lock lock(mutex_);
    bytes_ = bytes;
  }

 private:
  void run() {
    for (;;) {
      const int line = ::accept(socket_, nullptr, nullptr);
      std::string request(65536, '\0');
      size_t got = 0;
      while (request.find("\r\n\r\n") == std::string::npos && got < request.size()) {
        const ssize_t count = ::recv(line, request.data() + got, request.size() - got, 0);
        if (count <= 0) break;
        got += size_t(count);
      }
      std::string bytes;
      {
        const Lock lock(mutex_);
        bytes = bytes_;
      }
      (void)::send(line, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ::close(line);
    }
  }

  const int socket_;
  uint16_t port_ = 0;
  Mutex mutex_;
  std::string bytes_ HF_GUARDED_BY(mutex_);
};

Store& store_at(uint16_t port) {
  static const ManualClock clock{WallTime{}};
  static SeededRandom random(1);
  static const std::unique_ptr<Store> store =
      s3_store({.endpoint = fmt::format("http://127.0.0.1:{}", port),
                .bucket = "bucket",
                .prefix = "p",
                .credentials =
                    [] {
                      return Result<S3Key>(S3Key{"a", "s", ""});
                    },
                .retry = {.give_up = std::chrono::milliseconds(0)}},
               {.clock = clock, .random = random})
          .take();
  return *store;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Answering& service = *new Answering();
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  service.say(text.substr(1));
  Store& store = store_at(service.port());
  switch (text[0]) {
    case 'g':
      (void)store.get("x");
      break;
    case 'r':
      if (const Result<std::string> got = store.get("x", Range{2, 4})) HF_CHECK(got->size() == 4);
      break;
    case 'h':
      if (const Result<Info> info = store.stat("x")) HF_CHECK(info->name == "x");
      break;
    case 'l':
      (void)store.list("data/", [](const Info& info) { HF_CHECK(info.name.starts_with("data/")); });
      break;
    case 'd':
      if (const auto stayed = store.remove_all({"x", "y"})) HF_CHECK(stayed->size() < 2);
      break;
    default:
      (void)store.put("x", "bytes");
  }
  return 0;
}

#include "client/upgrade.h"

#include <holdfast/base/text.h>

#include "client/response_parser.h"
#include "websocket/framed.h"
#include "websocket/handshake.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>

namespace holdfast::net {
namespace {

constexpr size_t kReadSize = size_t(16) << 10;

/// The options are libcurl's to read as long as the line lives.
class LineDuplex final : public Duplex {
 public:
  LineDuplex(std::shared_ptr<const ClientOptions> options, std::unique_ptr<Line> line)
      : options_(std::move(options)), line_(std::move(line)) {}
  Moved read(char* into, size_t size) override { return line_->read(into, size); }
  Moved write(std::string_view bytes) override { return line_->write(bytes); }
  int descriptor() const override { return line_->descriptor(); }
  void finish() override {}  // libcurl says goodbye when the line goes
  Error lost() const { return line_->lost(); }

 private:
  const std::shared_ptr<const ClientOptions> options_;
  const std::unique_ptr<Line> line_;
};

/// One request and its answer, in the caller's thread.
class Handshake {
 public:
  Handshake(LineDuplex& duplex, const Call& call, MonoTime end)
      : duplex_(duplex), call_(call), end_(end) {}

  Result<void> write(std::string_view text) {
    while (!text.empty()) {
      const Moved moved = duplex_.write(text);
      if (moved.step == Step::Done)
        text.remove_prefix(moved.bytes);
      else
        HF_TRY(wait(moved.step));
    }
    return ok();
  }

  Result<Response> read(std::string& rest) {
    ResponseParser parser(call_.max_response);
    auto state = ResponseParser::State::More;
    std::array<char, kReadSize>
        buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
    while (state == ResponseParser::State::More) {
      const Moved got = duplex_.read(buffer.data(), buffer.size());
      if (got.step == Step::Done) {
        state = parser.feed({buffer.data(), got.bytes});
      } else if (got.step == Step::Closed) {
        state = parser.end();
        if (state == ResponseParser::State::Failed) HF_TRY(wait(Step::Closed));
      } else {
        HF_TRY(wait(got.step));
      }
    }
    if (parser.too_long()) return answer_too_long(call_.max_response);
    if (state == ResponseParser::State::Failed)
      return Error(Fault::Unavailable, fmt::format("the answer is not HTTP: {}", parser.reason()));
    rest = parser.take_rest();
    return parser.take();
  }

 private:
  Result<void> wait(Step step) {
    if (call_.stop.stop_requested()) return Error(Fault::Unavailable, "stopped by the caller");
    if (step == Step::Closed) return duplex_.lost();
    const MonoTime left = end_ - clock_.mono();
    if (left <= MonoTime(0))
      return Error(Fault::Unavailable,
                   fmt::format("no answer within {} ms", call_.timeout.count()));
    pollfd waits{duplex_.descriptor(), short(step == Step::WantRead ? POLLIN : POLLOUT), 0};
    ::poll(&waits, 1, int(std::chrono::ceil<std::chrono::milliseconds>(left).count()));
    return ok();
  }

  LineDuplex& duplex_;
  const Call& call_;
  const MonoTime end_;
  const SystemClock clock_{};
};

Result<std::string> request_text(const Line& line, const ClientOptions& options, const Call& call,
                                 const std::vector<std::string>& protocols, std::string_view key) {
  Headers headers = call.headers;
  headers.remove("Accept-Encoding");  // a refusal is short
  ask_for_websocket(headers, protocols, key);
  if (!headers.has("Host")) headers.set("Host", line.host());
  if (!headers.has("User-Agent")) headers.set("User-Agent", options.user_agent);
  if (!options.bearer_token.empty() && !headers.has("Authorization"))
    headers.set("Authorization", "Bearer " + options.bearer_token);
  const std::string target = line.path() + call.target;
  if (target.find_first_of(std::string_view(" \r\n\0", 4)) != std::string::npos)
    return Error(Fault::Invalid, fmt::format("target {} is not a URL's", quoted(target)));
  std::string text = fmt::format("GET {} HTTP/1.1\r\n", target);
  for (const auto& [name, value] : headers) {
    if ((name + value).find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
      return Error(Fault::Invalid, fmt::format("header {} has a line break", quoted(name)));
    text += fmt::format("{}: {}\r\n", name, value);
  }
  return text += "\r\n";
}

}  // namespace

Result<Connected> upgrade(std::shared_ptr<const ClientOptions> options, const Call& call,
                          const std::vector<std::string>& protocols) {
  const MonoTime end = SystemClock().mono() + call.timeout;
  auto line = std::make_unique<Line>(*options);
  const std::string key = websocket_key();
  const std::string text = HF_TRY(request_text(*line, *options, call, protocols, key));
  HF_TRY(line->open(call));
  const WebSocketLimits limits = options->websocket;
  auto duplex = std::make_unique<LineDuplex>(std::move(options), std::move(line));

  Connected connected;
  std::string early;
  {
    const std::stop_callback on_stop(call.stop,
                                     [fd = duplex->descriptor()] { ::shutdown(fd, SHUT_RDWR); });
    Handshake handshake(*duplex, call, end);
    HF_TRY(handshake.write(text));
    connected.answer = HF_TRY(handshake.read(early));
  }
  if (connected.answer.status != 101) return connected;
  const std::string_view wrong = wrong_with(connected.answer, key, protocols);
  if (!wrong.empty()) return Error(Fault::Unavailable, std::string(wrong));
  connected.socket = std::make_shared<FramedWebSocket>(
      Role::Client, std::move(duplex),
      std::string(connected.answer.headers.get("Sec-WebSocket-Protocol")), std::move(early),
      limits);
  return connected;
}

}  // namespace holdfast::net

// The bytes of a connection. However they are cut into reads, the same requests come out: otherwise
// a proxy in front and we could disagree on where one request ends. When a broken one is refused
// may differ: at the first byte that is wrong, or when a line that never ends has grown too long.
#include <holdfast/base/result.h>
#include <holdfast/net/request_parser.h>

#include <string>
#include <string_view>

using namespace holdfast;
using namespace holdfast::net;

namespace {

constexpr size_t kMaxBody = 4096;

std::string describe(const Request& request) {
  std::string text = request.method + " " + request.target + " " + request.path;
  for (const auto& [name, value] : request.query) text += "?" + name + "=" + value;
  for (const auto& [name, value] : request.headers) text += "\n" + name + ":" + value;
  return text + "\n\n" + request.body + "\n";
}

/// All requests in `input`, read in pieces of `piece` bytes.
std::string read_all(std::string_view input, size_t piece) {
  RequestParser parser(kMaxBody);
  std::string seen;
  while (!input.empty()) {
    auto state = parser.feed(input.substr(0, piece));
    input.remove_prefix(std::min(piece, input.size()));
    while (state == RequestParser::State::Done) {
      const bool keep = parser.framing().keep_alive;
      seen += describe(parser.take());
      if (!keep) return seen + "close";
      state = parser.feed({});
    }
    if (state == RequestParser::State::Failed) {
      HF_CHECK(parser.status() == 400 || parser.status() == 413 || parser.status() == 431 ||
               parser.status() == 501);
      return seen;
    }
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string whole = read_all(input, input.size() + 1);
  HF_CHECK(read_all(input, 1) == whole);
  HF_CHECK(read_all(input, 7) == whole);
  return 0;
}

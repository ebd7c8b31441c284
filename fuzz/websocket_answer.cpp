// The answer of a server to a request for a WebSocket. However it is cut into reads, the same
// answer comes out, and what follows a 101 is the same bytes.
#include <holdfast/base/result.h>

#include "client/response_parser.h"

#include <algorithm>
#include <string>
#include <string_view>

using namespace holdfast::net;

namespace {

constexpr size_t kMaxBody = 4096;

std::string read_all(std::string_view input, size_t piece) {
  ResponseParser parser(kMaxBody);
  auto state = ResponseParser::State::More;
  std::string_view left = input;
  while (!left.empty() && state == ResponseParser::State::More) {
    state = parser.feed(left.substr(0, piece));
    left.remove_prefix(std::min(piece, left.size()));
  }
  if (state == ResponseParser::State::More) state = parser.end();
  if (state == ResponseParser::State::Failed) return "failed";
  const Response response = parser.take();
  HF_CHECK(response.body.size() <= kMaxBody);
  std::string seen = std::to_string(response.status);
  for (const auto& [name, value] : response.headers) seen += "\n" + name + ":" + value;
  seen += "\n\n" + response.body;
  if (response.status == 101) seen += "\n" + parser.take_rest().append(left);
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

// Frames of a peer. However they are cut into reads, the same messages come out and the same
// failure; nothing longer than the bound is ever held.
#include <holdfast/base/result.h>

#include "websocket/frames.h"

#include <algorithm>
#include <string>
#include <string_view>

using namespace holdfast::net;

namespace {

constexpr size_t kMaxMessage = 4096;

std::string read_all(std::string_view input, size_t piece, bool masked) {
  FrameReader reader(masked, kMaxMessage);
  std::string seen;
  while (!input.empty()) {
    std::string_view part = input.substr(0, piece);
    input.remove_prefix(part.size());
    while (!part.empty()) {
      const auto item = reader.next(part);
      if (!item) continue;
      HF_CHECK(item->data.size() <= kMaxMessage);
      seen += std::to_string(int(item->kind)) + ":" + std::to_string(item->code) + ":" + item->data;
    }
  }
  if (reader.failure()) seen += "failed " + std::to_string(reader.failure()->code);
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const bool masked = data[0] % 2 == 1;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = read_all(input, input.size() + 1, masked);
  HF_CHECK(read_all(input, 1, masked) == whole);
  HF_CHECK(read_all(input, 7, masked) == whole);
  // What we write, we read.
  const std::string_view payload = input.substr(0, kMaxMessage);
  const std::string ours =
      frame(Opcode::Binary, payload, masked ? std::optional<uint32_t>(data[0]) : std::nullopt);
  HF_CHECK(read_all(ours, 5, masked) == "2:1005:" + std::string(payload));
  return 0;
}

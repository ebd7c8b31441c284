// The output of a command in a pod, with a trailer at its end or without. However it was parted on
// its way, the same comes out of it: what is no trailer is output, byte by byte, and there is an
// end only if the last line says so.
#include <holdfast/base/result.h>
#include <holdfast/protect/trailer.h>

#include <deque>

using namespace holdfast;
using namespace holdfast::protect;

namespace {

using Event = kube::ExecSession::Event;

constexpr const char* kNonce = "00ff00ff00ff00ff00ff00ff00ff00ff";

class Played final : public kube::ExecSession {
 public:
  Played(std::string_view input, size_t piece) {
    for (; !input.empty(); input.remove_prefix(std::min(piece, input.size())))
      events_.push_back({Event::Kind::Output, std::string(input.substr(0, piece))});
    end_.code = 0;
  }
  std::optional<Event> next(MonoTime) override {
    if (events_.empty()) return Event{Event::Kind::End};
    Event out = std::move(events_.front());
    events_.pop_front();
    return out;
  }
  const kube::ExecEnd& end() const override { return end_; }
  Result<void> write(std::string_view) override { return {}; }
  Result<void> end_input() override { return {}; }
  bool can_end_input() const override { return true; }
  Result<void> resize(int, int) override { return {}; }
  void close() override {}

 private:
  std::deque<Event> events_{};
  kube::ExecEnd end_{};
};

struct Seen {
  std::string output{};
  std::optional<int> code{};
  bool operator==(const Seen&) const = default;
};

Seen read_all(std::string_view input, size_t piece, Counted counted) {
  const auto session = until_trailer(std::make_unique<Played>(input, piece), counted, kNonce);
  Seen out;
  for (auto event = session->next(); event->kind != Event::Kind::End; event = session->next())
    out.output += event->data;
  out.code = session->end().code;
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const Seen whole = read_all(input, size + 1, Counted::Nothing);
  for (const size_t piece : {size_t(1), size_t(3), size_t(47)})
    HF_CHECK(read_all(input, piece, Counted::Nothing) == whole);
  HF_CHECK(input.starts_with(whole.output));
  if (!whole.code) {
    // Without an end all of it is output, unless that is a trailer the server knows better of.
    HF_CHECK(whole.output == input);
    return 0;
  }
  HF_CHECK(*whole.code >= 0 && *whole.code <= 255);
  const std::string_view trailer = input.substr(whole.output.size());
  HF_CHECK(trailer.starts_with(std::string("HOLDFAST END ") + kNonce) && trailer.ends_with('\n'));
  const Seen counted = read_all(input, 7, Counted::Output);
  HF_CHECK(counted.output == whole.output && (!counted.code || counted.code == whole.code));
  return 0;
}

// Ends of commands as they are seen, and as servers on the way tell them.
#include <holdfast/protect/trailer.h>

#include <gtest/gtest.h>

#include <deque>

namespace holdfast::protect {
namespace {

using Event = kube::ExecSession::Event;
using Kind = Event::Kind;
using model::Array;
using model::Object;

constexpr const char* kNonce = "0123456789abcdef";

/// What a server hands over: pieces of output, and its word of the end.
class Played final : public kube::ExecSession {
 public:
  Played(std::vector<std::string> pieces, kube::ExecEnd end) : end_(std::move(end)) {
    for (std::string& each : pieces)
      if (!each.empty()) events_.push_back({Kind::Output, std::move(each)});
  }
  std::optional<Event> next(MonoTime) override {
    if (events_.empty()) return Event{Kind::End};
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
  const kube::ExecEnd end_;
};

kube::ExecEnd success() { return {.code = 0, .status = Object{{"status", "Success"}}}; }

kube::ExecEnd failure(const std::string& message, const std::string& reason = "InternalError",
                      const std::string& code = "") {
  return {.message = message,
          .status = Object{
              {"status", "Failure"},
              {"message", message},
              {"reason", reason},
              {"details",
               Object{{"causes", Array{Object{{"reason", "ExitCode"}, {"message", code}}}}}}}};
}

struct Seen {
  std::string output{};
  std::optional<int> code{};
  std::string message{};
};

Seen read_all(kube::ExecSession& session) {
  Seen out;
  for (auto event = session.next(); event->kind != Kind::End; event = session.next())
    out.output += event->data;
  out.code = session.end().code;
  out.message = session.end().message;
  return out;
}

Seen seen(std::vector<std::string> pieces, kube::ExecEnd end = success(),
          Counted counted = Counted::Output) {
  return read_all(
      *until_trailer(std::make_unique<Played>(std::move(pieces), std::move(end)), counted, kNonce));
}

/// With all that may be taken for a trailer, but for the nonce.
const std::string& output() {
  static const std::string text = std::string("\0\n\xff binary HOLD", 15) +
                                  "HOLDFAST END 0123456789abcdeX 0 3\nHOLDFAST END " + kNonce +
                                  " no\n HOLDFAST END " + kNonce + " 0\nH";
  return text;
}

TEST(Trailer, OfAWholeOutputIsTakenOffWhereverItsBytesWereParted) {
  const std::string all = output() + trailer_line(kNonce, 0, output().size());
  for (size_t first = 0; first < all.size(); ++first)
    for (const size_t second : {first, first + 1, first + 20, all.size()}) {
      const size_t end = std::min(second, all.size());
      const Seen got =
          seen({all.substr(0, first), all.substr(first, end - first), all.substr(end)});
      ASSERT_EQ(got.output, output()) << first << " " << end;
      ASSERT_EQ(got.code, 0) << first << " " << end << ": " << got.message;
    }
}

TEST(Trailer, NoStreamThatWasCutIsTakenForAWholeOneWhateverTheServerSays) {
  const std::string all = output() + trailer_line(kNonce, 0, output().size());
  for (size_t size = 0; size < all.size(); ++size) {
    const Seen got = seen({all.substr(0, size)});
    ASSERT_FALSE(got.code) << size;
    ASSERT_EQ(got.output, all.substr(0, size)) << "what came is given out";
    ASSERT_NE(got.message.find("the server alone says that it ended with 0"), std::string::npos);
  }
}

TEST(Trailer, TellsTheEndAlsoWhenTheServersWordWasLost) {
  EXPECT_EQ(seen({"text", trailer_line(kNonce, 0, 4)}, {.message = "the session was cut"}).code, 0);
  EXPECT_EQ(seen({trailer_line(kNonce, 7, 0)}, {}).code, 7);
}

TEST(Trailer, OfAnotherRunIsOutput) {
  const std::string forged = "rows\n" + trailer_line("fedcba9876543210", 0, 5);
  const Seen got = seen({forged});

  EXPECT_FALSE(got.code);
  EXPECT_EQ(got.output, forged);
}

TEST(Trailer, WithOutputAfterItIsNoEnd) {
  for (const auto& pieces : {std::vector<std::string>{trailer_line(kNonce, 0, 0), "late\n"},
                             std::vector<std::string>{trailer_line(kNonce, 0, 0) + "late\n"}}) {
    const Seen got = seen(pieces, success(), Counted::Nothing);

    EXPECT_FALSE(got.code);
    EXPECT_EQ(got.output, trailer_line(kNonce, 0, 0) + "late\n");
    EXPECT_NE(got.message.find("went on after its trailer"), std::string::npos) << got.message;
  }
}

TEST(Trailer, CountsWhatCame) {
  const Seen got = seen({"12345", trailer_line(kNonce, 0, 7)});

  EXPECT_FALSE(got.code);
  EXPECT_NE(got.message.find("5 of the 7 bytes of its output came"), std::string::npos);
  EXPECT_EQ(seen({"12345", trailer_line(kNonce, 0, {})}).code, 0) << "nothing could count there";
}

TEST(Trailer, CountsWhatWentIn) {
  for (const std::optional<uint64_t> count : {std::optional<uint64_t>(6), {4}, {}}) {
    const auto session = until_trailer(
        std::make_unique<Played>(std::vector{trailer_line(kNonce, 0, count)}, success()),
        Counted::Input, kNonce);
    EXPECT_TRUE(session->write("123"));
    EXPECT_TRUE(session->write("456"));

    const Seen got = read_all(*session);
    EXPECT_EQ(got.code.has_value(), count != 4U) << got.message;
  }
}

TEST(Trailer, SaysTheCodeUnlessTheServerKnowsOfAnother) {
  const kube::ExecEnd three = failure("exit code 3", "NonZeroExitCode", "3");
  kube::ExecEnd told = three;
  told.code = 3;

  EXPECT_EQ(seen({trailer_line(kNonce, 3, 0)}, told).code, 3);
  EXPECT_NE(seen({trailer_line(kNonce, 3, 0)}, told).message, "");
  EXPECT_EQ(seen({trailer_line(kNonce, 3, 0)}).code, 3) << "its Success is no word of the command";
  EXPECT_FALSE(seen({trailer_line(kNonce, 0, 0)}, told).code) << "the shell was killed after it";
}

TEST(Trailer, KeepsNoLineOfASessionBack) {
  const auto session = until_trailer(
      std::make_unique<Played>(std::vector<std::string>{"READY\n", "HOLDFAST ARMED\n"}, success()),
      Counted::Nothing, kNonce);

  EXPECT_EQ(session->next()->data, "READY\n");
  EXPECT_EQ(session->next()->data, "HOLDFAST ARMED\n");
}

TEST(Trailer, IsAskedForInAnArgvThatCanBeReadAgain) {
  for (const Counted counted : {Counted::Nothing, Counted::Output, Counted::Input}) {
    const auto found = trailed_command(with_trailer({"tar", "-c", "."}, counted, kNonce));

    ASSERT_TRUE(found);
    EXPECT_EQ(found->nonce, kNonce);
    EXPECT_EQ(found->counted, counted);
    EXPECT_EQ(found->words, (std::vector<std::string>{"tar", "-c", "."}));
  }
  EXPECT_FALSE(trailed_command({"/bin/sh", "-c", "x", "holdfast-guard", "1", "2", "3"}));
}

TEST(Trailer, HasANonceOfItsOwnEachTime) {
  SeededRandom random(1);
  const std::string first = draw_nonce(random);

  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(first, draw_nonce(random));
}

TEST(LackOfAShell, IsKnownByTheWordsOfRuntimesAndByTheShellsOwnCodes) {
  for (
      const char* words :
      {R"(Internal error occurred: error executing command in container: failed to exec in container: unable to start container process: exec: "/bin/sh": stat /bin/sh: no such file or directory)",
       "executable file `/bin/sh` not found: No such file or directory",
       R"(exec: "/bin/sh": permission denied)"})
    EXPECT_TRUE(lacks_shell(failure(words))) << words;
  EXPECT_TRUE(lacks_shell(failure("exit code 127", "NonZeroExitCode", "127")));
  EXPECT_TRUE(lacks_shell(failure("exit code 126", "NonZeroExitCode", "126")));

  for (const kube::ExecEnd& other :
       {success(), failure("exit code 137", "NonZeroExitCode", "137"), kube::ExecEnd{},
        failure("container not found (\"db\")"), failure("the connection to the node was lost"),
        failure("executing [/bin/sh -c …]: not found", "NonZeroExitCode", "1")})
    EXPECT_FALSE(lacks_shell(other)) << other.message;
  kube::ExecEnd of_the_command = failure("exit code 127", "NonZeroExitCode", "127");
  of_the_command.code = 127;
  EXPECT_FALSE(lacks_shell(of_the_command))
      << "its trailer came: it is the command that is not there";
}

}  // namespace
}  // namespace holdfast::protect

// The shell's side of a trailer: the script around a command, and what it says of a container that
// there is no shell.
#include <holdfast/base/bytes.h>
#include <holdfast/protect/trailer.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace holdfast::protect {
namespace {

constexpr const char *kShell = "/bin/sh", *kName = "holdfast-command";
/// "/bin/sh -c SCRIPT holdfast-command", the nonce, what is counted.
constexpr size_t kWordsBefore = 6;
constexpr size_t kNonceBytes = 16;
constexpr std::string_view kCannotRun = "126", kNotThere = "127";

// 3 is the output, 4 the pipe in which codes and dd's words are caught. A name of the shell's own
// is no program, so all is run by exec. dd copies without waiting for more than came, so that
// nothing is held back, and one process does what tee and wc would need two and a second pipe for.
// Our words begin with a blank, since dd ends its line in a write of its own. A dd that failed has
// counted what was given away, not what arrived.
constexpr const char* kScript = R"sh(
nonce=$1 counted=$2
shift 2
command -v dd >/dev/null 2>&1 || counted=
run() { (exec "$@") 3>&- 4>&-; echo " code $?" >&4; }
count() { LC_ALL=C dd bs=65536 2>&4 3>&- 4>&-; echo " dd $?" >&4; }
exec 3>&1
case $counted in
output) told=$({ run "$@" | count >&3; } 4>&1) ;;
input) told=$({ count | run "$@" >&3; } 4>&1) ;;
*) (exec "$@") 3>&-; told=" code $?" ;;
esac
set -f
code= dd= bytes=- last=
for word in $told; do
  case $last in code) code=$word ;; dd) dd=$word ;; esac
  case $word in byte | bytes) bytes=$last ;; esac
  last=$word
done
[ "$dd" = 0 ] || bytes=-
[ -n "$code" ] || exit 255
echo "HOLDFAST END $nonce $code $bytes"
exit "$code"
)sh";

/// runc's words, crun's, and those of the kernel for a shell that is there and cannot be run.
constexpr std::array<std::string_view, 5> kNoShell{"no such file or directory",
                                                   "No such file or directory", "not found",
                                                   "permission denied", "exec format error"};
constexpr std::array kCounted{std::pair{Counted::Nothing, "nothing"},
                              std::pair{Counted::Output, "output"},
                              std::pair{Counted::Input, "input"}};

}  // namespace

std::string draw_nonce(Random& random) { return hex(random.bytes(kNonceBytes)); }

std::vector<std::string> with_trailer(const std::vector<std::string>& command, Counted counted,
                                      std::string_view nonce) {
  std::vector<std::string> argv{kShell, "-c", kScript, kName, std::string(nonce)};
  for (const auto& [what, word] : kCounted)
    if (what == counted) argv.emplace_back(word);
  argv.insert(argv.end(), command.begin(), command.end());
  return argv;
}

std::optional<TrailedCommand> trailed_command(const std::vector<std::string>& argv) {
  if (argv.size() < kWordsBefore || argv[0] != kShell || argv[3] != kName) return std::nullopt;
  TrailedCommand out{.nonce = argv[4], .words = {argv.begin() + kWordsBefore, argv.end()}};
  for (const auto& [what, word] : kCounted)
    if (argv[5] == word) out.counted = what;
  return out;
}

// A runtime that can run no shell says so in words of its own, or with the code of a shell that
// found no program; ours prints a trailer before it ends with either.
bool lacks_shell(const kube::ExecEnd& end) {
  if (end.code || model::string_at(end.status, {"status"}) != "Failure") return false;
  if (model::string_at(end.status, {"reason"}) != "NonZeroExitCode") {
    const std::string_view told = model::string_at(end.status, {"message"});
    return told.find(kShell) != std::string_view::npos &&
           std::any_of(kNoShell.begin(), kNoShell.end(), [told](std::string_view each) {
             return told.find(each) != std::string_view::npos;
           });
  }
  for (const model::Value& cause : model::array_at(end.status, {"details", "causes"}))
    if (const std::string_view code = model::string_at(cause, {"message"});
        model::string_at(cause, {"reason"}) == "ExitCode")
      return code == kCannotRun || code == kNotThere;
  return false;
}

std::string trailer_line(std::string_view nonce, int code, std::optional<uint64_t> bytes) {
  return fmt::format("HOLDFAST END {} {} {}\n", nonce, code, bytes ? fmt::to_string(*bytes) : "-");
}

}  // namespace holdfast::protect

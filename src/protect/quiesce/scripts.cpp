#include "quiesce/scripts.h"

#include <fmt/format.h>

namespace holdfast::protect {
namespace {

// `read` cannot be interrupted in every sh, `wait` can: whatever blocks is a child, and the shell
// waits. Timers reap their `sleep`: an orphan would go to the container's first process, which may
// be a database that never reaps what it did not start. They kill it with 9, and are started before
// their parent has traps: a child that has not yet forgotten its parent's trap for a signal
// swallows that signal.
constexpr const char* kGuard = R"sh(
sleep 0 2>/dev/null || { echo 'HOLDFAST FAILED NoSleep'; exit 1; }
deadline=$1; shift
# The reader of our lines may be gone when they are written.
trap '' PIPE
exec 3<&0 </dev/null
{
  while IFS= read -r line; do
    [ "$line" = done ] && exit 0
  done
  exit 1
} <&3 3<&- >/dev/null 2>&1 &
reader=$!
exec 3<&-
{
  trap 'kill -9 $!; wait $!; exit 0' TERM
  sleep "$deadline" &
  wait $!
  kill -9 "$reader"
} >/dev/null 2>&1 &
timer=$!
sleep "$deadline" >/dev/null 2>&1 &
last=$!
# The parameters: for each command the number of its words, then the words.
posts() {
  i=0 code=0
  while [ $# -gt 0 ]; do
    count=$1; shift
    words= k=1
    while [ "$k" -le "$count" ]; do words="$words \"\${$k}\""; k=$((k + 1)); done
    (trap - PIPE HUP INT TERM; eval "exec$words") </dev/null >/dev/null 2>&1
    rc=$?
    echo "HOLDFAST POST $i $rc"
    [ "$rc" -eq 0 ] || code=1
    i=$((i + 1))
    shift "$count"
  done
}
trap 'kill "$reader" 2>/dev/null' HUP INT TERM
echo 'HOLDFAST ARMED'
wait "$reader" 2>/dev/null
why=$?
trap '' HUP INT TERM
kill "$timer" 2>/dev/null
wait "$timer" 2>/dev/null
if [ "$why" -eq 0 ]; then
  kill -9 "$last" 2>/dev/null
  wait 2>/dev/null
  exit 0
fi
posts "$@"
# A command before them that was under way when its caller died may take its lock only now: it ends
# before the deadline, and then they are run once more.
wait "$last" 2>/dev/null
# 137: it was the deadline that ended the reader.
[ "$why" -eq 137 ] || posts "$@"
exit "$code"
)sh";

constexpr const char* kWatchedSession = R"sh(
sleep 0 2>/dev/null || { echo 'HOLDFAST FAILED NoSleep'; exit 1; }
deadline=$1; shift
expired= again=
exec 3<&0 </dev/null
if command -v setsid >/dev/null 2>&1; then
  setsid "$@" <&3 3<&- &
else
  { exec "$@"; } <&3 3<&- &
fi
command=$!
exec 3<&-
tell() { kill -s "$1" -- "-$command" 2>/dev/null || kill -s "$1" "$command" 2>/dev/null; }
{
  trap 'kill -9 $!; wait $!; exit 0' TERM
  sleep "$deadline" &
  wait $!
  kill -s USR1 $$
  tell TERM
  sleep 2 &
  wait $!
  tell KILL
} >/dev/null 2>&1 &
timer=$!
trap 'expired=1 again=1' USR1
trap 'again=1; tell TERM' HUP INT TERM
# A signal ends a wait before the command does, or with it: the next one has its code, unless (127) it is not known.
rc=127
while
  wait "$command" 2>/dev/null
  now=$?
  [ "$now" -eq 127 ] || rc=$now
  [ -n "$again" ]
do again=; done
# What the command started may still hold the lock: it has the rest of the two seconds.
[ -n "$expired" ] && kill -0 -- "-$command" 2>/dev/null || kill "$timer" 2>/dev/null
wait "$timer" 2>/dev/null
[ -n "$expired" ] || exit "$rc"
echo 'HOLDFAST EXPIRED'
exit 3
)sh";

constexpr const char* kPresync = R"sh(
[ $# -eq 0 ] || sync -f "$@" 2>/dev/null || sync 2>/dev/null
exit 0
)sh";

std::vector<std::string> script(const char* text, const char* name,
                                const std::vector<std::string>& parameters) {
  std::vector<std::string> argv{"/bin/sh", "-c", text, name};
  argv.insert(argv.end(), parameters.begin(), parameters.end());
  return argv;
}

}  // namespace

std::vector<std::string> guard_command(const std::vector<std::vector<std::string>>& posts,
                                       std::chrono::seconds deadline) {
  std::vector<std::string> parameters{fmt::to_string(deadline.count())};
  for (const auto& post : posts) {
    parameters.push_back(fmt::to_string(post.size()));
    parameters.insert(parameters.end(), post.begin(), post.end());
  }
  return script(kGuard, "holdfast-guard", parameters);
}

std::vector<std::string> watched_session(const std::vector<std::string>& command,
                                         std::chrono::seconds deadline) {
  std::vector<std::string> parameters{fmt::to_string(deadline.count())};
  parameters.insert(parameters.end(), command.begin(), command.end());
  return script(kWatchedSession, "holdfast-session", parameters);
}

std::vector<std::string> presync_command(const std::vector<std::string>& mount_paths) {
  return script(kPresync, "holdfast-presync", mount_paths);
}

}  // namespace holdfast::protect

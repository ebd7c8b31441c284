/// The shell's side of every profile: one client, its deadline, and what is said about it on
/// stdout.
#include "profiles/session_scripts.h"

namespace holdfast::protect {

// Parameters: the budget (seconds with a fraction), the same in whole seconds, the deadline, then
// the profile's own.
//
//     stdin → feeder → the client's stdin
//     the client's output, feeder, keeper, clock → one pipe → judge → stdout
//
// Nothing but the judge decides, and it only ever reads lines from its pipe: no signal, no polling,
// no fifo in a folder that may be read-only. The client is connected before `lock` is read, so that
// between `lock` and READY no program is started. Every child is reaped by its parent: an orphan
// would go to the container's first process, which may be a database that never reaps what it did
// not start.
//
// A profile defines: client (ends in exec; reads commands on stdin, prints `holdfast connected ID`,
// `holdfast locked`, `holdfast released`), prelude, lock, release (texts for the client), at (what
// is said with the release), and give_up ID PID, which ends a client that waits for its lock or
// holds it.
const char* const kSessionFrame = R"sh(
failed() { printf 'HOLDFAST FAILED %s %s\n' "$1" "$2"; exit 1; }
sleep 0 2>/dev/null || failed NoSleep 'there is no sleep in the container'
budget=$1 seconds=$2 deadline=$3 at=
shift 3

# A line of its own, also where the client has written half of one.
say() { printf '\n%s\n' "$1"; }

feeder() {
  read -r me rest </proc/self/stat && say "feeder $me" >&7
  printf '%s\n' "$prelude"
  locked=
  while IFS= read -r line; do
    [ "$line" = lock ] && [ -z "$locked" ] || continue
    printf '%s\n' "$lock"
    locked=1
    say lock >&7
  done
  [ -z "$locked" ] || printf '%s\n' "$release"
  printf '%s\n' "$farewell"
}

keeper() {
  exec 6<&0 </dev/null
  client "$@" <&6 6<&- 7>&- 2>&1 &
  exec 6<&-
  say "client $!"
  wait $!
  say "gone $?"
}

# Counts from `lock`. The budget is the client's own affair, who can say why it gave up: here it is a second longer.
clock() {
  trap 'kill -9 $!; wait $!; exit 0' TERM
  n=0
  while [ "$n" -lt "$deadline" ]; do
    sleep 1 &
    wait $!
    n=$((n + 1))
    # The shell that was asked for may have been killed, and with it the process at the other end of stdin.
    kill -0 $$ || say 'over orphan'
    [ "$n" -le "$seconds" ] || say 'over budget'
  done
  say 'over deadline'
  # Should the keeper itself have been killed, no other process says so.
  sleep 5 &
  wait $!
  say 'gone unseen'
}

judge() {
  state=connecting why= id= pid= feeder= clock= last=
  exec 7>/proc/self/fd/0
  while IFS= read -r line; do
    case $line in
    'feeder '*) feeder=${line#feeder } ;;
    'client '*) pid=${line#client } ;;
    'holdfast connected'*)
      id=${line#holdfast connected}
      state=connected last=
      echo 'HOLDFAST CONNECTED' ;;
    lock)
      [ "$state" = connected ] && state=locking
      clock >&7 2>/dev/null </dev/null &
      clock=$! ;;
    'holdfast locked')
      [ -n "$why" ] && continue
      state=locked
      echo READY ;;
    'holdfast note'*) ;;
    'HOLDFAST LABEL '* | 'HOLDFAST WAL '*) printf '%s\n' "$line" ;;
    'holdfast released')
      state=released
      [ -z "$at" ] || printf '%s\n' "$at"
      echo 'HOLDFAST RELEASED' ;;
    'over budget')
      [ -n "$why" ] || [ "$state" = locked ] || [ "$state" = released ] && continue
      why=budget last="nothing was locked within $budget s"
      give_up "$id" "$pid" ;;
    'over '*)
      [ -n "$why" ] || [ "$state" = released ] && continue
      why=${line#over }
      give_up "$id" "$pid" ;;
    'gone '*) break ;;
    # What a client draws below its error is no error.
    'LINE '* | ' '*) ;;
    ?*) [ "$why" = budget ] || last=$line ;;
    esac
  done
  kill $feeder $clock 2>/dev/null
  wait 2>/dev/null
  case $why-$state in
  deadline-*) echo 'HOLDFAST EXPIRED'; exit 3 ;;
  orphan-*) exit 1 ;;
  *-released) exit 0 ;;
  budget-* | *-locking) failed LockNotAcquired "$last" ;;
  *-connecting) failed NotConnected "$last" ;;
  *) failed SessionLost "$last" ;;
  esac
}

session() {
  { exec 7>&1; feeder | keeper "$@"; } 2>/dev/null | judge
  exit $?
}
)sh";

}  // namespace holdfast::protect

/// The shell's side of freezing file systems: a freeze outlives the process that froze, so a
/// watchdog is left to thaw.
#include "profiles/session_scripts.h"

namespace holdfast::protect {

// Parameters: each mount path twice, as it is and as /proc/self/mountinfo writes it.
//
// A freeze outlives whoever froze, so that a process in a session of its own thaws when the freezer
// is gone. The freezer is told to stop by the end of its stdin only: a freeze under way cannot be
// broken off, but must be undone. Nothing here writes to a file: it might lie on what is frozen.
const char* const kFsfreezeSession = R"sh(
command -v fsfreeze >/dev/null 2>&1 || failed NoFsfreeze 'fsfreeze is not in the container'
[ $# -gt 0 ] || failed SharedFilesystem 'no mount path was named'
prelude=hello lock=freeze release=thaw farewell=bye
detach=
command -v setsid >/dev/null 2>&1 && detach=setsid

give_up() { kill $feeder 2>/dev/null; }
refuse() { failed SharedFilesystem "$1"; }

# PATH, then PATH in the words of mountinfo.
own_filesystem() {
  device= root= source=
  while read -r mount parent dev folder point rest; do
    [ "$point" = "$2" ] || continue
    device=$dev root=$folder source=${rest#* - }
    source=${source#* }
    source=${source%% *}
  done </proc/self/mountinfo
  [ "$1" != / ] || refuse 'the root of the container cannot be frozen'
  [ -n "$device" ] || refuse "no filesystem is mounted at $1"
  [ "$root" = / ] || refuse "$1 is $root of a filesystem that holds more"
  case $source in /dev/*) ;; *) refuse "$1 is not on a device of its own but on $source" ;; esac
  while read -r mount parent dev folder point rest; do
    [ "$dev" = "$device" ] || continue
    case $listed in *" $point "*) ;; *) refuse "$1 and $point are on the same filesystem" ;; esac
  done </proc/self/mountinfo
}

listed=' '
for path in "$@"; do listed="$listed$path "; done
# Each pair is looked at and leaves its first word at the end of the list.
left=$#
while [ "$left" -gt 0 ]; do
  own_filesystem "$1" "$2"
  set -- "$@" "$1"
  shift 2
  left=$((left - 2))
done

watchdog='
freezer=$1 left=$2; shift 2
trap "kill -9 \$!; wait \$!; exit 0" TERM
while kill -0 "$freezer" && [ "$left" -gt 0 ]; do
  sleep 1 & wait $!
  left=$((left - 1))
done
while
  for path in "$@"; do fsfreeze -u "$path"; done
  kill -0 "$freezer"
do sleep 1 & wait $!; done'

freeze() {
  read -r me rest </proc/self/stat
  # What was frozen last is thawed first.
  order= k=1
  while [ "$k" -le $# ]; do order="\"\${$k}\" $order"; k=$((k + 1)); done
  eval "exec $detach sh -c \"\$watchdog\" holdfast-thaw $me $((deadline + 1)) $order" </dev/null >/dev/null 2>&1 &
  dog=$!
  for path in "$@"; do
    fsfreeze -f "$path" || return 1
    frozen=$((frozen + 1))
  done
}

thaw() {
  while [ "$frozen" -gt 0 ]; do
    eval "path=\${$frozen}"
    fsfreeze -u "$path"
    frozen=$((frozen - 1))
  done
  [ -z "$dog" ] || { kill "$dog"; wait "$dog"; } 2>/dev/null
  dog=
}

client() {
  frozen=0 dog=
  while IFS= read -r line; do
    case $line in
    hello) echo 'holdfast connected' ;;
    freeze) freeze "$@" && echo 'holdfast locked' || { thaw "$@"; exit 1; } ;;
    thaw) thaw "$@" ;;
    bye) echo 'holdfast released' ;;
    esac
  done
  thaw "$@"
}
session "$@"
)sh";

}  // namespace holdfast::protect

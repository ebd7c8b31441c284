/// The shell's side of cutting PostgreSQL: a checkpoint, or a base backup held open.
#include "profiles/session_scripts.h"

namespace holdfast::protect {

// Parameter: `atomic` or `per-volume`.
//
// PostgreSQL needs no lock. A cut of all its volumes at one moment is what a crash would leave, and
// it recovers from that; a checkpoint just before makes the recovery short. Cuts one after the
// other are a base backup: they are good between pg_backup_start and pg_backup_stop of one session,
// together with the label that only the stop gives out, and the WAL up to the stop, which the cuts
// cannot hold. A standby writes no end of backup into its WAL, so of one nothing is said. Both the
// checkpoint and the start may take long, so they come before `lock`.
const char* const kPostgresqlSession = R"sh(
command -v psql >/dev/null 2>&1 || failed NoClient 'psql is not in the container'
from_file=
[ -r "$POSTGRES_PASSWORD_FILE" ] && IFS= read -r from_file <"$POSTGRES_PASSWORD_FILE"
: "${PGPASSWORD:=${POSTGRES_PASSWORD:-$from_file}}"
PGUSER=${POSTGRES_USER:-${PGUSER:-postgres}} PGCONNECT_TIMEOUT=5 PGAPPNAME=holdfast
export PGUSER PGCONNECT_TIMEOUT PGAPPNAME PGPASSWORD
[ -n "$PGPASSWORD" ] || unset PGPASSWORD
options='-X -q -A -t -w -v ON_ERROR_STOP=1 -d postgres'
newline='
'

client() { exec psql $options $where; }
give_up() { kill -9 "$2" 2>/dev/null; }

connect() {
  problem=
  for host in '' /run/postgresql /var/run/postgresql /tmp; do
    [ -z "$host" ] || [ -S "$host/.s.PGSQL.${PGPORT:-5432}" ] || continue
    where=${host:+-h $host}
    problem=$(psql $options $where -c 'SELECT 1' 2>&1 </dev/null) && return 0
  done
  return 1
}
connect || failed NotConnected "${problem%%"$newline"*}"

# Servers before 14 have no such setting, and no such limit.
idle() {
  echo "SELECT 'holdfast note', set_config('idle_session_timeout', '$1s', false)
  FROM pg_settings WHERE name = 'idle_session_timeout';"
}
connected="SELECT 'holdfast connected ' || pg_backend_pid();"
lock="SET statement_timeout = '${seconds}s';
SELECT 'holdfast locked';
$(idle "$deadline")"
farewell="SELECT 'holdfast released';"
if [ "$1" = atomic ]; then
  prelude="$(idle 600)
CHECKPOINT;
$connected"
  release=
else
  prelude="$(idle 600)
SELECT current_setting('server_version_num')::int >= 150000 AS renamed \\gset
\\if :renamed
SELECT 'holdfast note', pg_backup_start('holdfast', true);
\\else
SELECT 'holdfast note', pg_start_backup('holdfast', true, false);
\\endif
$connected"
  directory=$(psql $options $where -c 'SHOW data_directory' </dev/null 2>/dev/null)
  real() { cd -P "$1" 2>/dev/null && pwd -P; }
  at="HOLDFAST AT data $(real "$directory")${newline}HOLDFAST AT log $(real "$directory/pg_wal")"
  # A server that recycled one of them meanwhile has none to give.
  first="substring(label from 'file ([0-9A-F]+)')"
  parts="SELECT 'HOLDFAST LABEL backup_label '
      || translate(encode(convert_to(label, 'UTF8'), 'base64'), E'\\n', '')
    || E' .\\nHOLDFAST LABEL tablespace_map '
      || translate(encode(convert_to(spaces, 'UTF8'), 'base64'), E'\\n', '')
    || E' .\\nHOLDFAST WAL ' || (SELECT string_agg(name, ' ' ORDER BY name) FROM (
      SELECT name, ('x' || substr(name, 9, 8))::bit(32)::bigint
          * (4294967296 / pg_size_bytes(current_setting('wal_segment_size')))
          + ('x' || substr(name, 17))::bit(32)::bigint AS number
        FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}\$') AS segment
      WHERE name COLLATE \"C\" BETWEEN $first AND pg_walfile_name(lsn)
      HAVING min(name) = $first AND max(name) = pg_walfile_name(lsn)
        AND max(number) - min(number) + 1 = count(*)) || ' .'"
  release="SET statement_timeout = 0;
\\if :renamed
$parts FROM pg_backup_stop(false) AS stop(lsn, label, spaces) WHERE NOT pg_is_in_recovery();
\\else
$parts FROM pg_stop_backup(false, false) AS stop(lsn, label, spaces) WHERE NOT pg_is_in_recovery();
\\endif"
fi
session
)sh";

}  // namespace holdfast::protect

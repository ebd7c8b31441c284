/// The shell's side of locking MariaDB and MySQL, by a client that was connected before.
#include "profiles/session_scripts.h"

namespace holdfast::protect {

// Parameter: `stage` or `read-lock`.
//
// A server that waits for its lock does not see that its client is gone, and writers queue up
// behind it: so the time is bounded in the server, where max_statement_time counts in fractions of
// a second and what is left of the budget is worked out before each step. A server without it has
// whole seconds only, and is told by a second connection.
const char* const kMariadbSession = R"sh(
for name in mariadb mysql ''; do command -v "$name" >/dev/null 2>&1 && break; done
[ -n "$name" ] || failed NoClient 'neither mariadb nor mysql is in the container'
from_file=
for file in "$MYSQL_ROOT_PASSWORD_FILE" "$MARIADB_ROOT_PASSWORD_FILE"; do
  [ -r "$file" ] && IFS= read -r from_file <"$file"
done
MYSQL_PWD=${MARIADB_ROOT_PASSWORD:-${MYSQL_ROOT_PASSWORD:-${from_file:-$MYSQL_PWD}}}
export MYSQL_PWD
[ -n "$MYSQL_PWD" ] || unset MYSQL_PWD
options='--batch --skip-column-names --unbuffered --loose-skip-reconnect --connect-timeout=5'
newline='
'

client() { exec "$name" $options $where; }
ask() { "$name" $options $where -e "$1" </dev/null 7>&-; }
give_up() {
  [ "$why" = budget ] && [ -n "$1" ] && ask "KILL $1" >/dev/null 2>&1
  kill -9 "$2" 2>/dev/null
}

# The client's own configuration first, then where servers commonly have their socket.
connect() {
  problem=
  for user in --user=root ''; do
    for socket in '' /run/mysqld/mysqld.sock /var/run/mysqld/mysqld.sock /run/mariadb/mariadbd.sock \
        /tmp/mysql.sock /var/lib/mysql/mysql.sock; do
      [ -z "$socket" ] || [ -S "$socket" ] || continue
      where="$user ${socket:+--protocol=socket --socket=$socket}"
      version=$(ask 'SELECT VERSION()' 2>&1) && return 0
      # That a server refuses says more than that there is none.
      case $version in *'ERROR 2002'*) : "${problem:=$version}" ;; *) problem=$version ;; esac
    done
  done
  return 1
}
connect || failed NotConnected "${problem##*"$newline"}"

stage= limit= unlimited=
case $version in
*MariaDB*)
  limit="SET SESSION max_statement_time=GREATEST(0.001, $budget - TIMESTAMPDIFF(MICROSECOND, @holdfast, SYSDATE(6)) / 1e6);"
  unlimited='SET SESSION max_statement_time=0;'
  minor=${version#*.}
  [ "${version%%.*}" -gt 10 ] || [ "${version%%.*}" -eq 10 ] && [ "${minor%%.*}" -ge 4 ] && stage=1 ;;
esac
[ "$1" = read-lock ] && stage=

prelude="SET SESSION wait_timeout=600, lock_wait_timeout=$seconds;
SELECT 'holdfast connected', CONNECTION_ID();"
# wait_timeout is the server's own deadline: it drops a session that is idle for so long.
if [ -n "$stage" ]; then
  lock="BACKUP STAGE START;
$limit
BACKUP STAGE FLUSH;
$limit
BACKUP STAGE BLOCK_DDL;
$limit
BACKUP STAGE BLOCK_COMMIT;"
  release='BACKUP STAGE END;'
else
  lock='FLUSH TABLES WITH READ LOCK;'
  release='UNLOCK TABLES;'
fi
lock="SET SESSION wait_timeout=$deadline, @holdfast=SYSDATE(6);
$limit
$lock
$unlimited
SELECT 'holdfast locked';"
farewell="SELECT 'holdfast released';"
session
)sh";

}  // namespace holdfast::protect

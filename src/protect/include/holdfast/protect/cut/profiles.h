/// Profiles: built-in ways to quiesce an application, one exec per pod that takes a lock and keeps
/// it as long as it is connected. The commands are POSIX sh as dash, bash and busybox have it, and
/// use what the container has.
///
/// Lines on stdin and stdout of a session; lines that are not ours never stand on stdout:
///
///     (start)                        HOLDFAST CONNECTED     a client stands by, nothing is locked
///     lock                           READY                  locked
///                                    HOLDFAST FAILED LockNotAcquired MESSAGE     code 1, unlocked
///     (end of stdin)                 HOLDFAST RELEASED      code 0
///     (deadline, counted from lock)  HOLDFAST EXPIRED       code 3, released
///     (client or server ended)       HOLDFAST FAILED SessionLost MESSAGE         code 1
///
/// Before CONNECTED it may end with code 1 and `HOLDFAST FAILED REASON MESSAGE`: NoSleep, NoClient,
/// NotConnected, NoFsfreeze, SharedFilesystem. A database's lock lives with the client's
/// connection: whatever ends the client frees it. If only the shell is killed, what it leaves
/// behind sees it within a second.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::protect {

struct Profile {
  std::string_view name;
  std::string_view summary;       ///< one sentence for people
  bool stops_all_writes = false;  ///< cuts of several volumes one after the other fit together
  bool gives_log = false;         ///< or do, with what the session says at its end
};

struct ProfileOptions {
  std::chrono::milliseconds budget{2000};  ///< from `lock` to READY; then it gives up
  std::chrono::seconds deadline{10};       ///< from `lock`; then it releases by itself
  std::vector<std::string> mount_paths;    ///< of the cut's volumes in this container
  bool atomic_cut = true;                  ///< postgresql: no backup label is needed
  bool read_lock = false;  ///< mariadb: FLUSH TABLES WITH READ LOCK also where BACKUP STAGE exists
};

/// Nullptr if there is none of that name.
const Profile* find_profile(std::string_view name);

std::vector<std::string> profile_names();

/// The argv of the session's exec. With postgresql and cuts that are not atomic, what the restored
/// server needs is printed before RELEASED, each on a line; the dot says that it is whole:
///
///     HOLDFAST LABEL FILE BASE64 .      FILE: backup_label or tablespace_map
///     HOLDFAST WAL NAME NAME … .        segments that must be kept with the cut
///     HOLDFAST AT data|log PATH         the server's folder, and that of its WAL
///
/// Of a standby only the last is said.
std::vector<std::string> session_command(const Profile& profile, const ProfileOptions& options);

}  // namespace holdfast::protect

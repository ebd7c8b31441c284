"""The mariadb profile against a real server: that it locks is what another client sees."""
import contextlib
from pathlib import Path

from shell import Failed, until

MODES = {"BACKUP STAGE": [], "FLUSH TABLES WITH READ LOCK": ["read-lock"]}
# What keeps each lock from being taken, on a server that lets plain reading go on.
IN_THE_WAY = {"BACKUP STAGE": "UPDATE d.old SET n = SLEEP(600)",
              "FLUSH TABLES WITH READ LOCK": "SELECT SLEEP(600) FROM d.t LIMIT 1 FOR UPDATE"}


def locked(scripts, server, mode, deadline=600):
    session = scripts.start("profile", "mariadb", 5000, deadline, *MODES[mode])
    try:
        session.expect("HOLDFAST CONNECTED")
        if not server.can_write():
            raise Failed("locked before it was asked to")
        session.say("lock")
        session.expect("READY")
        if server.can_write():
            raise Failed("READY, and another client's INSERT went through")
    except BaseException:
        session.__exit__()
        raise
    return session


def writable(server):
    if not server.can_write():
        raise Failed("still locked")


def end_of_stdin(scripts, server, mode):
    with locked(scripts, server, mode) as session:
        session.end()
        session.expect("HOLDFAST RELEASED")
        writable(server)
        session.ends_with(0)


def killed(scripts, server, mode):
    with locked(scripts, server, mode) as session:
        session.kill()
        until(server.can_write, "the lock goes with the shell")
        until(lambda: not session.processes(), "what the shell left behind is gone")


def deadline(scripts, server, mode):
    with locked(scripts, server, mode, deadline=6) as session:
        session.expect("HOLDFAST EXPIRED")
        writable(server)
        session.ends_with(3)


def gives_up(scripts, server, mode):
    blocker = server.begin(IN_THE_WAY[mode])
    try:
        until(lambda: server.running("SLEEP(600)"), "the long statement runs")
        with scripts.start("profile", "mariadb", 800, 600, *MODES[mode]) as session:
            session.expect("HOLDFAST CONNECTED")
            session.say("lock")
            until(lambda: server.running("BACKUP STAGE") or server.running("FLUSH TABLES") or
                  session.process.poll() is not None, "it waits for its lock")
            # No timeout of its own: it ends because the profile gives up.
            waiting = server.begin("INSERT INTO d.t VALUES (3)")
            said = session.line()
            if not said.startswith("HOLDFAST FAILED LockNotAcquired ") or len(said) < 40:
                raise Failed(f"{said!r} where LockNotAcquired and its reason were due")
            session.ends_with(1)
            if waiting.wait(60) != 0 or not server.running("SLEEP(600)"):
                raise Failed(f"the INSERT: {waiting.stderr.read()}")
            writable(server)
    finally:
        server.ask(f"KILL {server.running('SLEEP(600)')}")
        blocker.communicate()


def reading_is_not_in_the_way(scripts, server, mode):
    reader = server.begin("SELECT SLEEP(600) FROM d.t")
    try:
        until(lambda: server.running("SLEEP(600)"), "the long SELECT runs")
        with locked(scripts, server, mode) as session:
            session.end()
            session.ends_with(0, "HOLDFAST RELEASED")
    finally:
        server.ask(f"KILL {server.running('SLEEP(600)')}")
        reader.communicate()


def lost(scripts, server, mode):
    with locked(scripts, server, mode) as session:
        held = server.ask("SELECT id FROM information_schema.processlist WHERE user = 'root'")
        server.ask(f"KILL {held}")
        until(server.can_write, "the lock goes with the connection")
        session.end()
        said = session.line()
        if not said.startswith("HOLDFAST FAILED SessionLost "):
            raise Failed(f"{said!r} for a lock that was lost")
        session.ends_with(1)


def never_asked_to_lock(scripts, _, mode):
    with scripts.start("profile", "mariadb", 1000, 5, *MODES[mode]) as session:
        session.expect("HOLDFAST CONNECTED")
        session.end()
        session.ends_with(0, "HOLDFAST RELEASED")


def refused(scripts, server, mode):
    with scripts.start("profile", "mariadb", 1000, 5, *MODES[mode], MARIADB_ROOT_PASSWORD="wrong") as session:
        said = session.line()
        if not said.startswith("HOLDFAST FAILED NotConnected ") or "1045" not in said or "wrong" in said:
            raise Failed(f"{said!r} for a wrong password")
        session.ends_with(1)


def password_in_a_file(scripts, server, mode):
    secret = server.folder / "secret"
    secret.write_text(server.PASSWORD + "\n")
    with scripts.start("profile", "mariadb", 1000, 5, *MODES[mode], MARIADB_ROOT_PASSWORD="",
                       MARIADB_ROOT_PASSWORD_FILE=str(secret)) as session:
        session.expect("HOLDFAST CONNECTED")
        for pid in session.processes():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                if b"secret" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    raise Failed("the password stands in a command line")
        session.end()
        session.ends_with(0, "HOLDFAST RELEASED")


CASES = [end_of_stdin, killed, deadline, gives_up, reading_is_not_in_the_way, lost, never_asked_to_lock, refused,
         password_in_a_file]

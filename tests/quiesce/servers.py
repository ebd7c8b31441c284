"""Real servers in a folder of the test, reachable by a socket there and by nothing else."""
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

from shell import Failed, WAIT_SECONDS, until

POSTGRES_PROGRAMS = Path("/usr/lib/postgresql/15/bin")


class Server:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="holdfast-quiesce."))
        self.process = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def launch(self, argv, **options):
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=open(self.folder / "log", "wb"),
                                        stderr=subprocess.STDOUT, cwd=self.folder, **options)
        until(self.answers, f"{argv[0]} answers")

    def answers(self):
        if self.process.poll() is not None:
            raise Failed("the server ended:\n" + (self.folder / "log").read_text(errors="replace")[-2000:])
        return self.client("SELECT 1").returncode == 0

    def client(self, sql):
        return subprocess.run(self.client_argv(sql), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False)

    def ask(self, sql):
        answer = self.client(sql)
        if answer.returncode != 0:
            raise Failed(f"{sql}: {answer.stderr.strip()}")
        return answer.stdout.strip()

    def begin(self, sql):
        """A client that is left to itself."""
        return subprocess.Popen(self.client_argv(sql), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)


class Mariadb(Server):
    PASSWORD = "it's \"secret\""

    def start(self):
        data, socket = self.folder / "data", self.folder / "socket"
        # A container's own configuration; the sessions know nothing of this folder.
        (self.folder / ".my.cnf").write_text(f"[client]\nsocket={socket}\n")
        self.environment = {"HOME": str(self.folder), "MARIADB_ROOT_PASSWORD": self.PASSWORD}
        subprocess.run(["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
                        "--auth-root-authentication-method=normal"], stdout=subprocess.DEVNULL, check=True)
        (self.folder / "init.sql").write_text(
            "CREATE DATABASE d; CREATE TABLE d.t (n INT) ENGINE=InnoDB; INSERT INTO d.t VALUES (1);"
            "CREATE TABLE d.old (n INT) ENGINE=MyISAM; INSERT INTO d.old VALUES (1);"
            "CREATE USER test@localhost; GRANT ALL ON *.* TO test@localhost;".replace(";", ";\n"))
        user = [f"--user={pwd.getpwuid(os.geteuid()).pw_name}"]
        self.launch(["mariadbd", "--no-defaults", *user, f"--datadir={data}", f"--socket={socket}",
                     "--skip-networking", f"--init-file={self.folder / 'init.sql'}", "--innodb-buffer-pool-size=16M"])
        quoted = self.PASSWORD.replace("'", "''")
        self.ask(f"ALTER USER root@localhost IDENTIFIED BY '{quoted}'")

    def client_argv(self, sql):
        return ["mariadb", "--no-defaults", f"--socket={self.folder / 'socket'}", "--user=test", "--batch",
                "--skip-column-names", "-e", sql]

    def can_write(self):
        """Whether an INSERT goes through at once; it does not wait for locks."""
        tried = self.client("SET SESSION lock_wait_timeout=0; INSERT INTO d.t VALUES (2)")
        if tried.returncode == 0:
            return True
        if "ERROR 1205" not in tried.stderr:
            raise Failed(f"an INSERT fails otherwise than by a lock: {tried.stderr}")
        return False

    def running(self, word):
        """The connection whose statement has this word."""
        return self.ask("SELECT id FROM information_schema.processlist "
                        f"WHERE info LIKE '%{word}%' AND id <> CONNECTION_ID()")


class Postgresql(Server):
    def start(self):
        # The server refuses to run as root.
        as_user = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        if as_user:
            os.chown(self.folder, 65534, 65534)
        self.environment = {"PGHOST": str(self.folder), "POSTGRES_USER": "chief"}
        self.data = self.folder / "data"
        subprocess.run([POSTGRES_PROGRAMS / "initdb", "-D", self.data, "-U", "chief", "-A", "trust", "--no-sync"],
                       stdout=subprocess.DEVNULL, check=True, cwd=self.folder, **as_user)
        self.serve(self.data, as_user)

    def serve(self, data, as_user):
        self.as_user = as_user
        self.launch([POSTGRES_PROGRAMS / "postgres", "-D", data, "-k", self.folder, "-c", "listen_addresses=",
                     "-c", "shared_buffers=16MB"], **as_user)

    def client_argv(self, sql):
        return ["psql", "-X", "-q", "-A", "-t", "-h", str(self.folder), "-U", "chief", "-d", "postgres", "-c", sql]

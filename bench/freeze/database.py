"""A MariaDB on some volumes of one size, and clients that write to it and note how long each write took."""
import subprocess
import sys
import threading
import time
from collections import deque

from figures import ROOT, fill, folder_of

sys.path.append(str(ROOT / "tests/groups"))
from ledger import Mariadb  # noqa: E402

CLIENTS = 4
NS = "default"


class Database(Mariadb):
    """A table on each volume; beside it on each volume as much data as asked for, that nobody touches."""

    def __init__(self, machine, volumes):
        super().__init__(f"bank-{volumes}")
        self.machine, self.volumes = machine, volumes
        self.claims = [f"v{number}-{self.pod}" for number in range(volumes)]
        self.resume(machine, NS)
        machine.run(self.pod, [*self.local[:-2], "-e", "CREATE DATABASE bank"], "server", NS)
        for number in range(volumes):
            place = f" DATA DIRECTORY='/v{number}'" if number else ""
            self.ask(machine, NS, f"CREATE TABLE t{number} (id BIGINT AUTO_INCREMENT PRIMARY KEY, filler CHAR(250))"
                     + place)
        self.ask(machine, NS, "CREATE USER clients@'%'; GRANT ALL ON bank.* TO clients@'%'")
        self.address = machine.get("Pod", self.pod, NS)["status"]["podIP"]
        self.folders = [folder_of(machine, claim) for claim in self.claims]

    def fill(self, mib):
        for each in self.folders:
            (each / ".filler").mkdir()  # the server takes no notice of a name like this
            fill(each / ".filler", mib)

    def objects(self):
        out = super().objects()
        claims = out[1]["spec"]["volumeClaimTemplates"][:1] * self.volumes
        mounts = ["/data", *(f"/v{number}" for number in range(1, self.volumes))]
        spec = out[1]["spec"]["template"]["spec"]
        out[1]["spec"]["volumeClaimTemplates"] = [{**each, "metadata": {"name": f"v{number}"}}
                                                  for number, each in enumerate(claims)]
        spec["initContainers"][0]["volumeMounts"] = [{"name": "v0", "mountPath": "/data"}]
        spec["containers"][0]["volumeMounts"] = [{"name": "run", "mountPath": "/run/mysqld"}, *(
            {"name": f"v{number}", "mountPath": path} for number, path in enumerate(mounts))]
        return out


class Client:
    """One connection that inserts a row after the other, each into the next table."""

    def __init__(self, database, number):
        self.database, self.number, self.done, self.wanted = database, number, deque(maxlen=100000), True
        self.process = subprocess.Popen(database.remote(database.address), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        turn = self.number
        while self.wanted:
            turn = (turn + 1) % self.database.volumes
            began = time.monotonic()
            self.process.stdin.write(f"INSERT INTO t{turn} (filler) VALUES ('{self.number}'); SELECT 1;\n")
            self.process.stdin.flush()
            if not self.process.stdout.readline():
                break
            self.done.append((began, time.monotonic()))

    def stop(self):
        self.wanted = False
        self.thread.join()
        self.process.stdin.close()
        self.process.wait()


class Load:
    def __init__(self, database):
        self.clients = [Client(database, number) for number in range(CLIENTS)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for each in self.clients:
            each.stop()

    def stall(self, since, until):
        """The longest that one write took of all that were under way between two moments, in seconds."""
        longest = 0.0
        for each in self.clients:
            while not each.done or each.done[-1][1] <= until:  # one that waits now counts too
                if not each.thread.is_alive():
                    sys.exit("bench: a client has lost its server")
                time.sleep(0.002)
            longest = max(longest, *(end - began for began, end in list(each.done) if end > since and began < until))
        return longest

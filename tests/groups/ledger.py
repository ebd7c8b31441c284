"""A bank whose money lies in two tables on two volumes, and clients that move it from one to the other.

What a good copy of it holds: tables that the server itself finds sound, every transfer in both tables or in none, all
of each client's transfers up to some number, at least those acknowledged before the cut, none begun after it.
"""
import json
import re
from pathlib import Path

import yaml

from machine import Failed, container, is_ready

HERE = Path(__file__).resolve().parent
OPENING = 1000
CLIENTS = 4
JOURNAL = "CREATE TABLE journal (client INT, seq INT, source INT, target INT, amount INT, PRIMARY KEY (client, seq))"


class Bank:
    """One StatefulSet of one pod; what differs between databases is in the classes below."""

    def __init__(self, name="bank", accounts=20000):
        self.name, self.pod, self.accounts = name, f"{name}-0", accounts
        self.claims = [f"data-{name}-0", f"ledger-{name}-0"]

    def objects(self):
        return list(yaml.safe_load_all((HERE / self.manifest).read_text(encoding="utf-8").replace("BANK", self.name)))

    def start(self, machine, ns):
        """On new volumes, with every account opened."""
        self.resume(machine, ns)
        for statement in self.opening():
            self.ask(machine, ns, statement)

    def resume(self, machine, ns, seconds=180):
        """On the volumes that are there."""
        for body in self.objects():
            if machine.get(body["kind"], body["metadata"]["name"], ns) is None:
                machine.create(body, ns)
        self.scale(machine, ns, 1)
        machine.until(lambda: self.serves(machine, ns), lambda: f"{self.pod} is ready: " + json.dumps(
            (machine.get("Pod", self.pod, ns) or {}).get("status"))[:1500], seconds)

    def serves(self, machine, ns):
        pod = machine.get("Pod", self.pod, ns)
        if container(pod).get("restartCount"):
            raise Failed(f"{self.pod} does not start:\n{machine.api.text('GET', self.log(machine, ns))[-1500:]}")
        return is_ready(pod)

    def log(self, machine, ns):
        return machine.path("Pod", self.pod, ns) + "/log?container=server&previous=true"

    def pause(self, machine, ns):
        """Nobody mounts the volumes any more."""
        self.scale(machine, ns, 0)
        machine.until(lambda: machine.get("Pod", self.pod, ns) is None, f"{self.pod} is gone")

    def remove(self, machine, ns):
        for body in self.objects():
            machine.delete(body["kind"], body["metadata"]["name"], ns=ns)
        machine.until(lambda: machine.get("Pod", self.pod, ns) is None, f"{self.pod} is gone")

    def scale(self, machine, ns, replicas):
        machine.api.merge(machine.path("StatefulSet", self.name, ns), {"spec": {"replicas": replicas}})

    def ask(self, machine, ns, sql):
        return machine.run(self.pod, [*self.local, sql], "server", ns).strip()

    def strangers(self, machine, ns):
        """Processes in the server's container that are not the server's, zombies among them: it reaps none."""
        told = machine.run(self.pod, ["sh", "-c", 'echo $$; cat /proc/[0-9]*/stat 2>/dev/null; true'], "server", ns)
        me, *lines = told.splitlines()
        words = [re.match(r"(\d+) \((.*)\) (\S) (\d+)", line).groups() for line in lines]
        return [f"{name} ({state})" for pid, name, state, parent in words
                if name != self.process and me not in (pid, parent)]

    def check(self, machine, ns, marks=None):
        """Failed if what is served there is not a whole copy; `marks`: where clients were before and after the cut."""
        self.sound(machine, ns)
        lefts, rights, moved = (int(self.ask(machine, ns, f"SELECT {what}")) for what in (
            "sum(amount) FROM lefts", "sum(amount) FROM rights", "coalesce(sum(amount), 0) FROM journal"))
        opened = OPENING * self.accounts
        if (lefts, rights) != (opened - moved, opened + moved):
            raise Failed(f"unbalanced: {moved} were moved, {opened - lefts} left one table, {rights - opened} came to "
                         "the other")
        rows = [tuple(map(int, line.split(self.separator))) for line in self.ask(
            machine, ns, "SELECT client, count(*), max(seq) FROM journal GROUP BY client").splitlines()]
        for client, count, last in rows:
            if count != last:
                raise Failed(f"client {client} has {count} transfers up to number {last}")
        reached = {client: last for client, _, last in rows}
        for client in range(CLIENTS if marks else 0):
            at_least, at_most = marks[0][client][0], marks[1][client][1]
            if not at_least <= reached.get(client, 0) <= at_most:
                raise Failed(f"client {client} is at {reached.get(client, 0)}: {at_least} was acknowledged before the "
                             f"cut, {at_most} begun after it")
        return sum(reached.values())


class Mariadb(Bank):
    manifest, separator, profile, process = "mariadb.yaml", "\t", "mariadb", "mariadbd"
    local = ["mariadb", "--no-defaults", "--socket=/run/mysqld/mysqld.sock", "-uroot", "--batch", "--skip-column-names",
             "bank", "-e"]

    def opening(self):
        return ["CREATE TABLE lefts (id INT PRIMARY KEY, amount BIGINT, filler CHAR(200))",
                "CREATE TABLE rights (id INT PRIMARY KEY, amount BIGINT, filler CHAR(200)) DATA DIRECTORY='/ledger'",
                JOURNAL,
                *(f"INSERT INTO {table} SELECT seq, {OPENING}, 'x' FROM seq_1_to_{self.accounts}"
                  for table in ("lefts", "rights")),
                "CREATE USER clients@'%'; GRANT ALL ON bank.* TO clients@'%'"]

    def start(self, machine, ns):
        self.resume(machine, ns)
        machine.run(self.pod, [*self.local[:-2], "-e", "CREATE DATABASE bank"], "server", ns)
        super().start(machine, ns)

    def sound(self, machine, ns):
        found = self.ask(machine, ns, "CHECK TABLE lefts, rights, journal EXTENDED")
        if [line.split("\t")[2:] for line in found.splitlines()] != [["status", "OK"]] * 3:
            raise Failed(f"CHECK TABLE: {found}")

    def remote(self, host):
        return ["mariadb", "--no-defaults", f"--host={host}", "--user=clients", "--batch", "--skip-column-names",
                "--unbuffered", "--skip-reconnect", "bank"]


class Postgresql(Bank):
    manifest, separator, profile, process = "postgresql.yaml", "|", "postgresql", "postgres"
    local = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "/run/postgresql", "-U", "postgres", "-c"]

    def opening(self):
        return ["CREATE TABLESPACE second LOCATION '/ledger/space'",
                "CREATE TABLE lefts (id INT PRIMARY KEY, amount BIGINT, filler CHAR(200))",
                "CREATE TABLE rights (id INT PRIMARY KEY USING INDEX TABLESPACE second, amount BIGINT, "
                "filler CHAR(200)) TABLESPACE second",
                JOURNAL,
                "CREATE EXTENSION amcheck",
                *(f"INSERT INTO {table} SELECT n, {OPENING}, 'x' FROM generate_series(1, {self.accounts}) n"
                  for table in ("lefts", "rights"))]

    def sound(self, machine, ns):
        """Every row of every table by its index, and every index by its table."""
        self.ask(machine, ns, "SELECT bt_index_check(indexrelid, true) FROM pg_index WHERE indrelid::regclass::text IN "
                 "('lefts', 'rights', 'journal')")
        damage = self.ask(machine, ns, "SELECT t, v.* FROM unnest(ARRAY['lefts', 'rights', 'journal']) t, "
                          "verify_heapam(t::regclass) v")
        if damage:
            raise Failed(f"verify_heapam: {damage[:800]}")

    def remote(self, host):
        return ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", host, "-U", "postgres"]


class Load:
    """Clients in a pod of their own; they go on until stopped."""

    def __init__(self, machine, ns, bank):
        self.machine, self.ns, self.name = machine, ns, f"{bank.name}-clients"
        code = (HERE / "clients.py").read_text(encoding="utf-8")
        host = f"{bank.pod}.{bank.name}"
        machine.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": self.name}, "spec": {
            "terminationGracePeriodSeconds": 1, "volumes": [{"name": "marks", "emptyDir": {}}],
            "containers": [{"name": "clients", "image": "host", "command": [
                "python3", "-c", code, str(bank.accounts), str(CLIENTS), "/marks", *bank.remote(host)],
                "volumeMounts": [{"name": "marks", "mountPath": "/marks"}]}]}}, ns)
        machine.until(lambda: is_ready(machine.get("Pod", self.name, ns)), f"{self.name} is ready")
        self.go()

    def sh(self, script):
        return self.machine.run(self.name, ["sh", "-c", script], "clients", self.ns)

    def go(self):
        self.sh("rm -f /marks/[0-9]* /marks/ended; touch /marks/go")
        self.progress()

    def marks(self):
        """For each client the last transfer that was acknowledged, and the last begun."""
        lines = self.sh(f"cd /marks; for i in $(seq 0 {CLIENTS - 1}); do cat $i 2>/dev/null || echo 0 0; done")
        return [tuple(map(int, line.split())) for line in lines.splitlines()]

    def progress(self):
        """Waits until every client has been served from here on."""
        before = self.marks()
        self.machine.until(lambda: all(new[0] > old[0] for new, old in zip(self.marks(), before)),
                           "every client is served")

    def pause(self):
        self.sh("rm -f /marks/go")
        self.machine.until(lambda: self.sh("ls /marks/ended 2>/dev/null || true"), "clients end")

    def stop(self):
        self.machine.delete("Pod", self.name, grace=0, ns=self.ns)
        self.machine.until(lambda: self.machine.get("Pod", self.name, self.ns) is None, f"{self.name} is gone")


BANKS = {"mariadb": Mariadb, "postgresql": Postgresql}


def start(machine, ns, kind="mariadb", **options):
    bank = BANKS[kind](**options)
    bank.start(machine, ns)
    return bank


def load(machine, ns, bank):
    return Load(machine, ns, bank)


def check(machine, ns, bank, marks=None):
    return bank.check(machine, ns, marks)

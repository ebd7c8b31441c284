"""A store that runs full under the backup of a group: a folder, and a bucket of a service that others wrote, each on a
disk that is too small. The database goes on, what the store held stays, and with room the next run goes well."""
import contextlib
import hmac
import json
import os
import socket
import subprocess
from pathlib import Path

from design import SQL
from machine import Failed, free_port

HERE = Path(__file__).resolve().parent
BALLAST = "head -c 400M /dev/urandom >/data/ballast"
PASSWORD = "of a full store"
ADMINS = "holdfast-system"
# Of what another namespace than the location's own writes into it: docs/moves.md.
SEAL = hmac.new(PASSWORD.encode(), f"holdfast.dev/repository/{ADMINS}.default".encode(), "sha256").hexdigest()


class Skipped(Exception):
    """What is missing, by name."""


@contextlib.contextmanager
def small_disk(folder):
    """Of 48 MiB: room for a fresh database, not for the ballast."""
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "holdfast-full", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def grow(folder):
    subprocess.run(["mount", "-o", "remount,size=512m", folder], check=True)


@contextlib.contextmanager
def bucket_on(machine, folder):
    """The address of a bucket of versitygw, which keeps objects as files there."""
    found = subprocess.run([HERE.parent / "peers/find", "versitygw", "1.8.0"], capture_output=True, text=True,
                           check=False)
    if found.returncode != 0:
        raise Skipped(found.stderr.strip())
    (folder / "data/bucket").mkdir(parents=True)
    (folder / "meta").mkdir()
    port = free_port()
    server = subprocess.Popen([found.stdout.strip(), "--access", "peer", "--secret", "peer-secret", "--port",
                               f"127.0.0.1:{port}", "--quiet", "--keep-alive", "--virtual-domain", "", "posix",
                               "--sidecar", folder / "meta", folder / "data"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def answers():
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return True
        return False
    try:
        machine.until(answers, "versitygw answers")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


class Books:
    """A MariaDB that is backed up to one location."""

    def __init__(self, groups, location):
        self.groups, self.machine, self.location = groups, groups.machine, location
        if self.machine.get("Pod", "demo-0") is None:
            self.machine.create(groups.claim("aside"))
            self.machine.apply(HERE / "demo.yaml", with_room_aside)
            self.machine.ready("demo-0")
            self.write("CREATE DATABASE books; CREATE TABLE books.t (n INT)")
            self.machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "full"}, "stringData": {
                "password": PASSWORD, "AWS_ACCESS_KEY_ID": "peer", "AWS_SECRET_ACCESS_KEY": "peer-secret"}})
        self.ballast("rm -f")
        self.machine.create({"apiVersion": "holdfast.dev/v1alpha1", "kind": "BackupLocation", "metadata": {
            "name": location["name"]}, "spec": {
                **location["place"], "password": {"name": "full", "key": "password"}, "allowForget": [ADMINS]}})
        groups.make(location["name"], ["demo-0"], how={
            "profile": "mariadb", "location": {"name": location["name"], "namespace": "default"}})

    def write(self, what="INSERT INTO books.t VALUES (1)"):
        self.machine.run("demo-0", [*SQL, what])

    def ballast(self, command):
        self.machine.run("demo-0", ["sh", "-c", f"{command} /data/ballast; sync"])

    def back_up(self):
        status = self.groups.completed(self.location["name"], "backup")["status"]
        if status["consistency"] != "Application":
            raise Failed(f"it says {status['consistency']}: {status['consistencyMessage']}")
        return {status["catalogue"], *(each["snapshotID"] for each in status["inputs"]["claims"])}

    def runs_full(self):
        """The name of the action that did."""
        action = self.groups.refused(self.location["name"], "WriteRefused", f"default/{self.location['name']}",
                                     "claim demo-0", "No space left on device", "make room", what="backup")
        ended = action["status"]
        steps = {each["name"]: each["state"] for each in ended["triggered"]["last"]}
        if steps != {"mariadb": "Completed", "snapshot": "Completed", "backup": "Error"}:
            raise Failed(f"its steps are {steps}")
        if ended.get("owed") or ended.get("catalogue"):
            raise Failed(f"a backup that failed has {ended.get('owed')} and {ended.get('catalogue')}")
        self.write()
        for each in ended["triggered"]["references"]["resources"]:
            for name in each["items"]["snapshot"]:
                if self.machine.get("VolumeSnapshot", name) is None:
                    raise Failed(f"snapshot {name}, which could be reverted to, is gone")
        return action["metadata"]["name"]

    def forget(self, action):
        """With what it has left in the repository."""
        path = self.machine.path("VolumeGroupAction", action, ADMINS)
        self.machine.api.merge(path, {"spec": {"deletionPolicy": "Delete"}})
        self.machine.delete("VolumeGroupAction", action, ns=ADMINS)
        self.machine.until(lambda: self.machine.get("VolumeGroupAction", action, ADMINS) is None, lambda: "it goes: " +
                           json.dumps(self.machine.get("VolumeGroupAction", action, ADMINS)["status"]["conditions"]))

    def holds(self, ids):
        """Every byte of the repository is read, and these snapshots are in it, and no others."""
        environment = {**os.environ, "RESTIC_REPOSITORY": self.location["repository"], "RESTIC_PASSWORD": SEAL,
                       "RESTIC_CACHE_DIR": str(self.machine.folder / "cache"), "AWS_ACCESS_KEY_ID": "peer",
                       "AWS_SECRET_ACCESS_KEY": "peer-secret", "AWS_REGION": "us-east-1"}
        for words in (["check", "--read-data"], ["snapshots", "--json"]):
            done = subprocess.run([self.machine.binary, "repo", *words], env=environment, capture_output=True,
                                  text=True, check=False)
            if done.returncode != 0:
                raise Failed(f"repo {words[0]}: {done.stdout[-1000:]}{done.stderr[-1000:]}")
        found = {each["id"] for each in json.loads(done.stdout)}
        if found != ids:
            raise Failed(f"the repository holds {found} in place of {ids}")


def with_room_aside(body):
    """Without the ballast, and with a second volume, which finds room where the first does not."""
    if body["kind"] == "Pod":
        body["spec"]["containers"][0]["volumeMounts"].append({"name": "aside", "mountPath": "/aside"})
        body["spec"]["volumes"].append({"name": "aside", "persistentVolumeClaim": {"claimName": "aside"}})
        command = body["spec"]["containers"][0]["command"]
        if BALLAST not in command[-1]:
            raise Failed("demo.yaml has another ballast")
        command[-1] = command[-1].replace(BALLAST, "")


def tell(groups, location, disk):
    books = Books(groups, location)
    kept = books.back_up()
    books.ballast("head -c 100M /dev/urandom >")
    books.forget(books.runs_full())
    books.holds(kept)
    grow(disk)
    books.holds(kept | books.back_up())


def full_folder(groups):
    with small_disk(groups.machine.folder / "small-folder") as disk:
        tell(groups, {"name": "full-folder", "place": {"file": {"path": str(disk / "store")}},
                      "repository": str(disk / f"store/{ADMINS}.default")}, disk)


def full_bucket(groups):
    with small_disk(groups.machine.folder / "small-bucket") as disk, bucket_on(groups.machine, disk) as address:
        tell(groups, {"name": "full-bucket", "repository": f"s3:{address}/bucket/full/{ADMINS}.default", "place": {
            "s3": {"endpoint": address, "bucket": "bucket", "prefix": "full", "region": "us-east-1",
                   "forcePathStyle": True},
            "credential": {"name": "full"}}}, disk)

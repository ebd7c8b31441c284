"""World of the data engine's campaigns: a source that changes, a store, our tool and the stock one."""
import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
from pathlib import Path

PASSWORD = "campaign"


class Failed(Exception):
    """What was not as it must be, and the output that shows it."""


def manifest(folder):
    """Relative path → what the file holds, for everything in a folder."""
    out = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            out[name] = "link " + os.readlink(path)
        elif path.is_dir():
            out[name] = "folder"
        else:
            out[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return out


class Source:
    """A folder that changes a little from round to round: large files with edits, many small ones, links."""

    def __init__(self, folder, chance, large=(2, 9)):
        self.folder, self.chance = folder, chance
        for i in range(3):
            self.write(f"large/{i}", chance.randbytes(chance.randrange(*large) << 20))
        for i in range(150):
            self.write(f"small/{i % 7}/{i}", chance.randbytes(chance.randrange(1, 30000)))
        (folder / "link").symlink_to("small")

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def change(self):
        chance = self.chance
        large = self.folder / f"large/{chance.randrange(3)}"
        data = bytearray(large.read_bytes())
        at = chance.randrange(len(data))
        data[at:at] = chance.randbytes(chance.randrange(1, 400000))
        large.write_bytes(data)
        for _ in range(20):
            i = chance.randrange(200)
            self.write(f"small/{i % 7}/{i}", chance.randbytes(chance.randrange(1, 30000)))
        victim = self.folder / f"small/{chance.randrange(7)}/{chance.randrange(200)}"
        victim.unlink(missing_ok=True)


class Store:
    """A folder, or a bucket of the S3 double over the same kind of folder."""

    def __init__(self, kind, work, double):
        self.kind, self.folder, self.double = kind, work / f"store-{kind}", double
        self.process = None
        self.environment = {"RESTIC_PASSWORD": PASSWORD, "RESTIC_CACHE_DIR": str(work / f"cache-{kind}"),
                            "RESTIC_PROGRESS_FPS": "1"}

    def __enter__(self):
        if self.kind == "file":
            self.environment["RESTIC_REPOSITORY"] = str(self.folder)
            return self
        self.folder.mkdir(exist_ok=True)
        self.process = subprocess.Popen([self.double, "--listen", "127.0.0.1:0", "--root", str(self.folder)],
                                        stdout=subprocess.PIPE, text=True)
        address = self.process.stdout.readline().split()[-1]
        self.environment.update({"RESTIC_REPOSITORY": f"s3:{address}/bucket/repository",
                                 "AWS_ACCESS_KEY_ID": "double", "AWS_SECRET_ACCESS_KEY": "double-secret",
                                 "AWS_DEFAULT_REGION": "us-east-1"})
        return self

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait()


class Tools:
    """Our tool and stock restic on one store."""

    def __init__(self, ours, restic, store):
        self.ours, self.restic = [str(ours), "repo"], restic
        self.environment = {**os.environ, **store.environment}
        version = subprocess.run([restic, "version"], capture_output=True, text=True, check=True).stdout
        # 0.16 learnt to wait for a lock.
        self.restic_waits = [] if " 0.14" in version else ["--retry-lock", "2m"]

    def start(self, *arguments, restic=False):
        command = [str(self.restic)] if restic else self.ours
        return subprocess.Popen([*command, *map(str, arguments)], env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, *arguments, restic=False):
        process = self.start(*arguments, restic=restic)
        out, err = process.communicate()
        if process.returncode != 0:
            who = "restic" if restic else "holdfast repo"
            what = " ".join(map(str, arguments))
            raise Failed(f"{who} {what}: exit {process.returncode}\n{out[-1500:]}{err[-1500:]}")
        return out

    def restored(self, snapshot, target, source, restic=False):
        shutil.rmtree(target, ignore_errors=True)
        self.run("restore", snapshot, "--target", target, restic=restic)
        return manifest(target / str(source).lstrip("/"))


def snapshot_of(output):
    """The id that a backup reported, if it came so far."""
    for line in output.splitlines():
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if message.get("message_type") == "summary":
                return message.get("snapshot_id")
    return None


def find_restic(root):
    found = subprocess.run([root / "tests/peers/find", "restic", "0.18.0"], capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return Path(found.stdout.strip())
    debian = shutil.which("restic", path="/usr/bin")
    return Path(debian) if debian else None


def seeded(seed, number):
    return random.Random(f"{seed}/{number}")

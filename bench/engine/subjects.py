"""The programs that are measured, each with its own words for the same deeds, as commands with an environment."""
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("HOLDFAST_BUILD_DIR", ROOT / "build/release"))
PASSWORD = "bench"
KOPIA = "0.0.0-20251230033609-d946b1e75197"


def surroundings(environment):
    """What a subject sees: nothing that the caller has set for such programs."""
    foreign = ("RESTIC_", "RUSTIC_", "KOPIA_", "BORG_", "OPENDAL_")
    return {name: value for name, value in os.environ.items() if not name.startswith(foreign)} | environment


class Place:
    """Where a repository is: a folder of its own, or a part of a bucket, of which `folder` is what the server keeps."""

    def __init__(self, folder, name):
        self.service = os.environ.get("HOLDFAST_S3")
        self.name = name
        self.folder = Path(os.environ["HOLDFAST_S3_FOLDER"]) / name if self.service else folder / "repository"

    def text(self):
        return f"s3:{self.service}/{self.name}" if self.service else str(self.folder)

    def endpoint_and_bucket(self):
        """HOST:PORT, BUCKET"""
        return self.service.removeprefix("http://").split("/", 1)


class Restic:
    """restic, and what has its verbs: ours."""

    share = 0.7  # of the size of the data, which the repository will need at most

    def __init__(self, name, program, backup=(), general=()):
        self.name, self.program, self.backup_flags, self.general = name, program, backup, general
        self.environment = {"RESTIC_PASSWORD": PASSWORD}
        if "off" in general:
            self.share = 1.15

    def again(self):
        """The same subject for another repository."""
        return Restic(self.name, self.program, self.backup_flags, self.general)

    def prepare(self, folder, name):
        self.place = Place(folder, name)
        self.environment |= {"RESTIC_REPOSITORY": self.place.text(), "RESTIC_CACHE_DIR": str(folder / "cache")}

    def command(self, verb, *arguments):
        return [*self.program, verb, *arguments]

    def init(self):
        return [self.command("init", *self.general)]

    def backup(self, data):
        return self.command("backup", *self.general, *self.backup_flags, str(data))

    def reread(self, data):
        return self.command("backup", "--force", *self.general, *self.backup_flags, str(data))

    def check(self):
        return self.command("check")

    def check_data(self):
        return self.command("check", "--read-data")

    def restore(self, _, target):
        return self.command("restore", "latest", "--target", str(target))


class Rustic(Restic):
    def __init__(self, program):
        super().__init__("rustic-0.11", [program, "--no-progress"])
        self.environment = {"RUSTIC_PASSWORD": PASSWORD}

    def prepare(self, folder, name):
        super().prepare(folder, name)
        self.environment |= {"RUSTIC_REPOSITORY": self.place.text(), "RUSTIC_CACHE_DIR": str(folder / "cache"),
                             "HOME": str(folder)}
        if self.place.service:
            host, bucket = self.place.endpoint_and_bucket()
            self.environment |= {"RUSTIC_REPOSITORY": "opendal:s3", "OPENDAL_ENDPOINT": f"http://{host}",
                                 "OPENDAL_BUCKET": bucket, "OPENDAL_ROOT": f"/{name}",
                                 "OPENDAL_REGION": os.environ["AWS_REGION"]}

    def restore(self, _, target):
        return self.command("restore", "latest", str(target))


class Kopia:
    """As Velero calls it, but with compression: Velero's own default is none, which would be another comparison."""

    share = 0.8

    def __init__(self, program):
        self.name, self.program = "kopia-zstd", program
        self.environment = {"KOPIA_PASSWORD": PASSWORD, "KOPIA_CHECK_FOR_UPDATES": "false"}

    def prepare(self, folder, name):
        self.place = Place(folder, name)
        self.environment |= {"KOPIA_CONFIG_PATH": str(folder / "config"), "KOPIA_LOG_DIR": str(folder / "logs"),
                             "KOPIA_CACHE_DIRECTORY": str(folder / "cache"), "HOME": str(folder)}

    def command(self, *arguments):
        return [self.program, "--no-progress", *arguments]

    def init(self):
        if self.place.service:
            host, bucket = self.place.endpoint_and_bucket()
            create = self.command("repository", "create", "s3", "--endpoint", host, "--bucket", bucket, "--disable-tls",
                                  "--region", os.environ["AWS_REGION"], "--prefix", f"{self.place.name}/")
        else:
            create = self.command("repository", "create", "filesystem", "--path", str(self.place.folder))
        return [create, self.command("policy", "set", "--global", "--compression", "zstd")]

    def backup(self, data):
        return self.command("snapshot", "create", str(data))

    def reread(self, data):
        return self.command("snapshot", "create", "--force-hash", "100", str(data))

    def check(self):
        return self.command("snapshot", "verify")

    def check_data(self):
        return self.command("snapshot", "verify", "--verify-files-percent", "100")

    def restore(self, data, target):
        return self.command("snapshot", "restore", str(data), str(target))


class Borg:
    share = 0.85

    def __init__(self, program):
        self.name, self.program = "borg-1.2-lz4", program
        self.environment = {"BORG_PASSPHRASE": PASSWORD, "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes",
                            "BORG_RELOCATED_REPO_ACCESS_IS_OK": "yes"}
        self.count = 0

    def prepare(self, folder, name):
        self.place = Place(folder, name)
        self.environment |= {"BORG_BASE_DIR": str(folder / "base"), "BORG_REPO": self.place.text()}

    def init(self):
        return [[self.program, "init", "-e", "repokey-blake2"]]

    def backup(self, data):
        self.count += 1
        return [self.program, "create", "-C", "lz4", f"::{self.count}", str(data)]

    def reread(self, data):
        self.count += 1
        return [self.program, "create", "-C", "lz4", "--files-cache", "disabled", f"::{self.count}", str(data)]

    def check(self):
        return [self.program, "check"]

    def check_data(self):
        return [self.program, "check", "--verify-data"]

    def restore(self, _, target):
        target.mkdir()
        return ["sh", "-c", f"cd '{target}' && exec '{self.program}' extract ::{self.count}"]


def peer(program, version):
    """Where a pinned peer is; what to do where it is not, said once."""
    found = subprocess.run([ROOT / "tests/peers/find", program, version], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        print(f"bench: left out: {found.stderr.strip()}", file=sys.stderr)
    return found.stdout.strip() or None


def debian_restic():
    """Debian's, and its version; only what tools/setup installs, not what else may stand on PATH."""
    program = Path("/usr/bin/restic")
    if not program.exists():
        print("bench: left out: Debian's restic; apt-get install restic", file=sys.stderr)
        return None, None
    said = subprocess.run([program, "version"], capture_output=True, text=True, check=False).stdout
    return program, ".".join(re.findall(r"\d+", said)[:2])


def both(version, program):
    yield Restic(f"restic-{version}", [program])
    yield Restic(f"restic-{version}-off", [program], general=("--compression", "off"))


def subjects():
    """Ours and the one that the goals name first: they find the disk in the same state."""
    ours = [BUILD / "holdfast", "repo"]
    yield Restic("holdfast", ours)
    yield Restic("holdfast-64k", ours, backup=("--chunks", "fixed:64k"))
    if program := peer("restic", "0.18.0"):
        yield from both("0.18", program)
    if program := peer("rustic", "0.11.4"):
        yield Rustic(program)
    if program := peer("kopia", KOPIA):
        yield Kopia(program)
    if os.environ.get("HOLDFAST_S3"):
        return  # the older restic says nothing more there, and borg has no such store
    program, version = debian_restic()
    if program:
        yield from both(version, program)
    if program := peer("borg", "1.2.4"):
        yield Borg(program)

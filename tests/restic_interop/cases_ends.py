"""Ends of runs that are not what was asked for: interrupted, nothing chosen, no room left, nothing there."""
import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

from world import PASSWORD, TIMEOUT_SECONDS, expect, expect_equal

MEBIBYTE = 1 << 20
SIZE = 40 * MEBIBYTE


def names(repo, kind):
    return sorted(path.name for path in repo.glob(f"{kind}/*"))


def start(world, repo, *arguments, env=None):
    environment = {**os.environ, "RESTIC_REPOSITORY": str(repo), "RESTIC_PASSWORD": PASSWORD, **(env or {})}
    return subprocess.Popen([*world.ours.words, "--no-cache", *map(str, arguments)], env=environment, cwd=world.folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def case_an_interrupted_upload_keeps_its_limit_and_makes_no_snapshot(world, _):
    folder = world.new("large")
    folder.mkdir()
    (folder / "random").write_bytes(random.Random(3).randbytes(SIZE))
    for packs in (1, 2, 3):
        repo = world.new("repo")
        world.ours.text(repo, "init")
        process = start(world, repo, "--limit-upload", "4096", "--pack-size", "4", "backup", folder.name)
        while len(names(repo, "data/*")) < packs and process.poll() is None:
            time.sleep(0.02)
        expect(process.poll() is None, f"it ended before its pack {packs} was there")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=TIMEOUT_SECONDS)[0].decode()
        expect_equal(process.returncode, 130, f"exit code after {packs} packs: {said}")
        expect_equal(names(repo, "snapshots"), [], f"snapshots after {packs} packs")
        expect_equal(names(repo, "locks"), [], "locks that were left behind")
        # What waited for its turn does not get it; what was on its way may have arrived.
        after = len(names(repo, "data/*"))
        expect(after <= packs + 2, f"{after - packs} packs came after the signal")
        world.restic.text(repo, "check")
    world.ours.text(repo, "backup", folder.name)
    world.restic.text(repo, "check", "--read-data")


class Bucket:
    """Of the S3 double, with its files in a folder."""

    def __init__(self, world):
        self.folder = world.new("bucket")
        self.folder.mkdir()
        self.process = subprocess.Popen([Path(world.ours.words[0]).parent / "holdfast-s3-double", "--listen",
                                         "127.0.0.1:0", "--root", str(self.folder)], stdout=subprocess.PIPE, text=True)
        self.location = f"s3:{self.process.stdout.readline().split()[-1]}/bucket/repository"
        self.environment = {"AWS_ACCESS_KEY_ID": "double", "AWS_SECRET_ACCESS_KEY": "double-secret",
                            "AWS_DEFAULT_REGION": "us-east-1"}
        self.files = self.folder / "bucket" / "repository"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def case_an_interrupted_upload_to_a_bucket_gives_its_lock_back(world, _):
    if not (Path(world.ours.words[0]).parent / "holdfast-s3-double").exists():
        return "holdfast-s3-double is not built"
    folder = world.new("large")
    folder.mkdir()
    (folder / "random").write_bytes(random.Random(5).randbytes(SIZE))
    with Bucket(world) as bucket:
        world.ours.text(bucket.location, "init", env=bucket.environment)
        process = start(world, bucket.location, "--limit-upload", "4096", "--pack-size", "4", "backup", folder.name,
                        env=bucket.environment)
        # The second comes when the first is there.
        while len(names(bucket.files, "data/*")) < 2 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=TIMEOUT_SECONDS)[0].decode()
        expect_equal(process.returncode, 130, f"exit code: {said}")
        expect_equal(names(bucket.files, "snapshots"), [], "snapshots")
        expect_equal(names(bucket.files, "locks"), [], f"locks that were left behind: {said}")
        expect_equal(len(names(bucket.files, "index")), 1, f"indexes of what was sent: {said}")
        world.restic.text(bucket.location, "check", "--read-data", env=bucket.environment)
    return None


def case_a_signal_at_any_moment_means_what_the_exit_code_says(world, fixtures):
    """130 and no snapshot, or 0 and a whole one."""
    repo = world.copy(fixtures.ours)
    began = time.monotonic()
    world.ours.text(repo, "backup", "--force", "source")
    takes = time.monotonic() - began
    known = set(names(repo, "snapshots"))
    codes = []
    for moment in range(12):
        process = start(world, repo, "backup", "--force", "source")
        time.sleep(takes * moment / 10)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=TIMEOUT_SECONDS)[0].decode()
        fresh = set(names(repo, "snapshots")) - known
        known |= fresh
        codes.append(process.returncode)
        # Before it listens to signals, it dies of one.
        wanted = {0: 1, 130: 0, -signal.SIGINT: 0}
        expect(wanted.get(process.returncode) == len(fresh),
               f"exit code {process.returncode} and {len(fresh)} snapshots: {said}")
    expect(130 in codes, f"no signal came in time: {codes}")
    world.restic.text(repo, "check")


def case_a_restore_that_chooses_nothing_fails(world, fixtures):
    for flag in ("--include", "--iinclude"):
        for extra in ((), ("--dry-run",)):
            ran = world.ours.call(fixtures.theirs, "restore", "latest", "--target", world.new("out"), flag,
                                  "/srv/source/times", *extra)
            expect_equal(ran.returncode, 1, "exit code when nothing fits")
            expect(b"/srv/source/times; it holds /source" in ran.stderr, ran.stderr.decode())
    world.ours.text(fixtures.theirs, "restore", "latest", "--target", world.new("out"), "--include", "/source/empty")
    target = world.new("out")
    for _ in range(2):
        world.ours.text(fixtures.theirs, "restore", "latest", "--target", target, "--include", "/source/times",
                        "--overwrite", "never")


FULL = """
set -e
mount -t tmpfs -o size=8m tmpfs "$1"
set +e
"$2" repo restore latest --target "$1" >"$3/full" 2>&1
echo $? >"$3/code"
set -e
mount -o remount,size=64m "$1"
"$2" repo restore latest --target "$1" >"$3/whole" 2>&1
cmp "$1/room/large" "$4/large"
test "$(ls "$1/room/many" | wc -l)" = 2000
"""


def case_a_full_disk_ends_a_restore(world, _):
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return "a small file system needs root and unshare"
    repo, folder, mount, notes = world.new("repo"), world.folder / "room", world.new("mount"), world.new("notes")
    for each in (folder / "many", mount, notes):
        each.mkdir(parents=True)
    (folder / "large").write_bytes(random.Random(4).randbytes(12 * MEBIBYTE))
    for number in range(2000):
        (folder / "many" / f"{number}").write_bytes(b"%d" % number * 500)
    world.ours.text(repo, "init")
    world.ours.text(repo, "backup", folder.name)
    ran = subprocess.run(["unshare", "-m", "sh", "-c", FULL, "full", mount, world.ours.words[0], notes, folder],
                         env={**os.environ, "RESTIC_REPOSITORY": str(repo), "RESTIC_PASSWORD": PASSWORD}, check=False,
                         capture_output=True)
    if b"mount" in ran.stderr and not (notes / "code").exists():
        return "no file system may be mounted here"
    said = (notes / "full").read_text()
    expect_equal(ran.returncode, 0, f"restored when there was room: {ran.stderr.decode()}\n{said}")
    expect_equal((notes / "code").read_text().strip(), "1", f"exit code of a restore without room: {said}")
    expect_equal(said.count("No space left on device"), 1, f"times it was said: {said[:3000]}")
    count = int(said.split(" bytes were restored")[0].split()[-1])
    expect(count <= 8 * MEBIBYTE, f"{count} bytes were restored, by what is said, where 8 MiB fit")
    return None


def case_what_is_not_there_is_not_forgotten(world, fixtures):
    repo = world.copy(fixtures.ours)
    there = names(repo, "snapshots")
    ran = world.ours.call(repo, "forget", "0123456789", there[0], there[0][:10])
    expect_equal(ran.returncode, 1, "exit code when one is not there")
    expect(b'no snapshot begins with "0123456789"' in ran.stderr, ran.stderr.decode())
    expect(b"removed 1 snapshots" in ran.stdout, ran.stdout.decode())
    expect_equal(len(names(repo, "snapshots")), len(there) - 1, "snapshots")
    ran = world.ours.call(repo, "forget", "0123456789", "--prune")
    expect(ran.returncode == 1 and b"removed" not in ran.stdout, ran.stdout.decode())

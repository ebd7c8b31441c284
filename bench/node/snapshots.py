"""Snapshot time by provider, from the request to readyToUse; beside it a copy of the volume's folder."""
import os
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import contextmanager

from figures import BINARY, Machine, await_status, bound_folder, clear, fill, report, skipped, timed

SNAPSHOTS = "/apis/snapshot.storage.k8s.io/v1/namespaces/default/volumesnapshots"
ROUNDS = 3


@contextmanager
def file_system(kind, folder, mib):
    """A folder on that kind of file system; None where it cannot be had."""
    place = folder / kind
    place.mkdir()
    if kind == "copy":
        yield place
        return
    if os.geteuid() != 0 or not shutil.which(f"mkfs.{kind}"):
        skipped(f"snapshot on {kind}", "needs root and mkfs." + kind)
        yield None
        return
    image = folder / f"{kind}.img"
    with open(image, "wb") as out:
        os.posix_fallocate(out.fileno(), 0, max(mib * 4, 512) << 20)
    subprocess.run([f"mkfs.{kind}", "-q", image], check=True, capture_output=True)
    subprocess.run(["mount", "-o", "loop", image, place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)
        image.unlink()


def take(machine, number):
    name = f"cut-{number}"
    began = time.monotonic()
    machine.api.create(SNAPSHOTS, {"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot",
                                   "metadata": {"name": name},
                                   "spec": {"source": {"persistentVolumeClaimName": "data"}}})
    await_status(machine, f"{SNAPSHOTS}/{name}", lambda status: status.get("readyToUse"), f"snapshot {name}")
    took = time.monotonic() - began
    machine.api.delete(f"{SNAPSHOTS}/{name}")
    return took


def on(provider, place, folder, mib):
    flags = ("--volumes", place / "volumes", "--provider", provider)
    (folder / f"machine-{provider}").mkdir()
    with Machine(BINARY, folder / f"machine-{provider}", flags) as machine:
        data = bound_folder(machine, "data", mib)
        fill(data, mib)
        case = f"snapshot-{provider}"
        report(case, "holdfast", "wall", "s", statistics.median(take(machine, number) for number in range(ROUNDS)))
        copies = []
        for number in range(ROUNDS):
            copy = place / f"copy-{number}"
            copies.append(timed(["cp", "-a", "--reflink=never", data, copy]))
            clear(copy)
        report(case, "cp", "wall", "s", statistics.median(copies))


def measure(folder, mib):
    for provider, kind in (("btrfs", "btrfs"), ("reflink", "xfs"), ("copy", "copy")):
        with file_system(kind, folder, mib) as place:
            if place:
                print(f"bench: snapshots by {provider}", file=sys.stderr, flush=True)
                on(provider, place, folder, mib)

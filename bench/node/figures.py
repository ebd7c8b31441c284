"""Frame of the node benchmark: the file of figures, the peers, and a machine to measure on."""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("HOLDFAST_BUILD_DIR", ROOT / "build/release"))
OUT = Path(os.environ["HOLDFAST_BENCH_OUT"])
BINARY = BUILD / "holdfast"
MiB = 1 << 20
RESTIC = "restic-0.18"

sys.path.append(str(ROOT / "tests/campaigns/machine"))
from machine import Machine, Refused  # noqa: E402,F401


def report(case, subject, metric, unit, value):
    line = {"case": case, "subject": subject, "metric": metric, "unit": unit, "value": round(value, 4)}
    with OUT.open("a") as out:
        out.write(json.dumps(line) + "\n")


def skipped(what, why):
    print(f"skipped  {what}: {why}", flush=True)


def find_peer(name, version):
    """Its path, or None and a line that says why."""
    found = subprocess.run([ROOT / "tests/peers/find", name, version], capture_output=True, text=True, check=False)
    if found.returncode != 0:
        skipped(f"{name}-{version}", found.stderr.strip())
        return None
    return found.stdout.strip()


def timed(command, **how):
    """Seconds that a command takes; its failure ends the run."""
    os.sync()
    start = time.monotonic()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **how)
    seconds = time.monotonic() - start
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, command))}: {done.stderr[-1500:]}")
    return seconds


def fill(folder, mib):
    """Half that compresses to a third or so, half that does not at all: large files and some hundred small ones."""
    words = [f"{number:x} lines of a log that says much the same again\n".encode() for number in range(4096)]
    text = b"".join(words)
    parts = 8
    for part in range(parts):
        size = mib * MiB // parts
        with open(folder / f"part-{part}", "wb") as out:
            while size > 0:
                piece = os.urandom(min(MiB, size)) if part % 2 else mixed(text, min(MiB, size))
                out.write(piece)
                size -= len(piece)
    small = folder / "small"
    small.mkdir()
    for number in range(300):
        (small / str(number)).write_bytes(os.urandom(2000) + text[:4000])
    os.sync()


def mixed(text, size):
    """Text with a random line now and then, so that no two pieces are the same."""
    piece = bytearray((text * (size // len(text) + 1))[:size])
    for at in range(0, size - 64, 4096):
        piece[at:at + 64] = os.urandom(64)
    return bytes(piece)


def claim(name, mib):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": f"{2 * mib}Mi"}}}}


def bound_folder(machine, name, mib):
    """A claim's folder: a pod has used it, so that it is there."""
    machine.create(claim(name, mib))
    machine.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{name}-first"}, "spec": {
        "restartPolicy": "Never", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}],
        "containers": [{"name": "c", "image": "host", "command": ["/bin/true"], "imagePullPolicy": "IfNotPresent",
                        "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}})
    machine.until(lambda: (machine.get("Pod", f"{name}-first") or {}).get("status", {}).get("phase") == "Succeeded",
                  f"claim {name} is used")
    machine.delete("Pod", f"{name}-first", grace=0)
    return folder_of(machine, name)


def folder_of(machine, name):
    volume = machine.get("PersistentVolumeClaim", name)["spec"]["volumeName"]
    return Path(machine.api.get(f"/api/v1/persistentvolumes/{volume}")["spec"]["local"]["path"])


def await_status(machine, path, good, what):
    """Looks at one object until its status is as it should be; the seconds from now until then."""
    start = time.monotonic()
    while True:
        status = machine.api.get(path).get("status", {})
        if good(status):
            return time.monotonic() - start
        if status.get("phase") == "Failed" or time.monotonic() - start > 1800:
            sys.exit(f"bench: {what}: {json.dumps(status)[:1500]}\n{machine.log()}")
        time.sleep(0.005)


def same(one, other):
    compared = subprocess.run(["diff", "-rq", one, other], capture_output=True, text=True, check=False)
    return compared.returncode == 0


def clear(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.sync()

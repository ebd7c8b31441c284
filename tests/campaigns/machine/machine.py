"""A `holdfast up` that can be killed and comes back at the same address, with the few verbs that stories on it need."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from functools import cached_property
from pathlib import Path

import yaml

sys.dont_write_bytecode = True
# Last: campaigns have modules of the same names.
sys.path.append(str(Path(__file__).resolve().parents[2] / "node_suite"))
from client import Api, Refused  # noqa: E402
from threads import threads_of  # noqa: E402
import granted  # noqa: E402
from websocket import Exec  # noqa: E402

READY_SECONDS, STOP_SECONDS, WAIT_SECONDS = 60, 90, 120
# Kinds of others; ours are as the binary prints them.
PLURALS = {"Pod": ("/api/v1", "pods"), "Service": ("/api/v1", "services"), "Secret": ("/api/v1", "secrets"),
           "ServiceAccount": ("/api/v1", "serviceaccounts"),
           "PersistentVolumeClaim": ("/api/v1", "persistentvolumeclaims"),
           "StatefulSet": ("/apis/apps/v1", "statefulsets"),
           "Job": ("/apis/batch/v1", "jobs"), "Event": ("/apis/events.k8s.io/v1", "events"),
           "VolumeSnapshot": ("/apis/snapshot.storage.k8s.io/v1", "volumesnapshots")}
# Without a namespace.
CLUSTER = {"PersistentVolume": ("/api/v1", "persistentvolumes"), "Namespace": ("/api/v1", "namespaces"),
           "VolumeSnapshotContent": ("/apis/snapshot.storage.k8s.io/v1", "volumesnapshotcontents")}


# A namespace with it may run the image `host`, the machine's own root, which is where the stories' databases are.
HOST_IMAGE = {"holdfast.dev/host-image": "allowed"}


def namespace(name):
    """One whose accounts may reach into pods of the machine's own image, as those that quiesce do."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": HOST_IMAGE}}


class Failed(Exception):
    """What was promised does not hold."""


class Tenant(Api):
    """The same server, as somebody who has no rights but those given to the user tenant."""

    def _once(self, method, path, body, headers):
        return super()._once(method, path, body, {**headers, "Impersonate-User": "tenant",
                                                  "Impersonate-Group": "system:authenticated"})


def need(*programs):
    """Ends the test as skipped, by name, when a program of Debian's is not there."""
    for program, package in programs:
        if not shutil.which(program):
            print(f"skipped: {program} is not there (Debian package {package})")
            sys.exit(77)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Machine:
    def __init__(self, binary, folder=None, flags=(), address="127.0.0.1"):
        self.binary, self.port, self.flags = str(binary), free_port(), [str(flag) for flag in flags]
        self.address = address
        self.folder = Path(folder or tempfile.mkdtemp(prefix="holdfast-machine."))
        self.data = self.folder / "data"
        self.process, self.api = None, None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            # What a failed story leaves behind; their pods' processes go with them.
            for shim in self.shims():
                os.kill(shim, signal.SIGKILL)
            shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.process = subprocess.Popen([self.binary, "up", "--data-dir", str(self.data), "--listen",
                                         f"{self.address}:{self.port}", *self.flags], stdout=subprocess.PIPE,
                                        stderr=open(self.folder / "up.log", "a", encoding="utf-8"), text=True)
        if not self.process.stdout.readline().startswith("ready "):
            raise Failed("holdfast up did not come up:\n" + self.log())
        self.api = Api(self.data / "admin.kubeconfig")
        self.api.merge("/api/v1/namespaces/default", {"metadata": {"labels": HOST_IMAGE}})

    def log(self):
        return (self.folder / "up.log").read_text(encoding="utf-8")[-3000:]

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Failed("holdfast up did not stop") from None

    @cached_property
    def ours(self):
        """Kind → where it is served and its plural, of the binary's own kinds that are in namespaces."""
        definitions = [each["spec"] for each in granted.printed(self.binary, "crds")]
        return {each["names"]["kind"]: (f"/apis/{each['group']}/{each['versions'][0]['name']}",
                                        each["names"]["plural"])
                for each in definitions if each["scope"] == "Namespaced"}

    # --- objects ----------------------------------------------------------------------------------

    def path(self, kind, name="", ns="default"):
        base, plural = CLUSTER.get(kind) or PLURALS.get(kind) or self.ours[kind]
        within = "" if kind in CLUSTER else f"/namespaces/{ns}"
        return f"{base}{within}/{plural}" + (f"/{name}" if name else "")

    def create(self, body, ns="default"):
        refusals = []

        def try_it():
            try:
                return self.api.create(self.path(body["kind"], ns=ns), body)
            except Refused as refused:
                # Right after the start the default account, or a kind of ours, may not be there yet.
                if refused.code not in (403, 404):
                    raise
                refusals.append(str(refused))
                return None
        return self.until(try_it, lambda: f"{body['kind']} {body['metadata']['name']} is taken {refusals[-1:]}")

    def apply(self, file, change=lambda body: None):
        for body in yaml.safe_load_all(Path(file).read_text(encoding="utf-8")):
            change(body)
            self.create(body)

    def get(self, kind, name, ns="default"):
        try:
            return self.api.get(self.path(kind, name, ns))
        except Refused as refused:
            if refused.code == 404:
                return None
            raise

    def list(self, kind, ns="default"):
        return self.api.get(self.path(kind, ns=ns))["items"]

    def delete(self, kind, name, grace=None, ns="default"):
        try:
            self.api.delete(self.path(kind, name, ns), grace)
        except Refused as refused:
            if refused.code != 404:
                raise

    def until(self, look, what, seconds=WAIT_SECONDS):
        end = time.monotonic() + seconds
        while True:
            try:
                found, silent = look(), None
            except (OSError, http.client.HTTPException) as reason:
                found, silent = None, reason  # it may be down
            if found:
                return found
            if time.monotonic() > end:
                # Of a server that does not answer, its threads say more than its log.
                more = f"the last request: {silent!r}\n{threads_of(self.process.pid)}\n" if silent else ""
                raise Failed(f"not within {seconds} s: {what() if callable(what) else what}\n{more}{self.log()}")
            time.sleep(0.1)

    def ready(self, *pods):
        for name in pods:
            last = {}

            def look(name=name, last=last):
                last["pod"] = self.get("Pod", name)
                return is_ready(last["pod"]) and last["pod"]
            self.until(look, lambda name=name, last=last: f"pod {name} is ready: "
                       f"{json.dumps((last.get('pod') or {}).get('status', {}))[:1500]}")

    def run(self, pod, command, container=None, ns="default"):
        """What a command in a pod prints; Failed with its words if it fails."""
        session = Exec(self.api, ns, pod, command, container)
        code = session.finish()
        if code != 0:
            raise Failed(f"{command} in {pod}: code {code}: {session.err.decode(errors='replace')[-800:]}")
        return session.out.decode()

    # --- processes --------------------------------------------------------------------------------

    def shims(self):
        """Pids of the shims of this machine's pods, by the folder each was started for."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0") if entry.isdigit() else []
            except OSError:
                continue
            if b"shim" in words and any(word.startswith(os.fsencode(self.data)) for word in words):
                found.append(int(entry))
        return found


def is_ready(pod):
    return any(each["type"] == "Ready" and each["status"] == "True"
               for each in (pod or {}).get("status", {}).get("conditions") or [])


def container(pod, name=None):
    statuses = (pod or {}).get("status", {}).get("containerStatuses") or [{}]
    return next((each for each in statuses if name in (None, each.get("name"))), {})

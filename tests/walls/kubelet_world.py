"""A cluster with a real kubelet and containerd (tests/node_suite/kubelet_rig), and our operator, volumes and a node for
movers beside it."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import yaml

from beside import Beside
from group_runs import group_of, run_of
from machine import Api, Machine

ADMINS, PASSWORD = "holdfast-system", "word"
OURS = "holdfast.dev/v1alpha1"
REAL, MOVERS = "rig", "ours"  # the nodes
IMAGE = "localhost/mover"
# What takes the trailers' wall away in movers: breach.cpp.
BREACH = "breach=command trailer"


class KubeletWorld(Machine):
    """Its verbs are those of a Machine. Applications run on the real node, movers on ours: what is shown is what
    becomes of the streams to the former."""

    def __init__(self, binary, folder):
        super().__init__(binary, folder)
        self.rig = Path(os.environ["HOLDFAST_RIG_KUBECONFIG"]).parent
        self.api, self.breaches, self.number = Api(self.rig / "admin.kubeconfig"), self.folder / "breaches", 0
        self.data.mkdir(parents=True)
        shutil.copy(self.rig / "admin.kubeconfig", self.data / "admin.kubeconfig")
        os.environ["HOLDFAST_BREACH"] = str(self.breaches)
        self.vault = self.folder / "vault"
        self.volumes = Beside(self, "volumes", "--binders", "--node", REAL, "--provider", "copy", "--volumes",
                              self.data / "volumes")
        self.beside = [
            self.volumes,
            Beside(self, "node", "--name", MOVERS, "--data-dir", self.data / MOVERS, "--images",
                   self.folder / "images"),
            Beside(self, "operator", "--pages", "", "--no-leader-elect", "--mover-image", IMAGE)]

    def log(self):
        return "".join(f"--- {each.name}\n{each.log()}" for each in self.beside if each.process)

    def __enter__(self):
        try:
            self.stand()
            self.vault.mkdir()
            make_mover_image(self.folder / "images" / IMAGE / "latest", self.binary)
            made = subprocess.run([self.binary, "crds"], capture_output=True, text=True, check=True).stdout
            for body in yaml.safe_load_all(made):
                self.api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body)
            for each in self.beside:
                each.start()
            self.prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for each in reversed(self.beside):
            each.stop()
        for shim in self.shims():
            os.kill(shim, signal.SIGKILL)

    def stand(self, *but):
        self.breaches.write_text("".join(f"{each}\n" for each in but), encoding="utf-8")

    def prepare(self):
        self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ADMINS}})
        self.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "password"},
                     "stringData": {"password": PASSWORD}}, ADMINS)
        self.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": "vault"}, "spec": {
            "file": {"path": str(self.vault)}, "password": {"name": "password"}, "default": True}}, ADMINS)
        self.until(lambda: self.listed("/apis/storage.k8s.io/v1/storageclasses"), "there is a class of volumes")
        self.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "16Mi"}}}}, ADMINS)
        self.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "app"}, "spec": {
            "terminationGracePeriodSeconds": 0, "nodeSelector": {"kubernetes.io/hostname": REAL},
            "volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}],
            "containers": [{"name": "main", "image": "host", "imagePullPolicy": "Never",
                            "command": ["sh", "-c", "exec sleep 100000"],
                            "volumeMounts": [{"name": "d", "mountPath": "/d"}]}]}}, ADMINS)
        self.until(lambda: self.get("Pod", "app", ADMINS)["status"].get("phase") == "Running", lambda: "the pod runs: "
                   + json.dumps(self.get("Pod", "app", ADMINS)["status"]))
        self.api.merge(f"/api/v1/nodes/{REAL}", {"spec": {"unschedulable": True}})

    def listed(self, path):
        return self.api.get(path)["items"]

    def on_volume(self, name):
        volume = self.get("PersistentVolumeClaim", "data", ADMINS)["spec"]["volumeName"]
        return Path(self.get("PersistentVolume", volume)["spec"]["local"]["path"]) / name

    # --- the real node's programs ------------------------------------------------------------------

    def kill(self, name):
        """-9, and as it was again a second later."""
        lines = (self.rig / "pids").read_text(encoding="utf-8").split("\n")
        pid = int(next(line for line in reversed(lines) if line.endswith(f" {name}")).split()[0])
        process = Path(f"/proc/{pid}")
        words = (process / "cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        around = (process / "environ").read_bytes().split(b"\0")
        surroundings = dict(line.split(b"=", 1) for line in around if b"=" in line)
        os.kill(pid, signal.SIGKILL)
        time.sleep(1)
        again = subprocess.Popen(words, env=surroundings, start_new_session=True, stdin=subprocess.DEVNULL,
                                 stdout=open(self.rig / f"{name}.log", "ab"), stderr=subprocess.STDOUT)
        with open(self.rig / "pids", "a", encoding="utf-8") as out:
            out.write(f"{again.pid} {name}\n")

    # --- what is asked for -------------------------------------------------------------------------

    def dump(self, script, breach):
        """A move of what the script prints in the pod; its name."""
        self.number += 1
        name = f"dump-{self.number}"
        self.create({"apiVersion": OURS, "kind": "DataMove", "metadata": {"name": name}, "spec": {
            "direction": "Backup", "pod": {"name": "app", "command": ["sh", "-c", script, *[BREACH][:breach]]},
            "backoffLimit": 10}}, ADMINS)
        return name

    def snapshot(self, how):
        self.number += 1
        name = f"run-{self.number}"
        self.create(group_of(name, how), ADMINS)
        self.create(run_of(name), ADMINS)
        return name

    def status(self, kind, name):
        return (self.get(kind, name, ADMINS) or {}).get("status", {})

    def ended(self, kind, name, member, states):
        def look():
            status = self.status(kind, name)
            return status.get(member) in states and status
        return self.until(look, lambda: f"{kind} {name} ends: {self.status(kind, name)}", 240)

    def kept(self, snapshot):
        where = {"RESTIC_REPOSITORY": str(self.vault / ADMINS), "RESTIC_PASSWORD": PASSWORD}
        return subprocess.run([self.binary, "repo", "dump", snapshot, "/output"], check=True, capture_output=True,
                              env={**os.environ, **where}).stdout


def make_mover_image(root, binary):
    """Our program and the libraries that it loads."""
    for folder in ("usr/bin", "tmp", "dev", "proc", "sys", "etc"):
        (root / folder).mkdir(parents=True)
    shutil.copy(binary, root / "usr/bin/holdfast")
    loaded = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    for library in re.findall(r"(/\S+) \(0x", loaded):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, root / library[1:])
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n", encoding="utf-8")

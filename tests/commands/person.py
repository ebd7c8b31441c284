"""A person at a shell: runs our commands, and kubectl's, against one machine."""
import os
import re
import subprocess
from dataclasses import dataclass

from machine import Failed
from terminal import Terminal

LIMIT_SECONDS = 180
PASSWORD = "a password for the commands"


@dataclass
class Said:
    code: int
    out: str
    err: str


def claim(name):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "labels": {"app": "shop"}},
            "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Mi"}}}}


def pod(name, script, volume=None, labels=None, restart="Never"):
    spec = {"restartPolicy": restart, "terminationGracePeriodSeconds": 0,
            "containers": [{"name": "c", "image": "host", "command": ["/bin/sh", "-c", script]}]}
    if volume:
        spec["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": volume}}]
        spec["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}}, "spec": spec}


class Person:
    def __init__(self, machine, kubectl):
        self.machine, self.kubectl = machine, kubectl
        self.store, self.password = machine.folder / "store", machine.folder / "password"
        foreign = ("AWS_", "RESTIC_", "KUBE")
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        self.environment |= {"KUBECONFIG": str(machine.data / "admin.kubeconfig"), "HOME": str(machine.folder)}

    def prepare(self):
        """A volume with files in it, and something that runs."""
        self.password.write_text(PASSWORD + "\n")
        self.machine.create(claim("data"))
        self.machine.create(pod("fill", "cd /v; for i in $(seq 4); do head -c 2000000 /dev/urandom >part-$i; done; "
                                "mkdir -p deep/er; echo text >deep/er/file; ln -s deep link; sync", volume="data"))
        self.machine.create(pod("web", "sleep 100000", labels={"app": "shop"}, restart="Always"))
        self.ended("fill")
        self.machine.ready("web")

    def ended(self, name):
        self.machine.until(lambda: (self.machine.get("Pod", name) or {}).get("status", {}).get("phase") == "Succeeded",
                           f"pod {name} has ended")

    def run(self, *words, program=None, **environment):
        done = subprocess.run([program or self.machine.binary, *words], env={**self.environment, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_SECONDS,
                              check=False)
        return Said(done.returncode, done.stdout, done.stderr)

    def want(self, words, code=0, out="", err="", **environment):
        """Runs it; the code must be that, and patterns found in what it says."""
        said = self.run(*words, **environment)
        for name, text, pattern in (("output", said.out, out), ("errors", said.err, err)):
            if not re.search(pattern, text):
                raise Failed(f"holdfast {' '.join(words)}: no {pattern!r} in its {name}: {said}")
        if said.code != code:
            raise Failed(f"holdfast {' '.join(words)}: exit code {said.code}, not {code}: {said}")
        if PASSWORD in said.out + said.err:
            raise Failed(f"holdfast {' '.join(words)} tells the password")
        return said

    def start(self, *words):
        return subprocess.Popen([self.machine.binary, *words], env=self.environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def terminal(self, *words):
        place = [f"{name}={value}" for name, value in self.environment.items()]
        return Terminal(["/usr/bin/env", "-i", *place, self.machine.binary, *words], 24, 100)

    def folder_of(self, name, ns="default"):
        """Where the bytes of a claim are."""
        volume = self.machine.get("PersistentVolumeClaim", name, ns)["spec"]["volumeName"]
        return self.machine.api.get(f"/api/v1/persistentvolumes/{volume}")["spec"]["local"]["path"]

    def location(self, name="here", *more):
        """A folder location, made once."""
        if not self.machine.get("BackupLocation", name):
            self.want(["location", "add", name, "--path", str(self.store / name), "--password-file",
                       str(self.password), *more], out=f"backuplocation.holdfast.dev/{name} created")

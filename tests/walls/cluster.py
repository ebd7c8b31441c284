"""A cluster of the real API server, its controllers and scheduler, with our node, volumes and operator beside them."""
import itertools
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from functools import cached_property
from pathlib import Path

import yaml

from client import Api
from h7_impersonation import ACCOUNT, NS
from machine import Failed, Machine
from operators import make_mover_image, until

FIND = Path(__file__).resolve().parents[1] / "peers/find"


def found(program):
    """Where that peer is; the test is skipped, by name, if it is not there."""
    looked = subprocess.run([FIND, program, "1.34.4"], check=False, capture_output=True, text=True)
    if looked.returncode != 0:
        print(f"skipped: {looked.stderr.strip()}")
        sys.exit(77)
    return looked.stdout.strip()


class Cluster(Machine):
    """Its verbs are those of a Machine; what is started is gone at the end."""

    def __init__(self, binary):
        super().__init__(Path(binary).resolve(), tempfile.mkdtemp(prefix="holdfast-cluster."))
        self.kubeconfig, self.machine = Path(os.environ["HOLDFAST_REAL_KUBECONFIG"]), self
        self.api, self.processes, self.numbers = Api(self.kubeconfig), {}, itertools.count()
        self.data.mkdir()
        shutil.copy(self.kubeconfig, self.data / "admin.kubeconfig")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for name in reversed(list(self.processes)):
            self.end(name)
        for shim in self.shims():
            os.kill(shim, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        return "".join(f"--- {each.name}\n{each.read_text(encoding='utf-8')[-1500:]}"
                       for each in sorted(self.folder.glob("*.log")))

    # --- processes ---------------------------------------------------------------------------------

    def run_beside(self, name, *words, kubeconfig=None, program=()):
        self.processes[name] = self.process = subprocess.Popen(
            [*(program or (self.binary, name)), "--kubeconfig", kubeconfig or self.kubeconfig, *map(str, words)],
            stdout=subprocess.DEVNULL, stderr=open(self.folder / f"{name}.log", "a", encoding="utf-8"))

    def end(self, name):
        """Its exit code, if it had ended before."""
        process = self.processes.pop(name)
        early = process.poll()
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        return early

    def start_volumes(self):
        self.run_beside("volumes", "--node", "n1", "--provider", "copy", "--volumes", self.data / "volumes")

    def operated(self):
        """A node, volumes and an operator run, with their kinds, the operator with what it is printed as its rights."""
        if "operator" in self.processes:
            return
        self.run_beside("scheduler", "--leader-elect=false", "--secure-port=0", "--authentication-skip-lookup=true",
                        program=[found("kube-scheduler")])
        make_mover_image(self.folder / "images/localhost/movers/latest", self.binary)
        self.run_beside("node", "--name", "n1", "--data-dir", self.data / "node", "--listen", "127.0.0.1:0", "--images",
                        self.folder / "images")
        if "volumes" not in self.processes:
            self.start_volumes()
        for name in ("crds", "rbac"):
            if (applied := self.apply(name)).returncode != 0:
                raise Failed(applied.stderr)
        self.run_beside("operator", "--pages", "", "--mover-image", "localhost/movers", kubeconfig=self.as_operator())
        self.until(lambda: self.list("DataMove", NS) is not None, "our kinds are served")

    def as_operator(self):
        """A kubeconfig with the token of the operator's account."""
        made = self.api.create(f"/api/v1/namespaces/{NS}/serviceaccounts/{ACCOUNT}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        config = yaml.safe_load(self.kubeconfig.read_text(encoding="utf-8"))
        config["users"][0]["user"] = {"token": made["status"]["token"]}
        out = self.folder / "operator.kubeconfig"
        out.write_text(yaml.safe_dump(config), encoding="utf-8")
        return out

    # --- objects -----------------------------------------------------------------------------------

    @cached_property
    def kubectl(self):
        return [found("kubectl"), "--kubeconfig", self.kubeconfig]

    def apply(self, *words):
        """kubectl apply of what one of our commands prints."""
        text = subprocess.run([self.binary, *words], check=True, capture_output=True, text=True).stdout
        return subprocess.run([*self.kubectl, "apply", "-f", "-"], input=text, capture_output=True, text=True,
                              check=False)

    def namespace(self):
        name = f"shop-{next(self.numbers)}"
        self.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        until(lambda: self.api.get(f"/api/v1/namespaces/{name}/serviceaccounts/default"), "it has its account")
        return name

"""A `holdfast apiserver` with operators as processes of their own, with the rights that `holdfast rbac` prints."""
import subprocess
import sys
from pathlib import Path

import yaml

sys.path.append(str(Path(__file__).resolve().parents[1] / "driver_suite"))

from h7_impersonation import ACCOUNT, KINDS, NS  # noqa: E402
from operators import Operator, Server, until  # noqa: E402,F401

LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{NS}/leases/holdfast-operator"
# A lease that is lost within seconds.
SHORT = ["--lease-duration", 10, "--renew-deadline", 3, "--retry-period", 1]


class Alone(Server):
    """One per case, in a folder of its own."""

    def __init__(self, world, name):
        super().__init__(world.machine.binary, world.folder / name)

    def grant_printed(self, *words):
        """Document by document, as kubectl applies them, to a server that has none of it; then the account's token."""
        out = subprocess.run([self.binary, "rbac", *words], check=True, capture_output=True, text=True).stdout
        documents = list(yaml.safe_load_all(out))
        for each in documents:
            self.api.create(KINDS[each["kind"]].format(ns=each["metadata"].get("namespace")), each)
        ns = documents[0]["metadata"]["name"]
        made = self.api.create(f"/api/v1/namespaces/{ns}/serviceaccounts/{ACCOUNT}/token", {
            "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        self.token = made["status"]["token"]

    def kubeconfig(self):
        config = yaml.safe_load((self.folder / "data/admin.kubeconfig").read_text(encoding="utf-8"))
        config["users"][0]["user"] = {"token": self.token}
        (self.folder / "operator.kubeconfig").write_text(yaml.safe_dump(config), encoding="utf-8")
        return self.folder / "operator.kubeconfig"

    def operator(self, *flags, name="operator"):
        return Operator(self, *SHORT, *flags, name=name)

    def condition(self, path, wanted):
        for each in (self.get(path) or {}).get("status", {}).get("conditions", []):
            if each["type"] == wanted:
                return each
        return None

"""The user `operator`, who has the rights that `holdfast rbac` prints and no others."""
import subprocess
from pathlib import Path

import yaml

from client import Refused

TOKEN = "secret-operator"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"


def write_tokens(path):
    """For --token-auth-file, which must not be open to others."""
    Path(path).touch(mode=0o600)
    Path(path).write_text(f"{TOKEN},operator,operator\n", encoding="utf-8")


def printed(binary, command):
    """The documents that a command such as `crds` or `rbac` prints."""
    out = subprocess.run([str(binary), command], check=True, capture_output=True, text=True).stdout
    return list(yaml.safe_load_all(out))


def operator_role(binary):
    """The operator's roles as one: what it may do everywhere, and in the namespaces that it protects."""
    both = [each for each in printed(binary, "rbac")
            if each["kind"] == "ClusterRole" and each["metadata"]["name"].startswith("holdfast-operator")]
    return {**both[0], "rules": [rule for each in both for rule in each["rules"]]}


def grant(api, binary, without=()):
    """All of them, but those in some API groups, in place of what it had before; and the lease."""
    role = operator_role(binary)
    for rule in role["rules"]:
        rule["apiGroups"] = [group for group in rule["apiGroups"] if group not in without]
    role["rules"] = [rule for rule in role["rules"] if rule["apiGroups"]]
    role["rules"].append({"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["*"]})
    # Its movers run the image of the machine itself, which here is for who may make volumes of any folder of it.
    role["rules"].append({"apiGroups": [""], "resources": ["persistentvolumes"], "verbs": ["create"]})
    for path, body in ((ROLES, role), (BINDINGS, {
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "operator"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "holdfast-operator"},
            "subjects": [{"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "operator"}]})):
        try:
            api.delete(f"{path}/{body['metadata']['name']}")
        except Refused:
            pass
        api.create(path, body)


def kubeconfig(folder):
    """The operator's own, beside the administrator's in `data`: a token, no certificate."""
    config = yaml.safe_load((Path(folder) / "data" / "admin.kubeconfig").read_text(encoding="utf-8"))
    config["users"][0]["user"] = {"token": TOKEN}
    (Path(folder) / "operator.kubeconfig").write_text(yaml.safe_dump(config), encoding="utf-8")
    return Path(folder) / "operator.kubeconfig"

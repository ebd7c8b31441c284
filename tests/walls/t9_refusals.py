"""Trial 9: what a server refuses stood in events and in the log, and the object that wanted it stood still."""
import subprocess

from alone import Alone, until
from attacks import real, regression
from h7_impersonation import ACCOUNT, NS
from world import RIGHTS

OURS = "/apis/holdfast.dev/v1alpha1/namespaces/shop"
KIND = {"apiVersion": "holdfast.dev/v1alpha1"}
LOCATION, MOVE = f"{OURS}/backuplocations/vault", f"{OURS}/datamoves/m"


@regression
def refusals_stand_on_the_object_and_go_with_their_cause(world):
    """An operator that may act in its own namespace alone, and a namespace that is given to it later."""
    with Alone(world, "refusals") as server:
        server.define()
        server.grant_printed("--only-in", NS)
        server.api.create("/api/v1/namespaces", {"metadata": {"name": "shop"}})
        with server.operator():
            server.api.create(f"{OURS}/backuplocations", {**KIND, "kind": "BackupLocation",
                                                          "metadata": {"name": "vault"}, "spec": {
                "s3": {"endpoint": "http://127.0.0.1:9", "bucket": "b"}, "credential": {"name": "key"},
                "password": {"name": "password"}}})
            server.api.create(f"{OURS}/datamoves", {**KIND, "kind": "DataMove", "metadata": {"name": "m"}, "spec": {
                "direction": "Backup", "document": {"name": "d", "content": "text"}, "location": {"name": "vault"}}})
            for path, words in ((LOCATION, "read Secret shop/key"), (MOVE, "create serviceaccounts shop/")):
                refused = until(lambda path=path: server.condition(path, "Refused"), f"{path} says what is refused", 20)
                if refused["reason"] != "Forbidden" or words not in refused["message"] or refused["status"] != "True":
                    return f"{path}: {refused}"
            watch = subprocess.Popen([server.binary, "move", "watch", "m", "-n", "shop", "--kubeconfig",
                                      server.folder / "data/admin.kubeconfig"], stderr=subprocess.PIPE, text=True)
            try:
                if "refused: create serviceaccounts" not in (said := watch.stderr.readline()):
                    return f"move watch says: {said}"
            finally:
                watch.kill()
                watch.wait()
            server.api.create(f"{RIGHTS}/namespaces/shop/rolebindings", {
                "metadata": {"name": "holdfast"},
                "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NS}],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                            "name": f"{ACCOUNT}-in-namespaces"}})
            # Movers have the machine's users, which on this server is a right of its own.
            server.api.create(f"{RIGHTS}/clusterroles", {"metadata": {"name": "reach"}, "rules": [{
                "apiGroups": [""], "resources": ["persistentvolumes"], "verbs": ["create"]}]})
            server.api.create(f"{RIGHTS}/clusterrolebindings", {
                "metadata": {"name": "reach"},
                "subjects": [{"kind": "ServiceAccount", "name": ACCOUNT, "namespace": NS}],
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reach"}})
            # A minute is the longest that a refused write waits for its next try.
            until(lambda: not server.condition(MOVE, "Refused") and server.get(MOVE)["status"].get("attempts"),
                  lambda: f"the move goes on: {server.get(MOVE)}")
            until(lambda: not server.condition(LOCATION, "Refused"), "the location is read")
            return None


@real
def what_pod_security_refuses_is_told_on_a_cluster(cluster):
    """Of a move's own pod, and of one that the controller of Jobs is to make for a Repository."""
    cluster.operated()
    ns, ours = cluster.namespace(), KIND["apiVersion"]
    level = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.api.merge(f"/api/v1/namespaces/{ns}", {"metadata": {"labels": level}})
    secrets = {"key": {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}, "password": {"password": "p"}}
    for name, data in secrets.items():
        cluster.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": data}, ns)
    for kind, name, spec in (
            ("BackupLocation", "vault", {"s3": {"endpoint": "http://127.0.0.1:9", "bucket": "b"},
                                         "credential": {"name": "key"}, "password": {"name": "password"}}),
            ("DataMove", "m", {"direction": "Backup", "document": {"name": "d", "content": "text"},
                               "location": {"name": "vault"}}),
            ("Repository", "r", {"location": {"name": "vault"}})):
        cluster.create({"apiVersion": ours, "kind": kind, "metadata": {"name": name}, "spec": spec}, ns)

    def refused(kind, name):
        status = cluster.get(kind, name, ns).get("status") or {}
        return next((each for each in status.get("conditions", []) if each["type"] == "Refused"), None)
    for kind, name in (("DataMove", "m"), ("Repository", "r")):
        told = cluster.until(lambda kind=kind, name=name: refused(kind, name), f"{kind} says what is refused", 60)
        if "violates PodSecurity" not in told["message"] or told["reason"] != "Forbidden":
            return f"{kind}: {told}"
    cluster.api.merge(f"/api/v1/namespaces/{ns}", {"metadata": {"labels": {each: None for each in level}}})
    cluster.until(lambda: not refused("DataMove", "m") and not refused("Repository", "r"), "nothing is refused")
    return None

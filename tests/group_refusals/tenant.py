"""A namespace's user without any right beyond it: what the user's groups may do hangs on the account that they name."""
import json

from machine import Failed, Refused, Tenant, namespace

TEAM = "team"
RIGHTS = "/apis/rbac.authorization.k8s.io/v1"
HOLD = {"preActions": [{"name": "hold", "action": "session", "args": ["sh", "-c", "echo READY; cat"]}]}


def grant(machine, name, subject, *rules):
    """In the team's namespace, and nowhere else."""
    machine.api.create(f"{RIGHTS}/namespaces/{TEAM}/roles", {"metadata": {"name": name}, "rules": list(rules)})
    machine.api.create(f"{RIGHTS}/namespaces/{TEAM}/rolebindings", {
        "metadata": {"name": name}, "subjects": [subject],
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}})


def group(name, kind="Pod", **spec):
    return {"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroup", "metadata": {"name": name},
            "spec": {"group": {"kind": kind, "names": ["app"], **spec.pop("group", {})}, "snapshot": {}, **spec}}


def action(name, **spec):
    return {"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroupAction", "metadata": {"name": name},
            "spec": {"action": "snapshot", **spec}}


class User:
    def __init__(self, machine):
        self.machine, self.api = machine, Tenant(machine.data / "admin.kubeconfig")

    def create(self, body, ns=TEAM):
        return self.api.create(self.machine.path(body["kind"], ns=ns), body)

    def ends(self, name):
        """An action that the user made, at rest, read with the user's own rights."""
        def look():
            status = self.api.get(self.machine.path("VolumeGroupAction", name, TEAM)).get("status", {})
            return status if status.get("state") in ("Completed", "Error") else None
        return self.machine.until(look, f"action {name} ends")

    def refused(self, body, reason, *words):
        """Made by the user, and ended for that reason."""
        self.create(body)
        status = self.ends(body["metadata"]["name"])
        told = next(each for each in status["conditions"] if each["type"] == "Completed")
        if status["state"] != "Error" or told["reason"] != reason:
            raise Failed(f"{reason} was expected: {json.dumps(told)}")
        for word in words:
            if word not in told["message"]:
                raise Failed(f"{word} is not named: {told['message']}")

    def forbidden(self, method, path, body=None):
        try:
            self.api.text(method, path, body)
        except Refused as answer:
            if answer.code != 403:
                raise Failed(f"{method} {path}: {answer}") from None
            return
        raise Failed(f"{method} {path} was not refused")


def abroad(machine, user):
    """Neither by the API nor by what a group or an action of the user names."""
    for ns in ("default", "holdfast-system"):
        for body in (action("mine", volumeGroup="labels"), group("mine")):
            user.forbidden("POST", machine.path(body["kind"], ns=ns), body)
        user.forbidden("GET", machine.path("VolumeGroupAction", ns=ns))
        user.forbidden("DELETE", machine.path("VolumeGroup", "labels", ns))
    user.create(group("abroad", group={"namespace": "default"}))
    user.refused(action("abroad", volumeGroup="abroad"), "NamespaceNotAllowed", TEAM, "default")
    user.refused(action("theirs", action="backup", source={"group": "default/x", "namespace": "default"}),
                 "NamespaceNotAllowed", TEAM, "default")


def tenant(groups):
    machine = groups.machine
    machine.create(namespace(TEAM))
    for body in (groups.claim("data"), groups.pod("app", "data"),
                 {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "keeper"}}):
        machine.create(body, TEAM)
    machine.until(lambda: machine.get("Pod", "app", TEAM)["status"].get("phase") == "Running", "the team's pod runs")
    grant(machine, "user", {"kind": "User", "name": "tenant"}, {
        "apiGroups": ["longhorn.io"], "resources": ["volumegroups", "volumegroupactions"],
        "verbs": ["get", "list", "watch", "create", "update", "patch", "delete"]})
    user = User(machine)
    user.create(group("held", snapshot=HOLD, serviceAccountName="keeper"))
    user.refused(action("too-early", volumeGroup="held"), "ExecNotAllowed", "ServiceAccount keeper", "get",
                 "pods/exec", f"{TEAM}/app", "grant it get and create")
    grant(machine, "keeper", {"kind": "ServiceAccount", "name": "keeper", "namespace": TEAM}, {
        "apiGroups": [""], "resources": ["pods/exec"], "resourceNames": ["app"], "verbs": ["get", "create"]})
    user.create(action("now", volumeGroup="held"))
    status = user.ends("now")
    if (status["state"], status["consistency"]) != ("Completed", "Application"):
        raise Failed(f"with the right to exec it ends {json.dumps(status)}")
    abroad(machine, user)
    groups.make("of-the-team", group={"namespace": TEAM}, how=HOLD)
    if groups.completed("of-the-team")["status"]["consistency"] != "Application":
        raise Failed("an administrator's group of another namespace does not hold still")

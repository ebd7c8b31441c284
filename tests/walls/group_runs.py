"""Applications of tenants with one volume, runs of groups over them, and images whose shell is a program that lies."""
import contextlib
import json
import shutil
import tempfile
from pathlib import Path

from world import RIGHTS, Exec

LONGHORN, GROUP, RUN = "longhorn.io/v1beta2", "VolumeGroup", "VolumeGroupAction"


def lying_image(world, name, lies):
    """An image whose /bin/sh does what `lies` says for commands that it knows (cases of a shell), and is a shell for
    all others: $4 is the nonce of a trailer."""
    images, name = world.folder / "images", f"localhost/{name}"
    if not (images / name).exists():
        new = Path(tempfile.mkdtemp(dir=world.folder))
        shell = new / "latest/bin/sh"
        shutil.copytree(images / world.IMAGE / "latest", new / "latest", symlinks=True)
        shell.unlink()
        shell.write_text(f'#!/bin/busybox sh\ncase "$*" in\n{lies}\nesac\nexec /bin/busybox sh "$@"\n',
                         encoding="utf-8")
        shell.chmod(0o755)
        new.chmod(0o755)
        with contextlib.suppress(OSError):  # another case was first
            new.rename(images / name)
    return name


def group_of(name, how, **spec):
    """Over the pod `app`."""
    return {"apiVersion": LONGHORN, "kind": GROUP, "metadata": {"name": name},
            "spec": {"group": {"kind": "Pod", "names": ["app"]}, "snapshot": how, **spec}}


def run_of(name):
    """A snapshot of the group of the same name."""
    return {"apiVersion": LONGHORN, "kind": RUN, "metadata": {"name": name},
            "spec": {"volumeGroup": name, "action": "snapshot"}}


class Application:
    """A pod with the claim `data` at /data; its groups' commands run with the rights of an account of the tenant's."""

    def __init__(self, tenant, image=None):
        self.tenant, self.machine = tenant, tenant.world.machine
        tenant.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "16Mi"}}}})
        self.machine.api.create(f"/api/v1/namespaces/{tenant.ns}/serviceaccounts", {"metadata": {"name": "keeper"}})
        base = f"{RIGHTS}/namespaces/{tenant.ns}"
        self.machine.api.create(f"{base}/roles", {"metadata": {"name": "keeper"}, "rules": [
            {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get", "create"]}]})
        self.machine.api.create(f"{base}/rolebindings", {
            "metadata": {"name": "keeper"},
            "subjects": [{"kind": "ServiceAccount", "name": "keeper", "namespace": tenant.ns}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "keeper"}})
        body = tenant.pod("app", "", image=image, mounts=[{"name": "data", "mountPath": "/data"}],
                          volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}])
        body["spec"]["containers"][0]["command"] = ["/bin/busybox", "sleep", "100000"]
        tenant.running(body)

    def run(self, how, **spec):
        """The status of a snapshot of it, when it is at rest."""
        name = f"group-{len(json.dumps(how))}"
        self.tenant.create(group_of(name, how, serviceAccountName="keeper", **spec))
        self.tenant.create(run_of(name))

        def look():
            status = (self.machine.get(RUN, name, self.tenant.ns) or {}).get("status", {})
            return status.get("state") in ("Completed", "Error") and status
        return self.machine.until(look, lambda: "the run ends: " + json.dumps(
            self.machine.get(RUN, name, self.tenant.ns).get("status")))

    def files(self):
        """Names in /data, by no shell."""
        session = Exec(self.tenant.api, self.tenant.ns, "app", ["/bin/busybox", "ls", "/data"], "c")
        assert session.finish() == 0, session.err
        return session.out.decode().split()


def reason_of(status):
    """Of a run at rest."""
    return next(each for each in status["conditions"] if each["type"] == "Completed")

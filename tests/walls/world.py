"""A `holdfast up` under attack: its administrator, and tenants with real tokens and the role edit in one namespace."""
import itertools
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "campaigns/machine"))
from machine import Api, Failed, Machine, Refused, is_ready  # noqa: E402
from websocket import Exec, NoUpgrade  # noqa: E402,F401

TENANTS = 200
RIGHTS = "/apis/rbac.authorization.k8s.io/v1"


class Tenant:
    """One namespace, and a user who may edit what is in it and nothing else."""

    def __init__(self, world, number):
        self.world, self.ns = world, f"red-{number}"
        machine = world.machine
        self.api = Api(machine.data / "admin.kubeconfig", token=f"token-of-{number}")
        machine.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.ns}})
        machine.api.create(f"{RIGHTS}/namespaces/{self.ns}/rolebindings", {
            "metadata": {"name": "tenant"}, "subjects": [{"kind": "User", "name": f"tenant-{number}"}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "edit"}})

    def path(self, kind, name=""):
        return self.world.machine.path(kind, name, self.ns)

    def create(self, body):
        """By the tenant; Refused is raised as the server says it."""
        return self.api.create(self.path(body["kind"]), body)

    def pod(self, name, script, volumes=(), mounts=(), security=None, image=None, **spec):
        """A pod's object: one container `c` that runs a script by its shell."""
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
            "terminationGracePeriodSeconds": 0, "volumes": list(volumes), **spec,
            "containers": [{"name": "c", "image": image or self.world.IMAGE, "command": ["/bin/sh", "-c", script],
                            "volumeMounts": list(mounts), "securityContext": security or {}}]}}

    def running(self, body, container="c"):
        """Makes a pod and waits until its container runs, or has run."""
        self.create(body)
        name = body["metadata"]["name"]

        def look():
            pod = self.world.machine.get("Pod", name, self.ns)
            statuses = (pod or {}).get("status", {}).get("containerStatuses") or []
            return any(each["name"] == container and ({"running", "terminated"} & set(each["state"]))
                       for each in statuses)
        self.world.machine.until(look, f"pod {self.ns}/{name} runs", 60)

    def logs(self, pod, container="c"):
        return self.api.text("GET", f"{self.path('Pod', pod)}/log?container={container}")

    def run(self, pod, script, container="c"):
        """(code, output) of a shell script in a pod, by the tenant's own exec."""
        session = Exec(self.api, self.ns, pod, ["/bin/sh", "-c", script], container)
        code = session.finish()
        return code, session.out.decode(errors="replace") + session.err.decode(errors="replace")


class World:
    """One server with all walls, or all but those in its file of breaches."""

    IMAGE = "tenants"  # a folder of --images, with a shell and small tools: what tenants may run

    def __init__(self, binary, folder):
        self.folder = Path(folder)
        self.breaches = self.folder / "breaches"
        images, tokens = self.folder / "images", self.folder / "tokens.csv"
        make_image(images / self.IMAGE)
        with open(os.open(tokens, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="utf-8") as out:
            out.writelines(f'token-of-{n},tenant-{n},u{n},"tenants"\n' for n in range(TENANTS))
        self.machine = Machine(binary, self.folder, ["--token-auth-file", tokens, "--images", images])
        self.numbers = itertools.count()
        self.stand()

    def stand(self, *but):
        """All walls stand from now on but these."""
        self.breaches.write_text("".join(f"{each}\n" for each in but), encoding="utf-8")

    def __enter__(self):
        self.machine.__enter__()
        return self

    def __exit__(self, *details):
        self.machine.__exit__(*details)

    def tenant(self):
        return Tenant(self, next(self.numbers))


def make_image(root):
    """Debian's busybox, which is linked statically, under the names that scripts call."""
    for folder in ("bin", "etc", "tmp", "var/tmp", "run", "proc", "sys", "dev"):
        (root / folder).mkdir(parents=True)
    subprocess.run(["cp", "/bin/busybox", root / "bin/busybox"], check=True)
    listed = subprocess.run(["busybox", "--list"], check=True, capture_output=True, text=True).stdout.split()
    for name in listed:
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    (root / "var/run").symlink_to("/run")
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n", encoding="utf-8")
    (root / "etc/group").write_text("root:x:0:\n", encoding="utf-8")

"""A `holdfast up` under attack: its administrator, and tenants with real tokens and the role edit in one namespace."""
import itertools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "campaigns/machine"))
from machine import Api, Failed, Machine, Refused, is_ready  # noqa: E402
from websocket import Exec, NoUpgrade  # noqa: E402,F401

TENANTS = 200
NOT_YET = (None, "ContainerCreating", "PodInitializing")
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
        machine.until(lambda: machine.get("ServiceAccount", "default", self.ns), f"the default account of {self.ns}")

    def path(self, kind, name=""):
        return self.world.machine.path(kind, name, self.ns)

    def create(self, body):
        """By the tenant; Refused is raised as the server says it."""
        return self.api.create(self.path(body["kind"]), body)

    def pod(self, name, script, volumes=(), mounts=(), security=None, image=None, **spec):
        """A pod's object: one container `c` that runs a script by its shell. It has no token: what is mounted for that
        must not be a part of an attack on mounts."""
        return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
            "terminationGracePeriodSeconds": 0, "automountServiceAccountToken": False, **spec,
            "volumes": list(volumes),
            "containers": [{"name": "c", "image": image or self.world.IMAGE, "command": ["/bin/sh", "-c", script],
                            "volumeMounts": list(mounts), "securityContext": security or {}}]}}

    def running(self, body, container="c", by=None):
        """Makes a pod, by the tenant or another, and waits until its container runs, or has run."""
        (by or self.api).create(self.path("Pod"), body)
        name = body["metadata"]["name"]

        def look():
            pod = self.world.machine.get("Pod", name, self.ns)
            statuses = (pod or {}).get("status", {}).get("containerStatuses") or []
            return any(each["name"] == container and ({"running", "terminated"} & set(each["state"]))
                       for each in statuses)
        self.world.machine.until(look, f"pod {self.ns}/{name} runs", 60)

    def end_of(self, pod, container="c"):
        """What a container wrote, once it has ended; why it did not start, if it did not."""
        def look():
            statuses = self.world.machine.get("Pod", pod, self.ns)["status"].get("containerStatuses") or []
            mine = next((each["state"] for each in statuses if each["name"] == container), {})
            waits = mine.get("waiting", {})
            return mine.get("terminated") or (waits.get("reason") not in NOT_YET and waits)
        state = self.world.machine.until(look, f"container {container} of pod {self.ns}/{pod} has ended", 60)
        return self.logs(pod, container) if state.get("reason") in ("Completed", "Error") else state.get("message", "")

    def ended(self, body, by=None):
        """Makes a pod that runs once: what its container c wrote."""
        (by or self.api).create(self.path("Pod"), {**body, "spec": {"restartPolicy": "Never", **body["spec"]}})
        return self.end_of(body["metadata"]["name"])

    def logs(self, pod, container="c"):
        return self.api.text("GET", f"{self.path('Pod', pod)}/log?container={container}")

    def run(self, pod, script, container="c"):
        """(code, output) of a shell script in a pod, by the tenant's own exec."""
        session = Exec(self.api, self.ns, pod, ["/bin/sh", "-c", script], container)
        code = session.finish()
        return code, session.out.decode(errors="replace") + session.err.decode(errors="replace")


class World:
    """One server with all walls, or all but those in its file of breaches."""

    IMAGE = "localhost/tenants"  # a folder of --images, with a shell and small tools: what tenants may run

    def __init__(self, binary, folder):
        self.folder = Path(folder)
        self.breaches = self.folder / "breaches"
        images, tokens = self.folder / "images", self.folder / "tokens.csv"
        self.images = images  # NAME/latest below it is the root of image NAME
        make_image(self.images / self.IMAGE / "latest", Path(binary).parent / "walls-attacker")
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


def in_own_memory(world, when):
    """What own_memory reads, on another server of the same program with the same walls."""
    with tempfile.TemporaryDirectory(prefix="holdfast-walls-memory.") as folder:
        command = ["unshare", "--mount", "--propagation", "private", HERE / "own_memory", world.machine.binary, folder,
                   when]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout or None


def make_image(root, attacker):
    """Debian's busybox with what it loads, under the names that scripts call; and a program of attackers."""
    for folder in ("bin", "etc", "tmp", "var/tmp", "run", "proc", "sys", "dev"):
        (root / folder).mkdir(parents=True)
    subprocess.run(["cp", "/bin/busybox", attacker, root / "bin"], check=True)
    loaded = subprocess.run(["ldd", "/bin/busybox"], check=False, capture_output=True, text=True).stdout
    for library in re.findall(r"(/\S+) \(0x", loaded):
        (root / library[1:]).parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cp", "-L", library, root / library[1:]], check=True)
    (root / "bin/walls-attacker").rename(root / "bin/attacker")
    listed = subprocess.run(["busybox", "--list"], check=True, capture_output=True, text=True).stdout.split()
    for name in listed:
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    (root / "var/run").symlink_to("/run")
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n", encoding="utf-8")
    (root / "etc/group").write_text("root:x:0:\n", encoding="utf-8")

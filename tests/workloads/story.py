"""A scenario as it runs on one server: what a person does, what a kubelet would do, and pictures taken in between."""
import time

from normal import hashes, normalise
from server import Refused

QUIET_SECONDS = 0.7
LIMIT_SECONDS = 120
NODES = ("node-1", "node-2")
KINDS = {
    "pods": "/api/v1", "endpoints": "/api/v1", "persistentvolumeclaims": "/api/v1", "services": "/api/v1",
    "replicasets": "/apis/apps/v1", "deployments": "/apis/apps/v1", "statefulsets": "/apis/apps/v1",
    "controllerrevisions": "/apis/apps/v1", "jobs": "/apis/batch/v1", "endpointslices": "/apis/discovery.k8s.io/v1",
}


def utc():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def image(pod):
    return pod["spec"]["containers"][0]["image"]


def is_ready(pod):
    return any(c["type"] == "Ready" and c["status"] == "True" for c in pod.get("status", {}).get("conditions", []))


class Story:
    """`ready(pod)` and `node(pod)` are the kubelet's policy and may be replaced at any time; `quiet` is how long
    nothing must have been written before a picture is taken."""

    def __init__(self, server, pulse, ns):
        self.server, self.pulse, self.ns = server, pulse, ns
        self.pictures = []
        self.ready = lambda pod: True
        self.node = lambda pod: NODES[0]
        self.quiet = QUIET_SECONDS
        self.addresses = 0
        self.names = {}
        server.run("create", "namespace", ns)
        server.run("--namespace", ns, "wait", "--for=create", "serviceaccount/default", "--timeout=60s")

    # What a person does.
    def kubectl(self, *arguments, text=None, fail=False):
        return self.server.run("--namespace", self.ns, *arguments, text=text, fail=fail)

    def apply(self, text):
        return self.kubectl("apply", "-f", "-", text=text)

    def path(self, kind, name="", sub=""):
        parts = [KINDS[kind], "namespaces", self.ns, kind, name, sub]
        return "/".join(part for part in parts if part)

    def get(self, kind, name):
        return self.server.request("GET", self.path(kind, name))

    def all(self, kind, labels=""):
        return self.server.items(self.path(kind) + (f"?labelSelector={labels}" if labels else ""))

    def patch(self, kind, name, body, sub=""):
        return self.server.merge(self.path(kind, name, sub) + "?fieldManager=person", body)

    # What a kubelet does.
    def bind(self, pod):
        self.server.request("POST", self.path("pods", pod["metadata"]["name"], "binding"), {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod["metadata"]["name"]},
            "target": {"apiVersion": "v1", "kind": "Node", "name": self.node(pod)}})

    def set_status(self, pod, status):
        self.server.merge(self.path("pods", pod["metadata"]["name"], "status") + "?fieldManager=kubelet",
                          {"status": status})

    def run_pod(self, pod, ready=True):
        """Running, and Ready or not, since now."""
        address = pod.get("status", {}).get("podIP")
        if not address:
            self.addresses += 1
            address = f"10.9.{self.addresses // 250}.{self.addresses % 250 + 1}"
        word = "True" if ready else "False"
        # PodScheduled is the binding's, and stays as it is.
        conditions = [c for c in pod["status"].get("conditions", []) if c["type"] == "PodScheduled"]
        conditions += [{"type": kind, "status": "True" if kind == "Initialized" else word, "lastTransitionTime": utc()}
                       for kind in ("Initialized", "Ready", "ContainersReady")]
        self.set_status(pod, {"phase": "Running", "conditions": conditions, "podIP": address,
                              "podIPs": [{"ip": address}], "hostIP": "10.1.0.1", "startTime": utc()})

    def end_pod(self, pod, phase):
        self.set_status(pod, {"phase": phase})

    def running(self):
        """Pods with a life before them, in the order of their names."""
        return sorted((pod for pod in self.all("pods") if pod["status"].get("phase") in ("Pending", "Running")
                       and not pod["metadata"].get("deletionTimestamp")), key=lambda pod: pod["metadata"]["name"])

    def finish(self, pod, code=0):
        """All its containers end with this code."""
        ended = {"exitCode": code, "finishedAt": utc(), "startedAt": utc()}
        conditions = [{**c, "status": "False", "lastTransitionTime": utc()} if "Ready" in c["type"] else c
                      for c in pod["status"].get("conditions", [])]
        self.set_status(pod, {
            "phase": "Failed" if code else "Succeeded", "conditions": conditions,
            "containerStatuses": [{"name": c["name"], "image": c["image"], "imageID": "", "ready": False,
                                   "restartCount": 0, "state": {"terminated": ended}}
                                  for c in pod["spec"]["containers"]]})

    def finish_deletion(self, pod):
        self.server.request("DELETE", self.path("pods", pod["metadata"]["name"]), {
            "apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0,
            "preconditions": {"uid": pod["metadata"]["uid"]}})

    def kubelet_step(self):
        """False: nothing to do. Pods become ready one at a time: what controllers see must not hang on timing."""
        pods = sorted(self.all("pods"), key=lambda pod: (image(pod), pod["metadata"].get("generateName", ""),
                                                         pod["metadata"]["name"]))
        acted = False
        for pod in pods:
            try:
                if pod["metadata"].get("deletionTimestamp"):
                    self.finish_deletion(pod)
                elif not pod["spec"].get("nodeName"):
                    self.bind(pod)
                else:
                    continue
                acted = True
            except Refused as refused:
                if refused.code not in (404, 409):
                    raise
        if acted:
            return True
        for pod in pods:
            if pod["status"].get("phase") in ("Pending", "Running") and not is_ready(pod) and self.ready(pod):
                self.run_pod(pod)
                return True
        return False

    # What the comparison does.
    def settle(self):
        """Lets kubelet and controllers take turns until neither has anything to do."""
        deadline = time.monotonic() + LIMIT_SECONDS
        self.pulse.await_quiet(self.ns, self.quiet, LIMIT_SECONDS)
        while self.kubelet_step():
            self.pulse.await_quiet(self.ns, self.quiet, LIMIT_SECONDS)
            self.objects(("replicasets", "controllerrevisions"))
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.server.name}: the pods never settle")

    def until(self, what, found):
        """Waits for something that only time brings."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while not found():
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.server.name}: no {what} after {LIMIT_SECONDS} s")
            time.sleep(0.1)

    def objects(self, kinds=KINDS):
        """Everything there is of these kinds; the names among it are remembered."""
        found = []
        for kind in kinds:
            answer = self.server.request("GET", self.path(kind))
            for item in answer["items"]:
                found.append({"kind": answer["kind"].removesuffix("List"), **item})
        self.names.update(hashes(found))
        return found

    def picture(self, title):
        """Settles, and keeps what the namespace looks like then."""
        self.settle()
        objects = self.objects()
        events = self.server.items(f"/api/v1/namespaces/{self.ns}/events")
        self.pictures.append((title, normalise(objects, events, self.ns, self.names)))

    def end(self):
        """Deletes the namespace and, as a kubelet would, lets its pods go."""
        self.server.run("delete", "namespace", self.ns, "--wait=false")
        deadline = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < deadline:
            pods = self.all("pods")
            if not pods:
                return
            for pod in pods:
                if pod["metadata"].get("deletionTimestamp"):
                    try:
                        self.finish_deletion(pod)
                    except Refused:
                        pass  # gone, or changed meanwhile: the next look tells
            time.sleep(0.2)

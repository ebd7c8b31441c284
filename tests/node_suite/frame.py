"""Frame of a case: a namespace of its own and the few verbs that every case needs."""
import http.server
import json
import os
import threading
import time

from client import Refused
from websocket import Exec

CASES = []
WAIT_SECONDS = int(os.environ.get("NODE_SUITE_WAIT", "90"))
LOOK_SECONDS = 0.1


class Failed(Exception):
    """The behaviour is not there."""


def case(behaviour, slow=False):
    """Registers a case. The sentence names kubelet's behaviour; slow ones wait for timers and stay out of --quick."""
    def register(function):
        function.behaviour, function.slow = behaviour, slow
        CASES.append(function)
        return function
    return register


def same(actual, wanted, what=""):
    if actual != wanted:
        raise Failed(f"{what or 'value'}: {actual!r}, wanted {wanted!r}")


def holds(condition, what):
    if not condition:
        raise Failed(what)


def has(text, part, what="text"):
    if part not in (text or ""):
        raise Failed(f"{what}: {text!r} does not hold {part!r}")


def c(script, name="c", **fields):
    """A container that runs a shell script."""
    made = {"name": name, "image": "host", "imagePullPolicy": "Never", "command": ["/bin/sh", "-c", script]}
    made.update(fields)
    return made


def state_of(pod, container="c", init=False):
    for each in pod.get("status", {}).get("initContainerStatuses" if init else "containerStatuses") or []:
        if each["name"] == container:
            return each
    return {}


def condition(pod, kind):
    for each in pod.get("status", {}).get("conditions") or []:
        if each["type"] == kind:
            return each
    return {}


def phase(pod):
    return pod.get("status", {}).get("phase")


def terminated(pod, container="c", init=False):
    return state_of(pod, container, init).get("state", {}).get("terminated")


def waiting(pod, container="c", init=False):
    return state_of(pod, container, init).get("state", {}).get("waiting") or {}


def running(pod, container="c", init=False):
    return state_of(pod, container, init).get("state", {}).get("running")


def is_ready(pod):
    return condition(pod, "Ready").get("status") == "True"


class Web:
    """An HTTP server of the case's own, for probes and hooks; `code` is what it answers."""

    def __init__(self, code=200):
        self.code, self.requests, self.headers, self.delay = code, [], {}, 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):  # pylint: disable=invalid-name
                outer.requests.append((self.path, dict(self.headers)))
                time.sleep(outer.delay)
                self.send_response(outer.code)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "2")
                self.end_headers()
                try:
                    self.wfile.write(b"ok")
                except OSError:
                    pass  # nobody waits any more

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def get(self, path="/", **fields):
        return {"httpGet": {"host": "127.0.0.1", "port": self.port, "path": path}, **fields}

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class History(threading.Thread):
    """Every version of a pod that the server showed, the last one before its removal included."""

    def __init__(self, test, name):
        super().__init__(daemon=True)
        self.seen, self.gone = [], False
        pods = test.api.get(f"{test.core}/pods")
        path = (f"{test.core}/pods?watch=1&fieldSelector=metadata.name%3D{name}"
                f"&resourceVersion={pods['metadata']['resourceVersion']}&timeoutSeconds=600")
        self.answer = test.api.stream(path, 600)
        self.start()

    def run(self):
        for line in self.answer:
            event = json.loads(line)
            self.seen.append(event["object"])
            if event["type"] == "DELETED":
                self.gone = True
                return


class Case:
    def __init__(self, api, ns):
        self.api, self.ns = api, ns
        self.core = f"/api/v1/namespaces/{ns}"
        self.web = []

    # --- objects ----------------------------------------------------------------------------------

    def create(self, path, body):
        """Waits for the namespace's ServiceAccount, without which pods are refused."""
        end = time.monotonic() + 30
        while True:
            try:
                return self.api.create(path, body)
            except Refused as refused:
                account = refused.code == 403 and "service account" in refused.text
                if not account or time.monotonic() > end:
                    raise
            time.sleep(LOOK_SECONDS)

    def pod(self, script=None, name="p", containers=None, labels=None, annotations=None, restart="Never", **spec):
        """Creates a pod: of one container that runs a script, or of those given."""
        container = {key: spec.pop(key) for key in list(spec) if key in CONTAINER_FIELDS}
        body = {"containers": containers or [c(script, **container)], "restartPolicy": restart,
                "terminationGracePeriodSeconds": 1, **spec}
        metadata = {"name": name, "labels": labels or {}, "annotations": annotations or {}}
        return self.create(f"{self.core}/pods", {"apiVersion": "v1", "kind": "Pod", "metadata": metadata,
                                                 "spec": body})

    def config_map(self, name, data, **fields):
        return self.create(f"{self.core}/configmaps", {"apiVersion": "v1", "kind": "ConfigMap",
                                                       "metadata": {"name": name}, "data": data, **fields})

    def secret(self, name, data):
        return self.create(f"{self.core}/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name},
                                                    "stringData": data})

    def get(self, name="p"):
        return self.api.get(f"{self.core}/pods/{name}")

    def delete(self, name="p", grace=None):
        return self.api.delete(f"{self.core}/pods/{name}", grace)

    def serve(self, code=200):
        self.web.append(Web(code))
        return self.web[-1]

    # --- waiting ----------------------------------------------------------------------------------

    def await_that(self, look, what, seconds=WAIT_SECONDS):
        """Until look() says something true; that is returned."""
        end = time.monotonic() + seconds
        while True:
            found = look()
            if found:
                return found
            if time.monotonic() > end:
                raise Failed(f"not within {seconds} s: {what() if callable(what) else what}")
            time.sleep(LOOK_SECONDS)

    def until(self, predicate, what, name="p", seconds=WAIT_SECONDS):
        """The first version of the pod of which the predicate holds."""
        last = {}

        def look():
            try:
                last["pod"] = self.get(name)
            except Refused as refused:  # a controller's pod may come later
                if refused.code != 404:
                    raise
                last["pod"] = {}
            return last["pod"] if last["pod"] and predicate(last["pod"]) else None
        return self.await_that(look, lambda: f"{what}; status {json.dumps(brief(last['pod']))}", seconds)

    def ended(self, name="p", seconds=WAIT_SECONDS):
        return self.until(lambda pod: phase(pod) in ("Succeeded", "Failed"), "the pod ended", name, seconds)

    def ready(self, name="p", seconds=WAIT_SECONDS):
        return self.until(is_ready, "the pod is ready", name, seconds)

    def runs(self, name="p", container="c"):
        return self.until(lambda pod: running(pod, container), f"container {container} runs", name)

    def gone(self, name="p", seconds=WAIT_SECONDS):
        def look():
            try:
                self.get(name)
                return False
            except Refused as refused:
                return refused.code == 404
        self.await_that(look, f"pod {name} is gone", seconds)

    def stays(self, predicate, what, seconds=3, name="p"):
        """The predicate holds of every version seen for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pod = self.get(name)
            if not predicate(pod):
                raise Failed(f"{what}: no longer; status {json.dumps(brief(pod))}")
            time.sleep(LOOK_SECONDS)

    # --- what pods say ----------------------------------------------------------------------------

    def message(self, pod, container="c"):
        return (terminated(pod, container) or {}).get("message", "")

    def said(self, script, **spec):
        """What a script wrote to its standard output, handed out as the termination message."""
        pod = self.pod(f"({script}) >/dev/termination-log 2>&1", **spec)
        return self.message(self.ended(pod["metadata"]["name"]))

    def events(self, name="p"):
        listed = self.api.get(f"{self.core}/events")["items"]
        return [each for each in listed if each["involvedObject"].get("name") == name]

    def event(self, reason, part="", name="p", seconds=WAIT_SECONDS):
        """The first event with this reason whose message holds the part."""
        last = {}

        def look():
            last["all"] = self.events(name)
            found = [each for each in last["all"] if each["reason"] == reason and part in each.get("message", "")]
            return found[0] if found else None
        return self.await_that(look, lambda: f"event {reason} {part!r}; events " + json.dumps(
            [[each["reason"], each.get("message", "")[:300]] for each in last["all"]]), seconds)

    def log(self, name="p", **query):
        words = "&".join(f"{key}={value}" for key, value in query.items())
        return self.api.text("GET", f"{self.core}/pods/{name}/log" + (f"?{words}" if words else ""), accept="*/*")

    def exec(self, command, name="p", **options):
        if isinstance(command, str):
            command = ["/bin/sh", "-c", command]
        return Exec(self.api, self.ns, name, command, **options)

    def output(self, command, name="p", **options):
        """stdout of a command that must succeed."""
        talk = self.exec(command, name, **options)
        code = talk.finish()
        if code != 0:
            raise Failed(f"exec of {command!r}: exit {code}, {talk.err!r}, {talk.status}")
        return talk.out.decode()

    def history(self, name="p"):
        return History(self, name)


CONTAINER_FIELDS = {"env", "envFrom", "volumeMounts", "resources", "livenessProbe", "readinessProbe", "startupProbe",
                    "lifecycle", "terminationMessagePath", "terminationMessagePolicy", "workingDir", "args", "stdin",
                    "tty", "image", "imagePullPolicy", "command", "ports"}


def brief(pod):
    """What matters of a status when a case has failed."""
    status = pod.get("status", {})
    out = {key: status[key] for key in ("phase", "reason", "message") if key in status}
    out["conditions"] = {each["type"]: [each["status"], each.get("reason"), each.get("message")]
                         for each in status.get("conditions") or [] if each["status"] != "True"}
    for each in (status.get("initContainerStatuses") or []) + (status.get("containerStatuses") or []):
        out[each["name"]] = {key: each.get(key) for key in ("state", "lastState", "ready", "restartCount", "started")}
    return out

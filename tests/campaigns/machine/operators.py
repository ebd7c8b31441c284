"""A `holdfast apiserver` that comes back at the same address, and operators as processes of their own on it."""
import http.client
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from client import Api, Refused
from machine import Failed, free_port
import granted

WAIT_SECONDS = 90
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
DRIVERS = "/apis/holdfast.dev/v1alpha1/drivers"


def until(look, what, seconds=WAIT_SECONDS):
    """What `look` finds, once it finds something; a server that does not answer is asked again."""
    end = time.monotonic() + seconds
    while True:
        try:
            found = look()
        except (OSError, http.client.HTTPException, Refused):
            found = None
        if found:
            return found
        if time.monotonic() > end:
            raise Failed(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.1)


class Server:
    def __init__(self, binary, folder):
        self.binary, self.folder, self.port, self.process = binary, Path(folder), free_port(), None
        self.folder.mkdir(exist_ok=True)
        granted.write_tokens(self.folder / "tokens")
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.stop()

    def start(self):
        self.process = subprocess.Popen(
            [self.binary, "apiserver", "--data-dir", self.folder / "data", "--listen", f"127.0.0.1:{self.port}",
             "--token-auth-file", self.folder / "tokens"],
            stdout=subprocess.PIPE, stderr=open(self.folder / "server.log", "a", encoding="utf-8"), text=True)
        if not self.process.stdout.readline().startswith("ready "):
            raise Failed((self.folder / "server.log").read_text(encoding="utf-8")[-2000:])
        self.api = Api(self.folder / "data" / "admin.kubeconfig")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)

    def define(self, group=None, version=None):
        for each in granted.printed(self.binary, "crds"):
            if group in (None, each["spec"]["group"]):
                if version:
                    each["spec"]["versions"][0]["name"] = version
                self.api.create(DEFINITIONS, each)

    def undefine(self, group):
        for each in granted.printed(self.binary, "crds"):
            if each["spec"]["group"] == group:
                self.api.delete(f"{DEFINITIONS}/{each['metadata']['name']}")

    def grant(self, without=()):
        granted.grant(self.api, self.binary, without)

    def kubeconfig(self):
        return granted.kubeconfig(self.folder)

    def get(self, path):
        try:
            return self.api.get(path)
        except Refused as refused:
            if refused.code == 404:
                return None
            raise

    def driver(self, name):
        """The condition Running of a driver's object."""
        found = self.get(f"{DRIVERS}/{name}") or {}
        return next((each for each in found.get("status", {}).get("conditions", []) if each["type"] == "Running"), {})

    def await_driver(self, driver, status, reason, *words):
        def look():
            seen = self.driver(driver)
            return seen.get("status") == status and seen.get("reason") == reason and \
                all(word in seen["message"] for word in words)
        until(look, lambda: f"driver {driver} is {status} {reason} {words}: {self.driver(driver)}")


class Operator:
    """With the operator's own rights; `wire`, if there is one, lies between it and the server."""

    def __init__(self, server, *flags, name="operator", wire=None):
        self.pages, self.log_file, self.wire = free_port(), server.folder / f"{name}.log", wire
        self.process = subprocess.Popen(
            [*(wire.inside() if wire else []), server.binary, "operator", "--kubeconfig", server.kubeconfig(),
             "--pages", f"127.0.0.1:{self.pages}", *map(str, flags)],
            stderr=open(self.log_file, "w", encoding="utf-8"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(40)

    def log(self):
        return self.log_file.read_text(encoding="utf-8")

    def page(self, path):
        """(status, text) of one of its pages."""
        def read():
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.pages}{path}", timeout=10) as answer:
                    return answer.status, answer.read().decode()
            except urllib.error.HTTPError as refused:
                return refused.code, refused.read().decode()
        return self.wire.within(read) if self.wire else read()

    def metric(self, line):
        """The value of a metric with these labels, as it is written; None if it is not there."""
        for each in self.page("/metrics")[1].splitlines():
            if each.startswith(line + " "):
                return float(each.rsplit(" ", 1)[1])
        return None

    def leads(self):
        return self.metric('leader_election_master_status{name="holdfast-operator"}') == 1

    def running(self, driver):
        value = self.metric(f'holdfast_driver_running{{driver="{driver}"}}')
        return None if value is None else value == 1

    def await_metric(self, driver, running):
        until(lambda: self.running(driver) is running, f"metric of {driver} is {running}")


def make_mover_image(root, binary):
    """What movers of an operator run from: the binary, and the libraries that it is linked with."""
    for folder in ("usr/bin", "tmp", "var/tmp", "run", "proc", "sys", "dev", "etc"):
        (root / folder).mkdir(parents=True)
    subprocess.run(["strip", "-o", root / "usr/bin/holdfast", binary], check=True)
    for line in subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout.splitlines():
        for word in line.split():
            if word.startswith("/"):
                target = root / word[1:]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(word, target)
    (root / "etc/passwd").write_text("root:x:0:0:root:/:/bin/sh\n", encoding="utf-8")

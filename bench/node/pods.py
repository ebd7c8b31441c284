#!/usr/bin/env python3
"""Pod start time: from the creation of a pod to its Ready condition, as a client sees it on a watch.

    pods.py KUBECONFIG SUBJECT COUNT TOGETHER

One after the other, then some at once. The container only sleeps, so that nothing but the node is measured. The plain
sandbox beside it is a process in bubblewrap with the machine's root, from its start to its first word.
"""
import json
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent))
from figures import ROOT, Refused, report, skipped  # noqa: E402

sys.path.append(str(ROOT / "tests/node_suite"))
from client import Api  # noqa: E402

PODS = "/api/v1/namespaces/default/pods"
LIMIT_SECONDS = 300
GRACE_SECONDS = 0


def is_ready(pod):
    return any(each["type"] == "Ready" and each["status"] == "True"
               for each in pod.get("status", {}).get("conditions") or [])


class Watch:
    """When each pod was first seen ready, and when gone."""

    def __init__(self, api):
        self.ready, self.gone, self.news = {}, set(), threading.Condition()
        version = api.get(PODS)["metadata"]["resourceVersion"]
        self.answer = api.stream(f"{PODS}?watch=true&resourceVersion={version}", LIMIT_SECONDS)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.answer:
            now = time.monotonic()
            event = json.loads(line)
            name = event["object"]["metadata"]["name"]
            with self.news:
                if event["type"] == "DELETED":
                    self.gone.add(name)
                elif is_ready(event["object"]):
                    self.ready.setdefault(name, now)
                self.news.notify_all()

    def until(self, names, where):
        with self.news:
            if not self.news.wait_for(lambda: all(name in where for name in names), LIMIT_SECONDS):
                sys.exit(f"bench: pods are not ready, or not gone: {[n for n in names if n not in where]}")


def start(api, name):
    body = {"metadata": {"name": name}, "spec": {"terminationGracePeriodSeconds": GRACE_SECONDS, "containers": [
        {"name": "c", "image": "host", "imagePullPolicy": "IfNotPresent", "command": ["/bin/sleep", "100000"]}]}}
    began = time.monotonic()
    api.create(PODS, body)
    return began


def remove(api, watch, names):
    for name in names:
        api.delete(f"{PODS}/{name}", GRACE_SECONDS)
    watch.until(names, watch.gone)


def figures(case, subject, seconds):
    ordered = sorted(seconds)
    report(case, subject, "p50", "ms", ordered[len(ordered) // 2] * 1000)
    report(case, subject, "max", "ms", ordered[-1] * 1000)


def alone(api, watch, subject, count):
    took = []
    for number in range(count + 1):
        name = f"alone-{number}"
        began = start(api, name)
        watch.until([name], watch.ready)
        took.append(watch.ready[name] - began)
        remove(api, watch, [name])
    figures("pod-alone", subject, took[1:])  # the first one warms what is asked for once


def together(api, watch, subject, count):
    names = [f"together-{number}" for number in range(count)]
    began = {}
    threads = [threading.Thread(target=lambda name=name: began.__setitem__(name, start(api, name))) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    watch.until(names, watch.ready)
    figures("pods-at-once", subject, [watch.ready[name] - began[name] for name in names])
    report("pods-at-once", subject, "last", "ms", (max(watch.ready[n] for n in names) - min(began.values())) * 1000)
    remove(api, watch, names)


class Sandbox:
    """A process in bubblewrap, from its start to its first word; it ends with its input."""

    def __init__(self):
        command = ["bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid",
                   "--unshare-ipc", "/bin/sh", "-c", "echo up; read end"]
        began = time.monotonic()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.took = time.monotonic() - began

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def measure_sandbox(count, at_once):
    if not shutil.which("bwrap"):
        return skipped("bwrap", "Debian package bubblewrap")
    took = []
    for _ in range(count + 1):
        one = Sandbox()
        took.append(one.took)
        one.end()
    figures("pod-alone", "bwrap", took[1:])
    found = []
    threads = [threading.Thread(target=lambda: found.append(Sandbox())) for _ in range(at_once)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = time.monotonic() - began
    figures("pods-at-once", "bwrap", [each.took for each in found])
    report("pods-at-once", "bwrap", "last", "ms", last * 1000)
    for each in found:
        each.end()
    return None


def measure(kubeconfig, subject, count, at_once):
    api = Api(kubeconfig)
    end = time.monotonic() + LIMIT_SECONDS
    while True:  # the default account comes a moment after the namespace
        try:
            api.get("/api/v1/namespaces/default/serviceaccounts/default")
            break
        except Refused as refused:
            if refused.code != 404 or time.monotonic() > end:
                raise
            time.sleep(0.2)
    watch = Watch(api)
    alone(api, watch, subject, count)
    together(api, watch, subject, at_once)


if __name__ == "__main__":
    measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))

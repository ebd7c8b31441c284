#!/usr/bin/env python3
"""Plays the same scenarios to the embedded server with our controllers and to the real one with
kube-controller-manager, and wants the same pictures.

    compare.py --embedded KUBECONFIG --real KUBECONFIG --kubectl FILE [--at-once N] [SCENARIO…]

A file of scenarios/ is one scenario: a docstring that says why it is there, and `play(story)`, which does what people
and kubelets do and takes pictures (`story.picture("scaled up")`). Each picture holds every workload object of the
namespace and the events about them, and counts as one test; normal.py says what is taken out before comparing.
Scenarios have a namespace each and mostly wait for silence in it, so a few are played at once. The real controllers
meet conflicts of their own making, and more of them on a busy machine: what differs is played once more, alone.
"""
import argparse
import difflib
import importlib.util
import os
import sys
import tempfile
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from server import Pulse, Refused, Server
from story import KINDS, NODES, Story

HERE = Path(__file__).resolve().parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def add_nodes(server):
    for name in NODES:
        try:
            server.request("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}})
        except Refused as refused:
            if refused.code != 409:
                raise


class Telling(threading.Thread):
    """One scenario on one server; `trouble` says why it did not end."""

    def __init__(self, scenario, server, pulse, ns):
        super().__init__()
        self.scenario, self.server, self.pulse, self.ns = scenario, server.for_one_thread(), pulse, ns
        self.story, self.trouble = None, ""

    def run(self):
        try:
            self.story = Story(self.server, self.pulse, self.ns)
            self.scenario.play(self.story)
            self.story.end()
        except Exception:  # whatever it was, it is the result of this scenario
            self.trouble = traceback.format_exc()


def difference(name, title, real, embedded):
    left = "\n".join(real).splitlines()
    right = "\n".join(embedded).splitlines()
    lines = difflib.unified_diff(left, right, "real", "embedded", lineterm="", n=6)
    return "\n".join([f"failed  {name}: {title}", *("    " + line for line in lines)])


def play(path, servers, turn=1):
    """How many pictures were equal, and what was wrong with the others."""
    scenario = load(path)
    ns = f"{path.stem.replace('_', '-')}-{os.getpid()}-{turn}"
    tellings = [Telling(scenario, server, pulse, ns) for server, pulse in servers]
    for telling in tellings:
        telling.start()
    for telling in tellings:
        telling.join()
    failures = [f"failed  {path.stem} on {telling.server.name}: {telling.trouble}"
                for telling in tellings if telling.trouble]
    embedded, real = ([] if telling.story is None else telling.story.pictures for telling in tellings)
    if not failures and len(embedded) != len(real):
        failures.append(f"failed  {path.stem}: {len(embedded)} pictures on one server, {len(real)} on the other")
    pairs = [(title, theirs, ours) for (title, ours), (_, theirs) in zip(embedded, real)]
    failures += [difference(path.stem, *pair) for pair in pairs if pair[1] != pair[2]]
    return sum(theirs == ours for _, theirs, ours in pairs), failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedded", required=True)
    parser.add_argument("--real", required=True)
    parser.add_argument("--kubectl", required=True)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("scenarios", nargs="*", help="names of files under scenarios/")
    options = parser.parse_args()
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        servers = []
        for name, kubeconfig in (("embedded", options.embedded), ("real", options.real)):
            server = Server(name, kubeconfig, options.kubectl, scratch)
            add_nodes(server)
            servers.append((server, Pulse(server, {**KINDS, "events": "/api/v1"})))
        paths = [path for path in sorted((HERE / "scenarios").glob("*.py"))
                 if not options.scenarios or path.stem in options.scenarios]
        with ThreadPoolExecutor(options.at_once) as pool:
            results = list(pool.map(lambda path: play(path, servers), paths))
        for path, (equal, failures) in zip(paths, results):
            if failures:
                print("\n".join(f"once more, alone: {failure}" for failure in failures), flush=True)
                equal, failures = play(path, servers, 2)
            passed, failed = passed + equal, failed + len(failures)
            for failure in failures:
                print(failure, flush=True)
    print(f"tests: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Plays the same scenarios to the embedded server with our controllers and to the real one with
kube-controller-manager, and wants the same pictures.

    compare.py --embedded KUBECONFIG --real KUBECONFIG --kubectl FILE [SCENARIO…]

A file of scenarios/ is one scenario: a docstring that says why it is there, and `play(story)`, which does what people
and kubelets do and takes pictures (`story.picture("scaled up")`). Each picture holds every workload object of the
namespace and the events about them, and counts as one test; normal.py says what is taken out before comparing.
"""
import argparse
import difflib
import importlib.util
import os
import sys
import tempfile
import threading
import traceback
from pathlib import Path

from server import Refused, Server
from story import NODES, Story

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

    def __init__(self, scenario, server, ns):
        super().__init__()
        self.scenario, self.server, self.ns = scenario, server, ns
        self.story, self.trouble = None, ""

    def run(self):
        try:
            self.story = Story(self.server, self.ns)
            self.scenario.play(self.story)
            self.story.end()
        except Exception:  # whatever it was, it is the result of this scenario
            self.trouble = traceback.format_exc()


def report(name, title, real, embedded, tally):
    same = real == embedded
    tally["passed" if same else "failed"] += 1
    if same:
        return
    print(f"failed  {name}: {title}")
    left = "\n".join(real).splitlines()
    right = "\n".join(embedded).splitlines()
    print("\n".join("    " + line for line in difflib.unified_diff(left, right, "real", "embedded", lineterm="", n=6)))


def play(path, servers, tally):
    scenario = load(path)
    tellings = [Telling(scenario, server, f"{path.stem.replace('_', '-')}-{os.getpid()}") for server in servers]
    for telling in tellings:
        telling.start()
    for telling in tellings:
        telling.join()
    troubles = [telling for telling in tellings if telling.trouble]
    for telling in troubles:
        tally["failed"] += 1
        print(f"failed  {path.stem} on {telling.server.name}: {telling.trouble}")
    embedded, real = ([] if telling.story is None else telling.story.pictures for telling in tellings)
    for (title, ours), (_, theirs) in zip(embedded, real):
        report(path.stem, title, theirs, ours, tally)
    if not troubles and len(embedded) != len(real):
        tally["failed"] += 1
        print(f"failed  {path.stem}: {len(embedded)} pictures on one server, {len(real)} on the other")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedded", required=True)
    parser.add_argument("--real", required=True)
    parser.add_argument("--kubectl", required=True)
    parser.add_argument("scenarios", nargs="*", help="names of files under scenarios/")
    options = parser.parse_args()
    tally = {"passed": 0, "failed": 0}
    with tempfile.TemporaryDirectory() as scratch:
        servers = [Server("embedded", options.embedded, options.kubectl, scratch),
                   Server("real", options.real, options.kubectl, scratch)]
        for server in servers:
            add_nodes(server)
        for path in sorted((HERE / "scenarios").glob("*.py")):
            if not options.scenarios or path.stem in options.scenarios:
                play(path, servers, tally)
                sys.stdout.flush()
    print(f"tests: {tally['passed']} passed, {tally['failed']} failed, 0 skipped")
    return 1 if tally["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

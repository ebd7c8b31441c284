#!/usr/bin/env python3
"""Pod semantics, case by case, as kubelet 1.34 has them.

    node_suite.py [--quick] [--only REGEX] [--jobs N] [--kubeconfig FILE] [--list]

Without --kubeconfig the cases run on a `holdfast up` of their own ($HOLDFAST_BINARY); with it on that cluster, which
must have an image named `host` with a shell and the usual small tools. --quick leaves out what waits for long timers.
Prints a line per case, and at the end how many there were and how many failed.
"""
import argparse
import concurrent.futures
import importlib
import os
import re
import sys
import threading
import time
import traceback
from pathlib import Path

sys.dont_write_bytecode = True
import frame  # noqa: E402
from client import Api, Refused  # noqa: E402
from world import Up  # noqa: E402

HERE = Path(__file__).resolve().parent
for found in sorted(HERE.glob("cases_*.py")):
    importlib.import_module(found.stem)

PRINTING = threading.Lock()


def run_case(api, function, number, run):
    ns = f"{function.__name__.replace('_', '-')[:40].strip('-')}-{run}-{number}"
    test = frame.Case(api, ns)
    begun = time.monotonic()
    try:
        api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
        function(test)
        trouble = ""
    except (frame.Failed, Refused) as failed:
        trouble = str(failed)
    except Exception:  # pylint: disable=broad-except
        trouble = traceback.format_exc(limit=-3)
    for web in test.web:
        web.close()
    try:
        api.delete(f"/api/v1/namespaces/{ns}")
    except (Refused, OSError):
        pass  # what is left goes with the server
    with PRINTING:
        word = "failed" if trouble else "ok    "
        print(f"{word}  {time.monotonic() - begun:5.1f} s  {function.__name__}: {function.behaviour}", flush=True)
        if trouble:
            print("          " + trouble.strip().replace("\n", "\n          "), flush=True)
    return trouble


def run_all(kubeconfig, cases, jobs):
    api = Api(kubeconfig)
    run = os.urandom(2).hex()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        troubles = list(pool.map(lambda each: run_case(api, each[1], each[0], run), enumerate(cases)))
    failed = sum(1 for trouble in troubles if trouble)
    print(f"tests: {len(cases) - failed} passed, {failed} failed, 0 skipped")
    print(f"node_suite: {len(cases)} cases, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="cases whose name matches")
    parser.add_argument("--jobs", type=int, default=16, help="most of them wait")
    parser.add_argument("--kubeconfig", type=Path)
    parser.add_argument("--list", action="store_true", help="names the cases and ends")
    options = parser.parse_args()
    cases = [each for each in frame.CASES
             if re.search(options.only, each.__name__) and not (options.quick and each.slow)]
    cases.sort(key=lambda each: not each.slow)  # the long ones first, so that the others fill the gaps
    if options.list:
        for each in cases:
            print(f"{each.__name__}: {each.behaviour}")
        print(f"node_suite: {len(cases)} cases")
        return 0
    if options.kubeconfig:
        return run_all(options.kubeconfig, cases, options.jobs)
    with Up() as up:
        return run_all(up.kubeconfig, cases, options.jobs)


if __name__ == "__main__":
    sys.exit(main())

"""The example of the design that groups of volumes come from, applied as it stands: its lock dies with the client that
takes it, so the run must not say that the application was quiesced."""
import json
import threading
import time
from pathlib import Path

import yaml

from machine import Failed, namespace

HERE = Path(__file__).resolve().parent
SQL = ["mysql", "--batch", "--skip-column-names", "-e"]


class Writer:
    """Inserts one row after the other, and knows when each began and ended."""

    def __init__(self, machine):
        self.machine, self.rows, self.stopped, self.trouble = machine, [], False, None
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        try:
            while not self.stopped:
                began = time.time()
                self.machine.run("demo-0", [*SQL, f"INSERT INTO demo.t VALUES ({len(self.rows)})"])
                self.rows.append((began, time.time()))
        except Failed as reason:
            self.trouble = reason

    def stop(self):
        self.stopped = True
        self.thread.join()
        if self.trouble:
            raise self.trouble


def seconds(text):
    whole, fraction = text.rstrip("Z").split(".")
    return time.mktime(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) - time.timezone + float("0." + fraction)


def design_example(groups):
    machine = groups.machine
    machine.create(namespace("longhorn-system"))
    machine.apply(HERE / "demo.yaml")
    machine.ready("demo-0")
    machine.run("demo-0", [*SQL, "CREATE DATABASE demo; CREATE TABLE demo.t (n INT)"])
    machine.create(yaml.safe_load((HERE / "design.yaml").read_text(encoding="utf-8")), "longhorn-system")
    writer = Writer(machine)
    try:
        ended = groups.completed("demo-0", ns="longhorn-system")["status"]
    finally:
        writer.stop()
    if (ended["consistency"], ended["consistencyReason"]) != ("Unknown", "LockNotObserved"):
        raise Failed(f"it says {ended['consistency']}: {ended['consistencyReason']}")
    if "profile: mariadb" not in ended["consistencyMessage"]:
        raise Failed(f"no better way is named: {ended['consistencyMessage']}")
    steps = {each["name"]: each for each in ended["triggered"]["last"]}
    if set(steps) != {"pre-snapshot-lock", "snapshot", "post-snapshot-unlock"}:
        raise Failed(f"its steps are {json.dumps(ended['triggered']['last'])}")
    locked = seconds(steps["pre-snapshot-lock"]["finishedAt"])
    unlocked = seconds(steps["post-snapshot-unlock"]["startedAt"])
    if not any(began > locked and done < unlocked for began, done in writer.rows):
        raise Failed(f"no INSERT of {len(writer.rows)} was begun and done in its window of {unlocked - locked:.3f} s")

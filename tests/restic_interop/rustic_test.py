#!/usr/bin/env python3
"""rustic and holdfast on the same repositories: each does to the other's what it does to its own.

    rustic_test.py [--keep] [CASE…]

holdfast is $HOLDFAST_BINARY. Exit 77 if rustic is not among the peers: it takes too long to build for a fresh machine,
so it comes on request. A case is a function of cases_rustic.py, as running.py says.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import cases_rustic  # noqa: E402
import running  # noqa: E402
import sample  # noqa: E402
from world import PASSWORD, Failed, Tool, World  # noqa: E402

HERE = Path(__file__).resolve().parent


class Rustic(Tool):
    """Called with its own names of variables. It exits with 0 when check finds faults, and says them."""

    def call(self, repo, *arguments, password=PASSWORD, env=None, **how):
        environment = {"RUSTIC_REPOSITORY": str(repo), "RUSTIC_PASSWORD": password, "RUSTIC_NO_CACHE": "true",
                       "RUSTIC_NO_PROGRESS": "true", **(env or {})}
        return super().call(repo, *arguments, env=environment, **how)

    def check(self, repo):
        ran = self.call(repo, "check", "--read-data")
        said = (ran.stdout + ran.stderr).decode(errors="replace")
        if ran.returncode != 0 or "ERROR" in said.upper():
            raise Failed(f"rustic check --read-data: exit {ran.returncode}\n{said[-2000:]}")

    def json(self, repo, *arguments, **how):
        """One value over many lines; `cat` prints nothing else."""
        flags = () if arguments[0] == "cat" else ("--json",)
        return json.loads(self.text(repo, *arguments, *flags, **how))

    def snapshots(self, repo):
        """Oldest first."""
        groups = self.json(repo, "snapshots")
        return sorted((one for group in groups for one in group["snapshots"]), key=lambda one: one["time"])

    def latest(self, repo):
        return self.snapshots(repo)[-1]


class Fixtures:
    """`theirs` and `ours` hold the same two snapshots of the same folder, each written by its own program."""

    def __init__(self, world, rustic):
        self.source = world.folder / "source"
        sample.make(self.source)
        self.theirs, self.ours = world.folder / "theirs", world.folder / "ours"
        rustic.text(self.theirs, "init")
        # The same cuts need the same polynomial.
        world.ours.text(self.ours, "init", "--copy-chunker-params", "--from-repo", self.theirs,
                        "--from-password-command", "printenv RESTIC_PASSWORD")
        self.first = self.back_up(world, rustic)
        self.first_state = sample.describe(self.source)
        sample.change(self.source)
        self.second = self.back_up(world, rustic)
        self.state = sample.describe(self.source)

    def back_up(self, world, rustic):
        """Ids of the snapshots: theirs, ours."""
        out = []
        for tool, repo in ((rustic, self.theirs), (world.ours, self.ours)):
            tool.text(repo, "backup", "--tag", "interop,sample", self.source)
            out.append(tool.latest(repo)["id"])
        return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", action="store_true", help="leave the folder there to look at")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    found = subprocess.run([HERE.parent / "peers" / "find", "rustic", "0.11.4"], capture_output=True, text=True,
                           check=False)
    if found.returncode != 0:
        print(found.stderr.strip())
        return 77
    world = World(found.stdout.strip(), os.environ["HOLDFAST_BINARY"], options.keep)
    rustic = Rustic([found.stdout.strip()], world)
    try:
        return running.run(running.find_cases([cases_rustic], options.names), world, rustic, Fixtures(world, rustic))
    finally:
        world.close()


if __name__ == "__main__":
    sys.exit(main())

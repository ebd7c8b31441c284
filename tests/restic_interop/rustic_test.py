#!/usr/bin/env python3
"""rustic and holdfast on the same repositories. Exit 77 if rustic is not among the peers: it takes too long to build
for a fresh machine, so it is fetched by hand with
    cargo install rustic-rs --locked --version 0.11.4 --root ~/.cache/holdfast/peers/rustic-0.11.4
"""
import os
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import sample  # noqa: E402
from world import PASSWORD, Failed, Tool, World, expect_equal  # noqa: E402

HERE = Path(__file__).resolve().parent


def find_rustic():
    found = subprocess.run([HERE.parent / "peers" / "find", "rustic", "0.11.4"], capture_output=True, text=True,
                           check=False)
    return found.stdout.strip() if found.returncode == 0 else None


class Rustic(Tool):
    """Called with its own names of variables, and its own order of arguments to restore."""

    def call(self, repo, *arguments, **how):
        environment = {"RUSTIC_REPOSITORY": str(repo), "RUSTIC_PASSWORD": PASSWORD, "RUSTIC_NO_CACHE": "true"}
        return super().call(repo, *arguments, env={**environment, **how.pop("env", {})}, **how)


def restored(world, rustic, repo):
    target = world.new("out")
    target.mkdir()
    rustic.text(repo, "restore", "latest", target)
    return sample.describe(target / "source")


def story(world, rustic, source):
    """Each writes, the other checks, restores and adds nothing new; then rustic cleans up ours."""
    theirs, ours = world.folder / "theirs", world.folder / "ours"
    rustic.text(theirs, "init")
    world.ours.text(ours, "init")
    rustic.text(theirs, "backup", "source")
    world.ours.text(ours, "backup", "source")
    state = sample.describe(source)
    rustic.text(ours, "check", "--read-data")
    world.ours.text(theirs, "check", "--read-data")
    expect_equal(sample.differences(restored(world, rustic, theirs), restored(world, rustic, ours)), [],
                 "restored by rustic from its own and from ours")
    target = world.new("out")
    world.ours.text(theirs, "restore", "latest", "--target", target)
    expect_equal(sample.differences(state, sample.describe(target / "source")), [], "restored by us from rustic's")
    expect_equal(world.ours.summary(theirs, "backup", "--force", "source")["data_blobs"], 0, "new data blobs of ours")
    before = sorted(line for line in world.ours.text(ours, "list", "blobs").splitlines() if line.startswith("data"))
    rustic.text(ours, "backup", "--force", "source")
    after = sorted(line for line in world.ours.text(ours, "list", "blobs").splitlines() if line.startswith("data"))
    expect_equal(len(set(after) - set(before)), 0, "new data blobs of rustic")
    rustic.text(ours, "forget", "--keep-last", "1", "--prune", "--instant-delete")
    world.ours.text(ours, "check", "--read-data")


def main():
    program = find_rustic()
    if not program:
        print("rustic 0.11.4 is not among the peers; the head of rustic_test.py says how to get it")
        return 77
    world = World(program, os.environ["HOLDFAST_BINARY"])
    rustic = Rustic([program], world)
    source = world.folder / "source"
    sample.make(source)
    try:
        story(world, rustic, source)
    except Failed as failure:
        print(f"failed  rustic: {failure}\ntests: 0 passed, 1 failed, 0 skipped")
        return 1
    finally:
        world.close()
    print("tests: 1 passed, 0 failed, 0 skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Restores across: metadata and contents are those that each program restores from its own."""
import os

import sample
from world import expect, expect_equal


def restored(tool, world, repo, snapshot, *flags):
    target = world.new("out")
    tool.restore(repo, snapshot, target, *flags)
    return sample.describe(target / "source")


def case_restic_restores_ours_as_its_own(world, fixtures):
    for theirs, ours in (fixtures.first, fixtures.second):
        own = restored(world.restic, world, fixtures.theirs, theirs)
        lines = sample.differences(own, restored(world.restic, world, fixtures.ours, ours))
        expect_equal(lines, [], "restored by restic from its own and from ours")


def case_we_restore_theirs_as_they_do(world, fixtures):
    for theirs, ours in (fixtures.first, fixtures.second):
        own = restored(world.restic, world, fixtures.theirs, theirs)
        lines = sample.differences(own, restored(world.ours, world, fixtures.theirs, theirs))
        expect_equal(lines, [], "restored from restic's by restic and by us")


def case_we_restore_ours_as_it_was(world, fixtures):
    for which, state in ((fixtures.first[1], fixtures.first_state), (fixtures.second[1], fixtures.state)):
        lines = sample.differences(state, restored(world.ours, world, fixtures.ours, which))
        expect_equal(lines, [], "the folder and what was restored of it")


def case_in_place(world, fixtures):
    """The first generation is turned into the second, and what is too much goes."""
    target = world.new("out")
    world.ours.restore(fixtures.theirs, fixtures.first[0], target)
    (target / "source" / "contents" / "too much").write_text("extra")
    world.ours.restore(fixtures.theirs, fixtures.second[0], target, "--delete")
    lines = sample.differences(fixtures.state, sample.describe(target / "source"))
    expect_equal(lines, [], "restored in place")


def case_parts(world, fixtures):
    names = {}
    for tool in (world.restic, world.ours):
        target = world.new("out")
        tool.text(fixtures.theirs, "restore", fixtures.second[0], "--target", target, "--include", "/source/times",
                  "--include", "random")
        names[tool] = set(sample.describe(target))
    expect_equal(names[world.ours], names[world.restic], "what was restored of a part")


def case_owners_are_mapped(world, fixtures):
    if os.geteuid() != 0:
        return "only root may give files away"
    target = world.new("out")
    world.ours.text(fixtures.theirs, "restore", fixtures.second[0], "--target", target, "--usermap", "0:4711,*:1",
                    "--groupmap", "*:4712", "--include", "/source/times")
    owners = {(path.lstat().st_uid, path.lstat().st_gid) for path in target.rglob("*") if "times" in path.parts}
    expect_equal(owners, {(4711, 4712)}, "owners")
    refused = world.ours.call(fixtures.theirs, "restore", fixtures.second[0], "--target", target, "--usermap", "me:you")
    expect(refused.returncode == 1 and b"me:you" in refused.stderr, refused.stderr.decode())
    return None

"""Each program reads what the other wrote."""
import io
import os
import tarfile

import sample
from world import expect, expect_equal


def case_check_read_data(world, fixtures):
    for repo in (fixtures.theirs, fixtures.ours):
        for tool in (world.restic, world.ours):
            tool.text(repo, "check", "--read-data")


def case_trees_are_the_same_blobs(world, fixtures):
    for generation in (fixtures.first, fixtures.second):
        theirs, ours = ({one["id"]: one["tree"] for one in tool.json(repo, "snapshots")}[which]
                        for tool, repo, which in ((world.restic, fixtures.theirs, generation[0]),
                                                  (world.ours, fixtures.ours, generation[1])))
        if theirs != ours:
            left = world.restic.text(fixtures.theirs, "ls", "--json", generation[0]).splitlines()[1:]
            right = world.restic.text(fixtures.ours, "ls", "--json", generation[1]).splitlines()[1:]
            unequal = [pair for pair in zip(left, right) if pair[0] != pair[1]][:2]
            expect(False, f"tree {theirs} and {ours}; first unequal nodes: {unequal}")


def case_blobs_are_the_same(world, fixtures):
    data = [{line for line in tool.text(repo, "list", "blobs").splitlines() if line.startswith("data")}
            for tool, repo in ((world.restic, fixtures.theirs), (world.ours, fixtures.ours))]
    expect(len(data[0]) > 20, "the sample has hardly any blobs")
    expect_equal(len(data[0] ^ data[1]), 0, "data blobs that only one program made")


def case_lists_are_equal(world, fixtures):
    for repo, kinds in ((fixtures.theirs, ("packs", "blobs")), (fixtures.ours, ("snapshots", "index", "keys"))):
        for kind in kinds:
            lists = [sorted(tool.text(repo, "list", kind).split()) for tool in (world.restic, world.ours)]
            expect_equal(lists[1], lists[0], f"list {kind}")


def case_dump_file(world, fixtures):
    for tool, repo, snapshot in ((world.restic, fixtures.ours, fixtures.second[1]),
                                 (world.ours, fixtures.theirs, fixtures.second[0])):
        for name in ("contents/random", "contents/sparse", "contents/empty"):
            got = tool.bytes(repo, "dump", snapshot, "/source/" + name)
            expect(got == (fixtures.source / name).read_bytes(), f"{tool.name} dump of {name} is another content")


def case_dump_tar(world, fixtures):
    """Ours, of both repositories, as Python's own reader of tar archives sees it."""
    for repo, which in ((fixtures.theirs, 0), (fixtures.ours, 1)):
        archive = world.ours.bytes(repo, "dump", fixtures.second[which], "/source")
        with tarfile.open(fileobj=io.BytesIO(archive), encoding="utf-8", errors="surrogateescape") as tar:
            entries = {os.fsencode(entry.name): entry for entry in tar}
            expect(len(entries) > 80, f"only {len(entries)} entries")
            for name, wanted in fixtures.state.items():
                if name == b".":
                    continue
                entry = entries.pop(b"source/" + name, None)
                expect(entry is not None, f"{name!r} is missing")
                expect_equal((oct(entry.mode), entry.uid, entry.gid),
                             (oct(int(wanted["mode"], 8) & 0o7777), wanted["uid"], wanted["gid"]), repr(name))
                if "content" in wanted:
                    expect_equal(hash(tar.extractfile(entry).read()), wanted["content"], f"content of {name!r}")
                if "target" in wanted:
                    expect_equal(os.fsencode(entry.linkname), wanted["target"], f"target of {name!r}")
        expect_equal(entries, {}, "entries that are in no folder")


def case_subfolders(world, fixtures):
    lines = world.ours.text(fixtures.theirs, "ls", fixtures.second[0] + ":source/times", "-q").splitlines()
    expect_equal(sorted(lines), sorted("/" + path.name for path in (fixtures.source / "times").iterdir()), "ls")
    got = world.ours.bytes(fixtures.theirs, "dump", fixtures.second[0] + ":source/contents", "new")
    expect_equal(got, b"not there before", "dump ID:folder file")


def case_version_one(world, fixtures):
    repo = world.new("version1")
    world.restic.text(repo, "init", "--repository-version", "1")
    world.restic.text(repo, "backup", "source")
    world.ours.text(repo, "check", "--read-data")
    target = world.new("out")
    world.ours.restore(repo, "latest", target)
    lines = sample.differences(sample.describe(target / "source"), fixtures.state)
    expect_equal(lines, [], "restored from version 1")
    expect_equal(world.ours.summary(repo, "backup", "--force", "source")["data_blobs"], 0, "new data blobs")
    world.restic.text(repo, "check", "--read-data")

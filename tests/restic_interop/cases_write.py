"""Each program adds to, forgets from and cleans up what the other wrote."""
import sample
from world import expect, expect_equal


def pairs(world, fixtures):
    """(who acts, a copy of the other's repository, the other)"""
    yield world.restic, world.copy(fixtures.ours), world.ours
    yield world.ours, world.copy(fixtures.theirs), world.restic


def case_back_up_on_top(world, fixtures):
    for actor, repo, other in pairs(world, fixtures):
        again = actor.summary(repo, "backup", "source")
        expect_equal(again["files_unmodified"], again["total_files_processed"], f"{actor.name}: unmodified by parent")
        expect_equal((again["data_blobs"], again["tree_blobs"]), (0, 0), f"{actor.name}: new blobs by parent")
        read = actor.summary(repo, "backup", "--force", "source")
        expect_equal(read["files_new"], read["total_files_processed"], f"{actor.name}: all read again")
        expect_equal((read["data_blobs"], read["tree_blobs"]), (0, 0), f"{actor.name}: new blobs when all is read")
        other.text(repo, "check", "--read-data")


def case_forget_and_prune(world, fixtures):
    for actor, repo, other in pairs(world, fixtures):
        packs = len(actor.text(repo, "list", "packs").split())
        arguments = ["forget", "--keep-last", "1", "--prune", "--max-unused", "0"]
        if actor is world.ours:
            arguments.append("--instant")
        actor.text(repo, *arguments)
        left = other.json(repo, "snapshots")
        expect_equal(len(left), 1, f"{actor.name}: snapshots after forget")
        for tool in (other, actor):
            tool.text(repo, "check", "--read-data")
        target = world.new("out")
        other.restore(repo, "latest", target)
        lines = sample.differences(sample.describe(target / "source"), fixtures.state)
        expect_equal(lines, [], f"after a prune by {actor.name}")
        blobs = actor.text(repo, "list", "blobs").splitlines()
        before = (world.restic if actor is world.ours else world.ours).text(
            fixtures.theirs if actor is world.ours else fixtures.ours, "list", "blobs").splitlines()
        expect(len(blobs) < len(before), f"{actor.name} removed no blob of {len(before)} in {packs} packs")


def case_tags(world, fixtures):
    for actor, repo, other in pairs(world, fixtures):
        actor.text(repo, "tag", "--add", "fresh", "--remove", "sample", "latest")
        expect_equal(other.latest(repo)["tags"], ["interop", "fresh"], f"tags by {actor.name}")
        expect_equal(len(other.json(repo, "snapshots", "--tag", "interop,sample")), 1, "snapshots with the old tags")


def case_keys(world, fixtures):
    first = world.new("password")
    first.write_text("second password\n")
    for actor, repo, other in pairs(world, fixtures):
        actor.text(repo, "key", "add", "--new-password-file", first)
        expect_equal(len(other.json(repo, "snapshots", password="second password")), 2, "opened by the new password")
        keys = other.json(repo, "key", "list")
        expect_equal(len(keys), 2, f"keys after one more by {actor.name}")
        actor.text(repo, "key", "remove", next(key["id"] for key in keys if key["current"]),
                   password="second password")
        ran = other.call(repo, "snapshots")
        expect(ran.returncode != 0 and b"password" in ran.stderr, "a password that was removed opens the repository")


def case_streams(world, fixtures):
    data = (fixtures.source / "contents" / "text").read_bytes()
    for actor, repo, other in pairs(world, fixtures):
        actor.text(repo, "backup", "--stdin", "--stdin-filename", "dump.sql", stdin=data)
        expect(other.bytes(repo, "dump", "latest", "/dump.sql") == data, f"a stream written by {actor.name}")


def case_command_streams(world, fixtures):
    repo = world.copy(fixtures.theirs)
    world.ours.text(repo, "backup", "--stdin-from-command", "--stdin-filename", "numbers", "--", "seq", "300000")
    expect(world.restic.bytes(repo, "dump", "latest", "/numbers").endswith(b"\n300000\n"), "what seq prints")
    ran = world.ours.call(repo, "backup", "--stdin-from-command", "--", "sh", "-c", "echo half; exit 3")
    expect_equal(ran.returncode, 1, "exit code when the command fails")
    expect_equal(len(world.restic.json(repo, "snapshots")), 3, "snapshots after a command that failed")


def case_version_one_of_ours(world, fixtures):
    repo = world.new("version1")
    world.ours.text(repo, "init", "--repository-version", "1")
    world.ours.text(repo, "backup", "source")
    world.restic.text(repo, "check", "--read-data")
    expect_equal(world.restic.summary(repo, "backup", "--force", "source")["data_blobs"], 0, "new data blobs")


def case_compression_and_pack_sizes(world, fixtures):
    repo = world.new("packs")
    world.ours.text(repo, "init")
    for mode in ("off", "fastest", "max"):
        world.ours.text(repo, "--compression", mode, "--pack-size", "4", "backup", "--force", "source")
    world.ours.text(repo, "backup", "--chunks", "fixed:64k", "--force", "source/contents")
    world.restic.text(repo, "check", "--read-data")
    target = world.new("out")
    world.restic.text(repo, "restore", "latest", "--target", target)
    lines = sample.differences(sample.describe(target / "source" / "contents"),
                               sample.describe(fixtures.source / "contents"))
    expect_equal(lines, [], "restored from fixed chunks")

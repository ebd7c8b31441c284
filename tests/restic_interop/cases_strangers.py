"""Special files and odd words of a stranger's repository: left out of a restore, harmless on a terminal."""
import json
import os
import pty
import stat

import sample
from cases_tool import read_terminal
from world import PASSWORD, expect, expect_equal

RED, CLIPBOARD, TURNED = "\x1b[31mred", "\x1b]52;c;ZXZpbA==\x07", "\u202efdp.exe"


def is_special(path):
    mode = path.lstat().st_mode
    return stat.S_ISBLK(mode) or stat.S_ISCHR(mode) or (stat.S_ISREG(mode) and mode & 0o6000)


def case_special_files_are_for_those_who_ask(world, fixtures):
    special = {str(path.relative_to(fixtures.source)) for path in fixtures.source.rglob("*") if is_special(path)}
    expect(len(special) >= 3, f"special files of the sample: {special}")
    for repo, snapshot in ((fixtures.theirs, fixtures.second[0]), (fixtures.ours, fixtures.second[1])):
        target = world.new("out")
        ran = world.ours.call(repo, "restore", snapshot, "--target", target)
        expect_equal(ran.returncode, 3, "exit code of a restore that lacks something")
        expect(f"{len(special)} files and folders lack".encode() in ran.stderr, ran.stderr.decode())
        expect_equal(ran.stderr.count(b"left out: "), min(len(special), 10), "files that are named")
        expect_equal([path for path in target.rglob("*") if is_special(path)], [], "special files that were made")
        lines = sample.differences(fixtures.state, sample.describe(target / "source"),
                                   ignore={os.fsencode(name) for name in special})
        expect_equal(lines, [], "all else")
        dry = world.ours.call(repo, "restore", snapshot, "--target", world.new("dry"), "--dry-run")
        expect_equal(dry.returncode, 3, "exit code of a dry run")
        said = json.loads(world.ours.call(repo, "restore", snapshot, "--target", world.new("out"), "--json")
                          .stdout.splitlines()[-1])
        expect_equal(said["files_left_out"], len(special), "files left out, in JSON")


def case_nobody_enters_a_target_that_is_made(world, fixtures):
    target = world.new("above") / "out"
    world.ours.restore(fixtures.theirs, "latest", target, "--include", "/source/times")
    expect_equal(oct(stat.S_IMODE(target.stat().st_mode)), "0o700", "mode of a target that was made")
    target.chmod(0o751)
    world.ours.restore(fixtures.theirs, "latest", target, "--include", "/source/times")
    expect_equal(oct(stat.S_IMODE(target.stat().st_mode)), "0o751", "mode of a target that was there")


def on_terminal(world, repo, *arguments):
    """All that is said, when somebody looks."""
    child, terminal = pty.fork()
    if child == 0:
        environment = {"PATH": os.environ["PATH"], "HOME": str(world.folder), "RESTIC_REPOSITORY": str(repo),
                       "RESTIC_PASSWORD": PASSWORD, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")}
        words = [*world.ours.words, "--no-cache", *map(str, arguments)]
        os.execve(words[0], words, environment)
    said = read_terminal(terminal, None)
    os.waitpid(child, 0)
    os.close(terminal)
    return said


def expect_harmless(said, what):
    for steering in (RED, CLIPBOARD, TURNED, "\u009b", "\x07"):
        expect(steering.encode() not in said, f"{what}: {said!r}")


def case_nothing_steers_a_terminal(world, _):
    repo, folder = world.new("repo"), world.new("odd")
    (folder / RED).mkdir(parents=True)
    for name in (CLIPBOARD.replace("/", "_"), TURNED, "\u009b31m"):
        (folder / RED / name).write_text("x")
    (folder / "link").symlink_to(RED)
    host, tags = f"h{RED}{CLIPBOARD}", f"t{RED},{TURNED}"
    world.restic.text(repo, "init")
    world.restic.text(repo, "backup", "--host", host, "--tag", tags, folder.name)
    first = world.restic.latest(repo)["id"]
    (folder / RED / "more").write_text("more")
    world.restic.text(repo, "backup", "--host", host, "--tag", tags, folder.name)
    for arguments in (["snapshots"], ["snapshots", "-c"], ["snapshots", "--group-by", "host,tags,paths"],
                      ["ls", "latest"], ["ls", "-l", "latest"], ["find", "*"], ["find", "-l", "more"],
                      ["diff", first, "latest"], ["cat", "snapshot", first], ["cat", "tree", f"latest:{folder.name}"],
                      ["forget", "--keep-last", "1", "--dry-run"], ["forget", f"nope{RED}"],
                      ["restore", "latest", "-vv", "--target", world.new("out")],
                      ["restore", "latest", "--target", world.new("out"), "--include", f"nope{RED}"],
                      ["backup", "-vv", folder.name], ["snapshots", "--tag", RED]):
        said = on_terminal(world, repo, *arguments)
        expect(said.strip(), f"{arguments}: nothing was said")
        expect_harmless(said, arguments)
    # Tables and what goes wrong are read from files, too.
    expect_harmless(world.ours.bytes(repo, "snapshots"), "a table in a file")
    # What programs read is exact.
    told = world.ours.json(repo, "snapshots")[0]
    expect_equal((told["hostname"], told["tags"]), (host, tags.split(",")), "JSON")
    listed = world.ours.text(repo, "ls", "latest", f"/{folder.name}/{RED}", "-q").splitlines()
    expect(f"/{folder.name}/{RED}/{TURNED}" in listed, f"names for a program: {listed}")


def case_locks_steer_no_terminal(world, fixtures):
    """A host's name is whatever the lock says."""
    repo = world.copy(fixtures.ours)
    lock = json.dumps({"time": "2026-01-02T03:04:05Z", "exclusive": True, "hostname": f"h{RED}", "username": CLIPBOARD,
                       "pid": 4711})
    forge = os.path.join(os.path.dirname(world.ours.words[0]), "holdfast-forge")
    if not os.path.exists(forge):
        return "holdfast-forge is not built"
    world.forge(forge, repo, f"lock {lock}\n")
    ran = world.ours.call(repo, "snapshots")
    expect_equal(ran.returncode, 11, "exit code beside a lock")
    expect_harmless(ran.stderr, "the refusal")
    expect(b"h\\x1b[31mred" in ran.stderr, ran.stderr.decode())
    return None

"""The tool itself: locks, exit codes, and the JSON that scripts read."""
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time

from world import PASSWORD, TIMEOUT_SECONDS, expect, expect_equal


def case_exit_codes(world, fixtures):
    expect_equal(world.ours.call(world.new("nothing"), "snapshots").returncode, 10, "no repository")
    expect_equal(world.ours.call(fixtures.theirs, "snapshots", password="wrong").returncode, 12, "wrong password")
    expect_equal(world.ours.call(fixtures.theirs, "init").returncode, 1, "init of what is there")
    expect_equal(world.ours.call(fixtures.theirs, "no-such-verb").returncode, 2, "usage")
    failure = world.ours.call(fixtures.theirs, "snapshots", "--json", password="wrong")
    line = json.loads(failure.stderr)
    expect_equal((line["message_type"], line["code"]), ("exit_error", 12), "JSON of a failure")
    expect(PASSWORD.encode() not in failure.stderr and b"wrong\"" not in failure.stderr, "the password is told")
    ran = world.ours.call(fixtures.ours, "bakcup", "source")
    expect(ran.returncode == 2 and b'"bakcup"' in ran.stderr, f"a verb that is none: {ran.stderr}")


def case_twice_verbose_names_every_file(world, _):
    """With the words and paths that restic has for them."""
    line = re.compile(r"(new|modified|unchanged) +(/.*?)(?:, saved in .*| \([^()]*\))?$")
    folder = world.new("named")
    (folder / "inner").mkdir(parents=True)
    for name in ("a", "inner/b", "inner/c d"):
        (folder / name).write_text(name)
    repos = {tool: world.new("repo") for tool in (world.ours, world.restic)}
    for tool, repo in repos.items():
        tool.text(repo, "init")
    for _ in range(2):
        told = {tool: {found.groups() for found in map(line.match, tool.text(repo, "backup", folder.name, "-vv")
                                                       .splitlines()) if found} for tool, repo in repos.items()}
        expect_equal(told[world.ours], told[world.restic], "what became of files")
        expect(len(told[world.ours]) == 5, f"files that were named: {told[world.ours]}")
        (folder / "a").write_text("another text")


def case_inits_that_were_cut_off(world, _):
    """Their keys are there and no config: what is made there opens, for both, and for passwords that come later."""
    def leave(repo, tool, password):
        other = world.new("cut-off")
        tool.text(other, "init", password=password)
        (repo / "keys").mkdir(parents=True, exist_ok=True)
        for key in (other / "keys").iterdir():
            shutil.copy(key, repo / "keys")

    for tool, left in ((world.ours, [PASSWORD]), (world.restic, [PASSWORD, "other", PASSWORD]), (world.ours, [])):
        repo = world.new("taken-up")
        for password in left:
            leave(repo, tool, password)
        if not left:
            (repo / "keys").mkdir(parents=True)
            (repo / "keys" / ("ab" * 32)).write_text('{"created":')
        world.ours.text(repo, "init")
        expect_equal(len(os.listdir(repo / "keys")), 1, f"keys after {left}")
        (world.folder / "other").write_text("other")
        world.restic.text(repo, "key", "add", "--new-password-file", world.folder / "other")
        for password in (PASSWORD, "other"):
            world.restic.text(repo, "snapshots", password=password)
            world.ours.text(repo, "snapshots", password=password)


class Holding:
    """A backup that waits for its input, and so holds its lock."""

    def __init__(self, tool, repo):
        self.before = set(os.listdir(repo / "locks"))
        environment = {**os.environ, "RESTIC_REPOSITORY": str(repo), "RESTIC_PASSWORD": PASSWORD,
                       "HOME": str(repo.parent)}
        self.process = subprocess.Popen([*tool.words, "--no-cache", "backup", "--stdin"], env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.repo = repo

    def __enter__(self):
        # Its first bytes are taken when it is at work, which is after its lock was written.
        block = bytes(1 << 20)
        for _ in range(24):
            self.process.stdin.write(block)
        self.process.stdin.flush()
        expect(set(os.listdir(self.repo / "locks")) - self.before, "no lock was written")

    def __exit__(self, *_):
        self.process.communicate(timeout=TIMEOUT_SECONDS)
        expect_equal(self.process.returncode, 0, "the backup that held the lock")


def case_locks_are_honoured(world, fixtures):
    repo = world.copy(fixtures.theirs)
    with Holding(world.restic, repo):
        refused = world.ours.call(repo, "forget", "--keep-last", "1")
        expect_equal(refused.returncode, 11, "our forget beside their backup")
        expect(b"lock" in refused.stderr, refused.stderr.decode())
        world.ours.text(repo, "snapshots")
    with Holding(world.ours, repo):
        refused = world.restic.call(repo, "forget", "--keep-last", "1", "--prune")
        expect(refused.returncode != 0 and b"lock" in refused.stderr, "their prune beside our backup")
        world.restic.text(repo, "snapshots")
    world.ours.text(repo, "forget", "--keep-last", "1")
    expect_equal(os.listdir(repo / "locks"), [], "locks that were left behind")


def case_interrupted_backups_leave_nothing(world, fixtures):
    for flags in (["--stdin"], ["--stdin-from-command", "--", "sleep", "1000"]):
        repo = world.copy(fixtures.theirs)
        before = len(os.listdir(repo / "snapshots"))
        environment = {**os.environ, "RESTIC_REPOSITORY": str(repo), "RESTIC_PASSWORD": PASSWORD}
        process = subprocess.Popen([*world.ours.words, "--no-cache", "backup", *flags], env=environment,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while not os.listdir(repo / "locks") and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=TIMEOUT_SECONDS)
        expect_equal(process.returncode, 130, f"exit code of backup {flags[0]}: {process.stderr.read()}")
        expect_equal(os.listdir(repo / "locks"), [], "locks that were left behind")
        expect_equal(len(os.listdir(repo / "snapshots")), before, "snapshots")


def read_terminal(terminal, until):
    """What is said up to a text, or to the end."""
    said = b""
    while until is None or until not in said:
        expect(select.select([terminal], [], [], TIMEOUT_SECONDS)[0], f"silence after {said!r}")
        try:
            said += os.read(terminal, 1000)
        except OSError:  # the program has ended
            expect(until is None, f"it ended after {said!r}")
            break
    return said


def case_passwords_are_asked_without_echo(world, fixtures):
    words = [*world.ours.words, "-r", str(fixtures.theirs), "--no-cache", "list", "keys"]
    child, terminal = pty.fork()
    if child == 0:
        os.environ.pop("RESTIC_PASSWORD", None)
        os.execv(words[0], words)
    said = read_terminal(terminal, b"password of")
    os.write(terminal, PASSWORD.encode() + b"\n")
    said += read_terminal(terminal, None)
    expect_equal(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0, f"exit code; it said {said!r}")
    expect(PASSWORD.encode() not in said, f"the password was echoed: {said!r}")


def as_nobody(tool):
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *tool.words]


def case_unreadable_files(world, _):
    folder = world.new("secrets")
    (folder / "shut").mkdir(parents=True)
    (folder / "open").write_text("may be read")
    (folder / "closed").write_text("may not be read")
    (folder / "shut" / "inside").write_text("nor this")
    (folder / "closed").chmod(0)
    (folder / "shut").chmod(0)
    root = os.geteuid() == 0
    if root and not shutil.which("setpriv"):
        return "root may read everything, and there is no setpriv to be somebody else"
    seen = {}
    for tool in (world.restic, world.ours):
        repo = world.new("repo")
        repo.mkdir()
        words = as_nobody(tool) if root else tool.words
        if root:
            os.chown(repo, 65534, 65534)
        environment = {"PATH": os.environ["PATH"], "RESTIC_REPOSITORY": str(repo), "RESTIC_PASSWORD": PASSWORD,
                       "HOME": "/nonexistent"}
        run = [[*words, "--no-cache", *verb] for verb in (["init"], ["backup", str(folder)], ["ls", "-q", "latest"])]
        codes = [subprocess.run(words, env=environment, capture_output=True, check=False) for words in run]
        expect_equal(codes[1].returncode, 3, f"{tool.name}: exit code of a backup that could not read all: "
                     + codes[1].stderr.decode())
        expect(b"closed" in codes[1].stderr, f"{tool.name} does not name the file")
        seen[tool] = sorted(line for line in codes[2].stdout.decode().splitlines() if "secrets" in line)
    expect_equal(seen[world.ours], seen[world.restic], "what is in the snapshot of such a folder")
    return None


def case_json_is_restics(world, fixtures):
    if world.version < (0, 18):
        return "its JSON is that of 0.18"
    repo, (first, second) = fixtures.theirs, (fixtures.first[0], fixtures.second[0])
    for arguments in (["snapshots"], ["snapshots", "--group-by", "host,tags"], ["snapshots", "--latest", "1"],
                      ["ls", second], ["ls", second, "/source/times"], ["ls", second, "/source", "--recursive"],
                      ["diff", first, second], ["diff", "--metadata", first, second], ["key", "list"],
                      ["stats"], ["stats", "--mode", "files-by-contents"], ["stats", "--mode", "blobs-per-file"],
                      ["stats", "--mode", "raw-data"], ["stats", second],
                      ["find", "e*"], ["find", "/source/links"], ["find", "-i", "PLAIN", "bottom"]):
        theirs, ours = world.restic.json(repo, *arguments), world.ours.json(repo, *arguments)
        expect_equal(json.dumps(ours, sort_keys=True), json.dumps(theirs, sort_keys=True), " ".join(arguments))
    return None


def case_objects_are_printed_alike(world, fixtures):
    repo, snapshot = fixtures.theirs, fixtures.second[0]
    index = world.restic.text(repo, "list", "index").split()[0]
    blob = world.restic.text(repo, "list", "blobs").splitlines()[0].split()[1]
    pack = world.restic.text(repo, "list", "packs").split()[0]
    objects = [["config"], ["snapshot", snapshot], ["index", index], ["pack", pack], ["blob", blob]]
    if world.version >= (0, 16):
        objects.append(["tree", snapshot + ":source/times"])
    for which in objects:
        theirs, ours = (tool.bytes(repo, "cat", *which) for tool in (world.restic, world.ours))
        expect(theirs.strip() == ours.strip(), f"cat {' '.join(which)}: {ours[:200]!r}, wanted {theirs[:200]!r}")

"""Selection: files by the flags of backup and restore, snapshots by those of forget. Both choose the same."""
import concurrent.futures
import datetime
import json

import sample
from world import expect_equal

PATHS = ["a.txt", "b.log", "C.LOG", "large.bin", "sub/a.txt", "sub/b.log", "sub/keep/b.log", "sub/deep/er/a.txt",
         "marked/.nobackup", "marked/inner/a.txt", "marked/b.log", "headed/tag", "headed/rest", "unheaded/tag",
         "unheaded/rest", "cache/CACHEDIR.TAG", "cache/data", "nocache/CACHEDIR.TAG", "nocache/data",
         "odd/[x]", "odd/x", "odd/star*", "odd/back\\slash", "odd/with space", "odd/#hash", "odd/$HOME",
         ".hidden/a.txt"]


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    sample.write(path, data)


def make(folder):
    for path in PATHS:
        put(folder / path, path.encode() * (300 if "large" in path else 1))
    sample.write(folder / "headed/tag", b"HEAD and more")
    sample.write(folder / "cache/CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55\n")
    for empty in ("empty", "sub/empty"):
        (folder / empty).mkdir(exist_ok=True)


def lists(folder):
    """Files that name patterns or paths, by flag."""
    sample.write(folder / "patterns", b"# a comment\n\n  *.log  \n!sub/keep/*.log\n$INTEROP_NAME\n\\#hash\n")
    sample.write(folder / "globs", b"# a comment\nchosen/s*\nchosen/odd/[[]x]\n\nchosen/a.txt\n")
    sample.write(folder / "verbatim", b"chosen/odd/[x]\nchosen/odd/#hash\nchosen/sub/empty\n")
    sample.write(folder / "raw", b"chosen/odd/star*\0chosen/odd/with space\0")


BACKUPS = [
    ["--exclude", "*.log"], ["--iexclude", "*.log"], ["--exclude", "sub"], ["--exclude", "sub/*"],
    ["--exclude", "chosen/sub/deep"], ["--exclude", "**/er"], ["--exclude", "sub/**/a.txt"],
    ["--exclude", "sub/*", "--exclude", "!sub/keep"], ["--exclude", "!a.txt", "--exclude", "*.txt"],
    ["--exclude", "*.log", "--exclude", "!sub/keep/b.log"], ["--exclude", "[a-b].*"], ["--exclude", "[^a]*.txt"],
    ["--exclude", "odd/\\[x\\]"], ["--exclude", "odd/star\\*"], ["--exclude", "empty/"], ["--exclude", "?.txt"],
    ["--exclude", "sub/"], ["--exclude", "/chosen"], ["--exclude", "*/er/*"], ["--exclude", ".*"],
    ["--exclude-file", "patterns"], ["--iexclude-file", "patterns"],
    ["--exclude-larger-than", "1k"], ["--exclude-larger-than", "2k"], ["--exclude-larger-than", "20"],
    ["--exclude-if-present", ".nobackup"], ["--exclude-if-present", "tag:HEAD"], ["--exclude-if-present", "tag"],
    ["--exclude-if-present", ".nobackup", "--exclude-if-present", "tag:HEAD", "--exclude", "tag"],
    ["--exclude-caches"],
]
SOURCES = [["--files-from", "globs"], ["--files-from-verbatim", "verbatim"], ["--files-from-raw", "raw"],
           ["--files-from", "globs", "--files-from-raw", "raw", "chosen/empty"], ["chosen/sub", "chosen/odd"],
           ["chosen/../chosen/sub/."], ["./chosen"], ["chosen/a.txt", "chosen/sub/a.txt"]]


def choose(tool, repo, lines):
    """What each command line of backup puts into its snapshot, or its exit code."""
    tool.text(repo, "init")
    made = []
    for line in lines:
        ran = tool.call(repo, "backup", "--force", "--json", *line, env={"INTEROP_NAME": "b.log"})
        good = ran.returncode == 0
        made.append(json.loads(ran.stdout.splitlines()[-1])["snapshot_id"][:8] if good else f"exit {ran.returncode}")
    found = {one["snapshot"][:8]: {match["path"] for match in one["matches"]} for one in tool.json(repo, "find", "*")}
    return [found.get(name, {name}) for name in made]


def by_both(world, act):
    """What it gives for restic and for us, done beside each other."""
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = [pool.submit(act, tool) for tool in (world.restic, world.ours)]
    return [one.result() for one in found]


def expect_same(lines, theirs, ours):
    """All that differs is told, by command line."""
    differ = [f"{' '.join(line)}: only restic: {sorted(his - mine)}, only we: {sorted(mine - his)}"
              for line, his, mine in zip(lines, theirs, ours) if his != mine]
    expect_equal(differ, [], "what differs")


def expect_same_choices(world, lines):
    make(world.folder / "chosen")
    lists(world.folder)
    expect_same(lines, *by_both(world, lambda tool: choose(tool, world.new(f"selection-{tool.name}"), lines)))


def case_backups_choose_the_same(world, _):
    expect_same_choices(world, [[*flags, "chosen"] for flags in BACKUPS])


def case_sources_are_read_the_same(world, _):
    expect_same_choices(world, SOURCES)


RESTORES = [
    ["--include", "*.log"], ["--iinclude", "*.log"], ["--include", "/chosen/sub"], ["--include", "sub/deep"],
    ["--include", "chosen/sub/*.txt"], ["--exclude", "*.log"], ["--exclude", "/chosen/sub"], ["--iexclude", "*.LOG"],
    ["--include", "sub", "--include", "!b.log"], ["--exclude", "sub/*", "--exclude", "!sub/keep"],
    ["--include", "**/a.txt"], ["--exclude", "empty"], ["--include", "odd/\\[x\\]"],
]


def case_restores_choose_the_same(world, _):
    """Of one snapshot that restic made."""
    make(world.folder / "chosen")
    repo = world.new("selection")
    world.restic.text(repo, "init")
    world.restic.text(repo, "backup", "chosen")

    def restore(tool):
        found = []
        for number, flags in enumerate(RESTORES):
            target = world.folder / f"{tool.name}-{number}"
            tool.text(repo, "restore", "latest", "--target", target, *flags)
            found.append({str(path.relative_to(target)) for path in target.rglob("*")})
        return found

    expect_same(RESTORES, *by_both(world, restore))


POLICIES = [
    ["--keep-last", "3"], ["--keep-hourly", "5"], ["--keep-daily", "7"], ["--keep-weekly", "5"],
    ["--keep-monthly", "4"], ["--keep-yearly", "2"], ["--keep-daily", "1000"], ["--keep-within", "20d"],
    ["--keep-within-daily", "1m"], ["--keep-within-weekly", "3m", "--keep-last", "1"], ["--keep-within", "1y2m3d4h"],
    ["--keep-last", "2", "--keep-daily", "3", "--keep-weekly", "2", "--keep-monthly", "6", "--keep-yearly", "5"],
    ["--keep-tag", "even"], ["--keep-tag", "even,third", "--keep-last", "1"], ["--keep-last", "1", "--group-by", ""],
    ["--keep-last", "1", "--group-by", "host,tags"], ["--keep-last", "2", "--host", "two"],
    ["--keep-last", "1", "--tag", "third"], ["--keep-last", "1", "--path", "/nowhere"],
]


def case_policies_keep_the_same(world, _):
    put(world.folder / "small" / "file", b"x")
    repo = world.new("policies")
    world.ours.text(repo, "init")
    at = datetime.datetime(2024, 10, 27, 22, 30)
    for number in range(24):
        tags = [word for word, every in (("even", 2), ("third", 3)) if number % every == 0]
        world.ours.text(repo, "backup", "small", "--time", at.strftime("%Y-%m-%d %H:%M:%S"),
                        "--host", ("one", "two")[number % 5 == 0], *(f"--tag={tag}" for tag in tags))
        at += datetime.timedelta(hours=(1, 7, 30, 24 * 30)[number % 4])
    # Since 0.16 the oldest stays where a policy has places left, and there is a word for no end.
    policies = POLICIES + [["--keep-daily", "unlimited"]]
    if world.version < (0, 16):
        policies = [flags for flags in POLICIES if "--keep-yearly" not in flags]

    # Whoever forgets is alone, also if it only says what it would do.
    repos = {world.restic: world.copy(repo), world.ours: repo}

    def kept(tool):
        return [{(group["host"], tuple(group["tags"] or ()), one["id"])
                 for group in tool.json(repos[tool], "forget", "--dry-run", *flags) for one in group["keep"] or ()}
                for flags in policies]

    expect_same(policies, *by_both(world, kept))

"""rustic and ours on each other's repositories.

Two things are rustic's own, and shown as such: it keeps no metadata of the folder that it was told to back up (the `.`
of a description), and takes a file of which a tree says no mode for one whose mode nobody knows, while restic says none
of those that have none."""
import datetime
import json
import re
import shutil
import stat

import sample
from world import Tool, expect, expect_equal


TOP, NO_MODE = b".", b"modes/0"


def by_rustic(world, rustic, repo, snapshot="latest"):
    target = world.new("out")
    rustic.text(repo, "restore", snapshot, target)
    return sample.describe(target / str(world.folder / "source").lstrip("/"))


def by_us(world, repo, snapshot="latest"):
    target = world.new("out")
    world.ours.restore(repo, snapshot, target)
    return sample.describe(target / str(world.folder / "source").lstrip("/"))


def expect_same(left, right, text):
    expect_equal(sample.differences(left, right, ignore=(TOP, NO_MODE)), [], text)


def ids(text):
    return re.findall("[0-9a-f]{64}", text)


def data_blobs(world, repo):
    return {line for line in world.ours.text(repo, "list", "blobs").splitlines() if line.startswith("data")}


def indexes(world, repo):
    """All index files, as JSON."""
    return [json.loads(world.ours.text(repo, "cat", "index", name))
            for name in world.ours.text(repo, "list", "index").split()]


def marked(world, repo):
    """Packs that some index says are to be deleted."""
    return [pack for index in indexes(world, repo) for pack in index.get("packs_to_delete", [])]


def instant(text):
    """Python knows no nanoseconds."""
    return datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text))


def packs(repo):
    return {path.name for path in (repo / "data").rglob("*") if path.is_file()}


def both_check(world, rustic, repo):
    rustic.check(repo)
    world.ours.text(repo, "check", "--read-data")


def case_check_read_data(world, rustic, fixtures):
    for repo in (fixtures.theirs, fixtures.ours):
        both_check(world, rustic, repo)


def case_lists(world, rustic, fixtures):
    for repo in (fixtures.theirs, fixtures.ours):
        for kind in ("snapshots", "index", "packs", "keys"):
            expect_equal(*(sorted(ids(tool.text(repo, "list", kind))) for tool in (world.ours, rustic)),
                         f"list {kind}")
        blobs = [sorted((line.split()[0].lower(), *ids(line)) for line in tool.text(repo, "list", "blobs").splitlines())
                 for tool in (world.ours, rustic)]
        expect_equal(*blobs, "list blobs")
        theirs, ours = rustic.snapshots(repo), world.ours.json(repo, "snapshots")
        for key in ("id", "tree", "paths", "tags", "hostname"):
            expect_equal([one[key] for one in ours], [one[key] for one in theirs], f"{key} of snapshots")


def case_blobs_are_the_same(world, rustic, fixtures):
    theirs, ours = data_blobs(world, fixtures.theirs), data_blobs(world, fixtures.ours)
    expect(len(theirs) > 20, "the sample has hardly any blobs")
    expect_equal(len(theirs ^ ours), 0, "data blobs that only one program made")


def case_rustic_restores_ours_as_its_own(world, rustic, fixtures):
    for theirs, ours in (fixtures.first, fixtures.second):
        own = by_rustic(world, rustic, fixtures.theirs, theirs)
        expect_same(own, by_rustic(world, rustic, fixtures.ours, ours), "restored by rustic from its own and from ours")


def case_we_restore_theirs_as_it_was(world, rustic, fixtures):
    for which, state in ((fixtures.first[0], fixtures.first_state), (fixtures.second[0], fixtures.state)):
        expect_same(state, by_us(world, fixtures.theirs, which), "the folder and what we restored from rustic's of it")


def case_what_is_rustics_own(world, rustic, fixtures):
    own = by_rustic(world, rustic, fixtures.theirs)
    lines = sample.differences(fixtures.state, own)
    expect(lines and all(line.startswith("b'.': mtime") for line in lines), f"from its own, rustic restores: {lines}")
    lines = sample.differences(fixtures.state, by_us(world, fixtures.theirs))
    expect(lines and all(line.startswith("b'.': mtime") for line in lines), f"from its own, we restore: {lines}")
    restic = shutil.which("restic")
    if not restic:
        return "no restic on this machine"
    if fixtures.state.get(NO_MODE) is None:
        return "only root reads a file without a mode"
    theirs, stock = world.new("restic"), Tool([restic], world)
    stock.text(theirs, "init")
    stock.text(theirs, "backup", fixtures.source)
    for writer, repo in (("restic", theirs), ("us", fixtures.ours)):
        lines = sample.differences(fixtures.state, by_rustic(world, rustic, repo))
        wanted = ["b'modes/0': mode is '0o100000' and '0o100644'"]
        expect_equal(lines, wanted, f"written by {writer}, restored by rustic")
    return None


def pairs(world, rustic, fixtures):
    """(who acts, a copy of the other's repository)"""
    yield rustic, world.copy(fixtures.ours)
    yield world.ours, world.copy(fixtures.theirs)


def foreign(folder):
    """Sockets and devices."""
    modes = [path.lstat().st_mode for path in folder.rglob("*")]
    return sum(stat.S_ISSOCK(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode) for mode in modes)


def case_back_up_on_top(world, rustic, fixtures):
    for actor, repo in pairs(world, rustic, fixtures):
        for flags, kind in (((), "files_unmodified"), (("--force",), "files_new")):
            done = actor.summary(repo, "backup", *flags, fixtures.source)
            done = done.get("summary", done)
            # rustic takes sockets too, and says the mode of devices otherwise than restic and we do.
            others = foreign(fixtures.source) if actor is rustic and not flags else 0
            expect_equal(done[kind], done["total_files_processed"] - others, f"{actor.name} {flags}: {kind}")
            expect_equal(done["data_blobs"], 0, f"{actor.name} {flags}: new data blobs")
        both_check(world, rustic, repo)


def prune_at_once(world, actor, repo):
    """The newest stays, with exactly what it needs."""
    own = ("--instant",) if actor is world.ours else ("--instant-delete", "--max-repack", "unlimited")
    actor.text(repo, "forget", "--keep-last", "1", "--prune", "--max-unused", "0", *own)


def case_forget_and_prune(world, rustic, fixtures):
    own = by_rustic(world, rustic, fixtures.theirs)
    for actor, repo in pairs(world, rustic, fixtures):
        before = data_blobs(world, repo)
        prune_at_once(world, actor, repo)
        expect_equal(len(world.ours.json(repo, "snapshots")), 1, f"snapshots after forget by {actor.name}")
        expect(len(data_blobs(world, repo)) < len(before), f"{actor.name} removed no blob of {len(before)}")
        both_check(world, rustic, repo)
        expect_same(fixtures.state, by_us(world, repo), f"after a prune by {actor.name}")
        expect_same(own, by_rustic(world, rustic, repo), f"after a prune by {actor.name}")


def mark(world, actor, repo):
    """A first phase only; the file of the snapshot that went is returned."""
    gone = min((repo / "snapshots").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    saved = world.new("snapshot")
    shutil.copy(gone, saved)
    own = () if actor is world.ours else ("--max-repack", "unlimited")
    before = packs(repo)
    actor.text(repo, "forget", "--keep-last", "1", "--prune", "--max-unused", "0", *own)
    expect(marked(world, repo), f"{actor.name} marked nothing")
    expect(before <= packs(repo), f"{actor.name} deleted what it had just marked")
    expect(not gone.exists(), "another snapshot went")
    return saved, gone


def second_phase(world, actor, repo):
    actor.text(repo, "prune", "--keep-delete", "0h", "--max-unused", "0")


def case_marks_of_the_other(world, rustic, fixtures):
    """Each reads on while packs are marked, leaves them in their time, and deletes them after it."""
    for marker, repo, actor in ((rustic, world.copy(fixtures.theirs), world.ours),
                                (world.ours, world.copy(fixtures.ours), rustic)):
        mark(world, marker, repo)
        there, told = packs(repo), marked(world, repo)
        both_check(world, rustic, repo)
        expect_same(fixtures.state, by_us(world, repo), f"beside marks of {marker.name}")
        actor.text(repo, "prune")
        expect(there <= packs(repo), f"{actor.name} deleted at once what {marker.name} had marked")
        times = {pack["id"]: instant(pack["time"]) for pack in marked(world, repo)}
        for pack in told:
            expect_equal(times.get(pack["id"]), instant(pack["time"]), f"when {pack['id']} was marked, by {actor.name}")
        second_phase(world, actor, repo)
        expect_equal(packs(repo) & {pack["id"] for pack in told}, set(), f"marked by {marker.name}, still there")
        expect_equal(marked(world, repo), [], f"marks after a second phase by {actor.name}")
        both_check(world, rustic, repo)
        expect_same(fixtures.state, by_us(world, repo), f"after prune by {actor.name}")


def case_marked_packs_are_taken_back(world, rustic, fixtures):
    """A snapshot that needs them turns up: a writer that had read the old index."""
    own = by_rustic(world, rustic, fixtures.theirs, fixtures.first[0])
    for marker, repo, actor in ((rustic, world.copy(fixtures.theirs), world.ours),
                                (world.ours, world.copy(fixtures.ours), rustic)):
        saved, place = mark(world, marker, repo)
        shutil.copy(saved, place)
        actor.text(repo, "prune")
        both_check(world, rustic, repo)
        second_phase(world, actor, repo)
        both_check(world, rustic, repo)
        expect_same(fixtures.first_state, by_us(world, repo, place.name), f"taken back by {actor.name}, restored by us")
        expect_same(own, by_rustic(world, rustic, repo, place.name), f"taken back by {actor.name}, restored by rustic")


def case_packs_that_no_index_knows(world, rustic, fixtures):
    """rustic marks them with their size and without blobs."""
    repo = world.copy(fixtures.theirs)
    stray = next(path for path in (fixtures.ours / "data").rglob("*") if path.is_file())
    place = repo / "data" / stray.name[:2] / stray.name
    place.parent.mkdir(exist_ok=True)
    shutil.copy(stray, place)
    rustic.text(repo, "prune")
    told = [pack for pack in marked(world, repo) if pack["id"] == stray.name]
    expect(told and not told[0]["blobs"] and told[0]["size"], f"rustic has marked it otherwise: {told}")
    world.ours.text(repo, "check", "--read-data")
    world.ours.text(repo, "prune")
    expect(place.exists(), "deleted before its time")
    second_phase(world, world.ours, repo)
    expect(not place.exists(), "not deleted after its time")
    both_check(world, rustic, repo)


def case_config_members_stay(world, rustic, fixtures):
    repo = world.copy(fixtures.theirs)
    rustic.text(repo, "config", "--set-compression", "5", "--set-datapack-size", "5MiB", "--set-treepack-growfactor",
                "7", "--set-min-packsize-tolerate-percent", "20", "--set-extra-verify", "true")
    before = rustic.json(repo, "cat", "config")
    expect_equal((before["compression"], before["treepack_growfactor"]), (5, 7), "what rustic has set")
    password = world.new("password")
    password.write_text("another password\n")
    world.ours.text(repo, "backup", "--force", fixtures.source)
    world.ours.text(repo, "forget", "--keep-last", "1", "--prune", "--instant")
    world.ours.text(repo, "key", "passwd", "--new-password-file", password)
    expect_equal(rustic.json(repo, "cat", "config", password="another password"), before, "the config")
    read = json.loads(world.ours.text(repo, "cat", "config", password="another password"))
    expect_equal(read, before, "the config as we read it")


def case_append_only(world, rustic, fixtures):
    repo = world.copy(fixtures.theirs)
    rustic.text(repo, "config", "--set-append-only", "true")
    mine = world.ours.summary(repo, "backup", "--force", fixtures.source)["snapshot_id"]
    before = {path for path in repo.rglob("*") if path.is_file()}
    for arguments in (("forget", "--keep-last", "1"), ("forget", mine), ("tag", "--add", "x", mine),
                      ("forget", "--keep-last", "1", "--prune", "--instant")):
        for actor in (rustic, world.ours):
            if actor is rustic and "--instant" in arguments:
                continue
            ran = actor.call(repo, *arguments)
            expect(ran.returncode != 0, f"{actor.name} {' '.join(arguments)} of what is append-only")
            expect(b"append" in ran.stderr + ran.stdout, ran.stderr.decode())
    after = {path for path in repo.rglob("*") if path.is_file()}
    expect_equal(before - after, set(), "files that went")
    both_check(world, rustic, repo)


def case_other_chunkers(world, rustic, fixtures):
    for flags in (("--set-chunker", "fixed_size", "--set-chunk-size", "64KiB"), ("--set-chunk-size", "256KiB",
                  "--set-chunk-min-size", "64KiB", "--set-chunk-max-size", "1MiB")):
        repo = world.new("chunker")
        rustic.text(repo, "init", *flags)
        rustic.text(repo, "backup", fixtures.source)
        world.ours.text(repo, "check", "--read-data")
        expect_same(fixtures.state, by_us(world, repo), f"restored by us with {flags}")
        world.ours.text(repo, "backup", "--force", fixtures.source)
        both_check(world, rustic, repo)


def case_snapshot_members_stay(world, rustic, fixtures):
    repo = world.copy(fixtures.theirs)
    rustic.text(repo, "backup", "--label", "the label", "--description", "said \u00fc by us", "--delete-never", "--tag",
                "one,two", fixtures.source)
    before = rustic.latest(repo)
    expect_equal((before["label"], before["delete"]), ("the label", "Never"), "what rustic has written")
    world.ours.text(repo, "tag", "--add", "three", "--remove", "one", before["id"])
    after = rustic.latest(repo)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    # What rustic writes is its own original.
    expect_equal((changed, after["original"]), ({"id", "tags"}, before["id"]), f"what differs in {before} and {after}")
    expect_equal(sorted(after["tags"]), ["three", "two"], "tags")
    kept = rustic.json(repo, "cat", "snapshot", after["id"])["summary"]
    expect("command" in kept and "backup_duration" in kept, f"the summary has lost what rustic counts: {kept}")


def case_protected_snapshots_stay(world, rustic, fixtures):
    repo = world.copy(fixtures.theirs)
    for flags in (("--delete-never",), ("--delete-after", "10d"), ()):
        rustic.text(repo, "backup", *flags, fixtures.source / "contents")
    protected = [one["id"] for one in rustic.snapshots(repo) if "delete" in one]
    expect_equal(len(protected), 2, "snapshots that rustic has protected")
    for name in protected:
        refused = world.ours.call(repo, "forget", name)
        expect(refused.returncode == 1 and b"protected" in refused.stderr, refused.stderr.decode())
    kept = {}
    for actor in (world.ours, rustic):
        where = world.copy(repo)
        actor.text(where, "forget", "--keep-last", "1", "--group-by", "host,paths")
        kept[actor] = sorted(one["id"] for one in world.ours.json(where, "snapshots"))
    expect_equal(kept[world.ours], kept[rustic], "kept by us and by rustic")
    expect(set(protected) <= set(kept[world.ours]), "a protected one went")


def case_keys(world, rustic, fixtures):
    password = world.new("password")
    password.write_text("second password\n")
    for actor, repo in pairs(world, rustic, fixtures):
        actor.text(repo, "key", "add", "--new-password-file", password)
        for tool in (rustic, world.ours):
            expect_equal(len(tool.text(repo, "list", "snapshots", password="second password").split()), 2,
                         f"{tool.name}: opened by the password that {actor.name} has added")


def case_dump_and_streams(world, rustic, fixtures):
    for name in ("contents/random", "contents/sparse", "contents/empty"):
        wanted = (fixtures.source / name).read_bytes()
        path, (theirs, ours) = fixtures.source / name, fixtures.second
        expect(rustic.bytes(fixtures.ours, "dump", f"{ours}:{path}") == wanted, f"rustic: {name}")
        expect(world.ours.bytes(fixtures.theirs, "dump", theirs, path) == wanted, f"ours: {name}")
    data = (fixtures.source / "contents" / "text").read_bytes()
    for actor, repo in pairs(world, rustic, fixtures):
        source = ("--stdin",) if actor is world.ours else ("-",)
        actor.text(repo, "backup", "--stdin-filename", "dump.sql", *source, stdin=data)
        expect(rustic.bytes(repo, "dump", "latest:dump.sql") == data, f"a stream of {actor.name}, read by rustic")
        expect(world.ours.bytes(repo, "dump", "latest", "/dump.sql") == data, f"a stream of {actor.name}, read by us")

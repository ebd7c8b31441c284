"""group: two volumes cut together, gone back to, backed up, brought back here and elsewhere."""
import json
import re
import signal
from pathlib import Path

from machine import Failed, Machine, namespace
from person import Person, claim

CLAIMS = ("ledger-a", "ledger-b")
ADMINS = "holdfast-system"


def bank_pod():
    """A pod that keeps the same word in two volumes."""
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bank"},
            "spec": {"terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "c", "image": "host", "command": ["sleep", "100000"], "volumeMounts": [
                         {"name": name, "mountPath": f"/{name}"} for name in CLAIMS]}],
                     "volumes": [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in CLAIMS]}}


def group(name, pod, namespace=None, location=None):
    members = {"kind": "Pod", "names": [pod]} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "longhorn.io/v1beta2", "kind": "VolumeGroup", "metadata": {"name": name},
            "spec": {"group": members} | ({"backup": {"location": location}} if location else {})}


def prepare(person):
    if person.machine.get("VolumeGroup", "bank"):
        return
    for name in CLAIMS:
        person.machine.create(claim(name))
    person.machine.create(bank_pod())
    person.machine.ready("bank")
    person.machine.create(group("bank", "bank"))


def write(person, word):
    paths = " ".join(f"/{name}/word" for name in CLAIMS)
    person.machine.run("bank", ["sh", "-c", f"for each in {paths}; do echo {word} >$each; done; sync"])


def expect_word(person, word, claims=CLAIMS, ns="default"):
    for name in claims:
        found = (Path(person.folder_of(name, ns)) / "word").read_text(encoding="utf-8").strip()
        if found != word:
            raise Failed(f"claim {ns}/{name} says {found!r}, not {word!r}")


def stop_bank(person):
    person.machine.delete("Pod", "bank", grace=0)
    person.machine.until(lambda: not person.machine.get("Pod", "bank"), "the bank is gone")


def start_bank(person):
    person.machine.create(bank_pod())
    person.machine.ready("bank")


def made(said):
    return re.search(r"volumegroupaction.longhorn.io/(\S+): ", said.out).group(1)


def cut_and_reverted(person):
    """A snapshot is listed and told; a revert needs --yes and a pod that is gone, and keeps what it replaces."""
    prepare(person)
    write(person, "first")
    name = made(person.want(["group", "snapshot", "bank"], out="SnapshotsTaken: 2 volumes",
                            err="holdfast group revert bank-"))
    person.want(["group", "list", "bank"], out=rf"(?s)NAME +GROUP +ACTION.*{name} +bank +snapshot +Completed +\w+")
    items = json.loads(person.want(["group", "list", "-o", "json"]).out)["items"]
    if [each["metadata"]["name"] for each in items] != [name]:
        raise Failed(f"the list has other actions: {items}")
    person.want(["group", "describe", name], out=r"(?s)Consistency: +(Crash|Unknown) .*Story:.*snapshot +Completed.*"
                r"default/ledger-a +100Mi +pvc-.*SnapshotsTaken")
    person.want(["group", "describe", "bank"], out=rf"(?s)Members: +Pod bank.*{name} +snapshot +Completed")
    person.want(["group", "logs", name], out="Normal SnapshotsTaken: ")
    write(person, "second")
    old = person.machine.get("PersistentVolumeClaim", "ledger-a")["spec"]["volumeName"]
    person.want(["group", "revert", name], code=2, err=rf"(?s)claim default/ledger-a .* in place of {old}, which is "
                "kept.*nothing was done; with --yes it is")
    person.want(["group", "revert", name, "--yes"], code=1, err="(?s)ClaimInUse: .*by pod bank.*scale the workload")
    expect_word(person, "second")
    stop_bank(person)
    person.want(["group", "revert", name, "--yes"], out="Reverted: 2 claims")
    expect_word(person, "first")
    if not person.machine.get("PersistentVolume", old):
        raise Failed("the volume that was replaced is gone")
    person.want(["group", "describe", name], out=rf"(?s)Last Revert or Restore:.*revert +Completed.*{old}")
    start_bank(person)
    person.want(["group", "delete", name], code=2, err="(?s)snapshots that go: .*nothing was done")
    person.want(["group", "delete", name, "--yes"], out="deleted")
    if person.machine.list("VolumeSnapshot") or person.machine.list("VolumeGroupAction"):
        raise Failed("something of the action is left")


def backed_up(person):
    """A backup is listed here and in its bucket, and comes back beside and in place of what is there."""
    prepare(person)
    person.location("here", "--default")
    write(person, "saved")
    said = person.want(["group", "backup", "bank", "-o", "json"])
    action = json.loads(said.out)
    name, uid = action["metadata"]["name"], action["metadata"]["uid"]
    person.want(["group", "list"], out=rf"{name} +bank +backup +Completed +\w+ +\d+")
    person.want(["group", "list", "--location", "here"], out=rf"(?s)GROUP +ID .*default/bank +{uid} +2.* +2 +\d+")
    found = json.loads(person.want(["group", "list", "bank", "--location", "here", "-o", "json"]).out)
    if [each["name"] for each in found[0]["claims"]] != list(CLAIMS):
        raise Failed(f"the catalogue has other claims: {found}")
    write(person, "later")
    person.want(["group", "restore", name], code=1, err="(?s)ClaimsExist: .*default/ledger-a.*--conflict Rename")
    # It is as good as before.
    person.want(["group", "list"], out=rf"{name} +bank +backup +Completed +\w+ +\d+")
    person.want(["get", "volumegroupactions", name], out=rf"(?s)STATE +RESULT.*{name} +bank +backup +Error +BackedUp")
    times = [line.split()[0] for line in person.want(["group", "logs", name]).out.splitlines()]
    if times != sorted(times) or len(times) < 5:
        raise Failed(f"what happened is told out of order: {times}")
    person.want(["group", "restore", name, "--conflict", "Rename", "--suffix", "-copy"], out="Restored: 2 claims")
    expect_word(person, "saved", [each + "-copy" for each in CLAIMS])
    person.want(["group", "restore", name, "--conflict", "Replace"], code=2,
                err="(?s)in place of pvc-.*nothing was done")
    person.want(["group", "restore", name, "--conflict", "Replace", "--yes"], code=1, err="ClaimInUse")
    expect_word(person, "later")
    person.want(["group", "delete", name, "--yes"], out="deleted", err="the backup stays in its repository")
    stop_bank(person)
    person.want(["group", "restore", "--from", "bank", "--location", "here", "--conflict", "Replace", "--yes",
                 "--into-action", "again"], out="again: Restored: 2 claims")
    expect_word(person, "saved")
    start_bank(person)
    person.want(["group", "list"], out=r"again +default/bank +found +Completed")
    last = made(person.want(["group", "backup", "bank"], out="BackedUp"))
    person.want(["group", "delete", last, "--with-backup", "--yes"], out="deleted",
                err="leaves its repository, for good")
    left = json.loads(person.want(["group", "list", "--location", "here", "-o", "json"]).out)
    if [each["id"] for each in left] != [uid]:
        raise Failed(f"the bucket holds other backups than the first: {left}")
    if person.machine.list("DataMove"):
        left = [each["metadata"]["name"] for each in person.machine.list("DataMove")]
        if any(each.startswith("group-list-") for each in left):
            raise Failed(f"moves are left that read the catalogues: {left}")


def watched(person):
    """Progress is one line on a terminal and lines elsewhere; Ctrl-C ends the watching, not the action."""
    prepare(person)
    person.location("here", "--default")
    person.want(["group", "backup", "bank"], out="BackedUp", err=r"(?m)^\[0:0\d\] Started  backup, 2 of 2")
    terminal = person.terminal("group", "backup", "bank")
    terminal.read_until(b"\r[0:0")
    terminal.read_until(b"BackedUp: 2 volumes")
    if terminal.finish() != 0:
        raise Failed("the backup on a terminal ended otherwise")
    plain = person.start("group", "backup", "bank")
    first = plain.stderr.readline()
    plain.send_signal(signal.SIGINT)
    _, err = plain.communicate(timeout=60)
    if plain.returncode != 130 or "the action goes on; holdfast group describe bank-backup-" not in err:
        raise Failed(f"code {plain.returncode} after {first!r}: {err}")
    person.machine.until(lambda: person.machine.get("VolumeGroup", "bank")["status"].get("state") == "Completed",
                         "the action has gone on to its end")


def into_another_namespace(person):
    """Only a group of the administrators' brings claims into another namespace."""
    prepare(person)
    person.location("here", "--default")
    for ns in (ADMINS, "elsewhere"):
        if not person.machine.get("Namespace", ns):
            person.machine.create(namespace(ns))
    person.machine.create(group("any-bank", "bank", "default", {"name": "here", "namespace": "default"}), ADMINS)
    write(person, "moved")
    name = made(person.want(["group", "backup", "any-bank", "-n", ADMINS], out="BackedUp"))
    person.want(["group", "restore", name, "-n", ADMINS, "--into", "elsewhere"], out="Restored: 2 claims")
    expect_word(person, "moved", CLAIMS, "elsewhere")
    tenants = made(person.want(["group", "backup", "bank"], out="BackedUp"))
    person.want(["group", "restore", tenants, "--into", "elsewhere"], code=1, err="NamespaceNotAllowed")


def on_a_new_cluster(person):
    """With the location and its password alone: what it holds is listed, and comes back under its names."""
    prepare(person)
    person.location("here", "--default")
    write(person, "carried")
    uid = json.loads(person.want(["group", "backup", "bank", "-o", "json"]).out)["metadata"]["uid"]
    with Machine(person.machine.binary) as machine:
        stranger = Person(machine, None)
        machine.until(lambda: stranger.run("get", "volumegroups").code == 0, "the kinds are served")
        stranger.want(["location", "add", "old", "--path", str(person.store / "here"), "--password-file",
                       str(person.password)], out="old created")
        stranger.want(["group", "list", "--location", "old"], out=rf"default/bank +{uid} ")
        stranger.want(["group", "restore", "--from", "bank", "--location", "old", "--id", uid],
                      out="Restored: 2 claims")
        expect_word(stranger, "carried")


def nothing_by_mistake(person):
    """What is mistyped, missing or not allowed is named, with a code of its own and a way on."""
    prepare(person)
    person.want(["group", "snapshot", "bnak"], code=10,
                err="(?s)no VolumeGroup bnak in namespace default.*there are bank")
    for words in (["describe", "none"], ["revert", "none", "--yes"], ["restore", "none"], ["delete", "none", "--yes"],
                  ["logs", "none"]):
        person.want(["group", *words], code=10, err="no VolumeGroupAction none in namespace default")
    person.want(["group", "revert", "bank", "--yes"], code=10, err="that is a VolumeGroup; its actions: ")
    person.want(["group", "list", "bnak"], code=10, err="no VolumeGroup bnak")
    person.want(["group", "list", "--location", "nowhere"], code=1, err="read location nowhere: .*nowhere")
    person.want(["group", "snapshot"], code=2)
    person.want(["group", "restore"], code=2, err="name ACTION, or a group with --from")
    person.want(["group", "restore", "x", "--conflict", "Maybe"], code=2, err="Maybe")
    person.want(["group", "restore", "--from", "bank", "--before", "yore"], code=2, err="--before .yore.: no time")
    person.want(["group", "restore", "x", "--storage-class", "fast"], code=2, err="not OLD=NEW")
    person.want(["group", "snapshot", "bank", "--as", "stranger"], code=12, err="stranger")
    person.machine.create(group("bare", "web"))
    person.want(["group", "snapshot", "bare"], code=1, err="NoVolumes: no member has a volume")
    person.location("here", "--default")
    person.want(["group", "restore", "--from", "nobody", "--location", "here"], code=1,
                err="BackupNotFound|RepositoryNotFound")


def looked_at_first(person):
    """A dry run says what would be cut, and leaves nothing."""
    prepare(person)
    before = len(person.machine.list("VolumeGroupAction"))
    person.want(["group", "describe", "bank", "--dry-run", "snapshot"],
                out=r"(?s)Would Cut: +2 volumes of namespace default by .*Claims:.*ledger-a +100Mi")
    person.machine.create(group("ghost", "nobody-here"))
    person.want(["group", "describe", "ghost", "--dry-run", "backup"], code=1,
                err="a backup would fail: .*MemberNotFound")
    if len(person.machine.list("VolumeGroupAction")) != before or person.machine.list("VolumeSnapshot"):
        raise Failed("the dry run left something")


STORIES = [cut_and_reverted, looked_at_first, backed_up, watched, on_a_new_cluster, into_another_namespace,
           nothing_by_mistake]

"""move: there and back, watched, interrupted, canceled, failed."""
import json
import re
import signal
import subprocess

from machine import Failed
from person import claim

SLOW = "20k"


def there_and_back(person):
    """A volume into a repository and into another volume, byte for byte."""
    person.location("here", "--default")
    said = person.want(["move", "backup", "data", "--wait", "--name", "first"],
                       out=r"(?s)^datamove.holdfast.dev/first created\nCompleted: snapshot [0-9a-f]{64}, ")
    snapshot = re.search(r"snapshot ([0-9a-f]{64})", said.out).group(1)
    person.machine.create(claim("back"))
    said = person.want(["move", "restore", snapshot, "--to", "back", "--location", "here", "--json"])
    lines = [json.loads(line) for line in said.out.splitlines()]
    if lines[-1]["message_type"] != "summary" or lines[-1]["phase"] != "Completed" or not lines[-1]["verified"]:
        raise Failed(f"the last line is no summary of a restore that was proven: {lines[-1]}")
    compared = subprocess.run(["diff", "-r", "--no-dereference", person.folder_of("data"), person.folder_of("back")],
                              capture_output=True, text=True, check=False)
    if compared.returncode != 0:
        raise Failed(f"what came back is not what was there: {compared.stdout[:1000]}")
    person.want(["move", "list"], out=r"first +Backup +Completed")
    person.want(["move", "describe", "first"], out=rf"(?s)Phase: +Completed.*Snapshot: +{snapshot}")
    person.want(["move", "watch", "first"], out="^Completed: snapshot")
    person.want(["move", "restore", snapshot, "--to", "back", "--wait"], code=1, err="Failed: VolumeNotEmpty: ")


def out_of_a_pod(person):
    """What a command in a pod prints, and the command that takes it back."""
    person.location("here", "--default")
    said = person.want(["move", "backup", "pod/web", "--wait", "--", "sh", "-c", "echo [one] two"], out="Completed")
    snapshot = re.search(r"snapshot ([0-9a-f]{64})", said.out).group(1)
    person.want(["move", "restore", snapshot, "--to", "pod/web", "--wait", "--", "sh", "-c", "cat >/tmp/back"],
                out="Completed")
    if person.machine.run("web", ["cat", "/tmp/back"]) != "[one] two\n":
        raise Failed("something else came back")


def failures_have_reasons(person):
    person.machine.api.create("/api/v1/namespaces", {"metadata": {"name": "bare"}})
    person.want(["move", "backup", "data", "-n", "bare", "--wait"], code=1, err="Failed: NoBackupLocation: ")
    person.want(["move", "watch", "nope"], code=1, err=r"Error from server \(NotFound\)")
    person.want(["move", "cancel", "nope"], code=1, err=r"Error from server \(NotFound\)")
    person.want(["move", "backup", "data", "--limit-upload", "fast"], code=1, err="--limit-upload")
    person.want(["move", "restore", "abc"], code=2)


def slow_move(person, name):
    """One that is under way for as long as nobody ends it."""
    place = f"{name}-place"
    person.location(place)
    person.want(["move", "backup", "data", "--name", name, "--location", place, "--limit-upload", SLOW], out="created")
    person.machine.until(lambda: (person.machine.get("DataMove", name) or {}).get("status", {}).get("phase") ==
                         "InProgress", f"move {name} is under way")


def interrupted_watch(person):
    """Ctrl-C ends the watching, on a terminal and elsewhere; the move goes on until it is canceled."""
    slow_move(person, "slow")
    plain = person.start("move", "watch", "slow")
    first = plain.stderr.readline()
    if not first.startswith("[0:00] "):
        raise Failed(f"the first line is {first!r}")
    plain.send_signal(signal.SIGINT)
    _, err = plain.communicate(timeout=60)
    if plain.returncode != 130 or "the move goes on" not in err:
        raise Failed(f"code {plain.returncode}: {err}")
    terminal = person.terminal("move", "watch", "slow")
    for _ in range(2):
        terminal.read_until(b"\r[0:0")
    terminal.type(b"\x03")
    terminal.read_until(b"holdfast move cancel slow ends it")
    if terminal.finish() != 130:
        raise Failed("the watch on a terminal ended otherwise")
    if person.machine.get("DataMove", "slow")["status"]["phase"] != "InProgress":
        raise Failed("the move did not go on")
    person.want(["move", "cancel", "slow", "--wait"], err="Canceling|InProgress|", out="^Canceled: Canceled: ")
    if person.machine.get("DataMove", "slow")["status"]["phase"] != "Canceled":
        raise Failed("the move was not canceled")


def upkeep_out_of_turn(person):
    """The repository that the first move made is listed, checked and pruned."""
    found = person.machine.until(lambda: person.run("repository", "list", "-o", "name").out.split(),
                                 "the repository has an object of its own")
    name = found[0].split("/")[1]
    person.want(["repository", "check", name, "--wait"], out=rf"(?s)repository.holdfast.dev/{name}: check asked for\n.*"
                rf"{name}: check done: [1-9][0-9]* snapshots, ")
    person.want(["repository", "prune", name, "--wait"], out="prune done: ")
    person.want(["repository", "describe", name], out=r"(?s)Location: +here.*Last Check: +2.* ago\).*Last Prune: +2")
    person.want(["location", "describe", "here"], out=rf"Repositories: +default/{name}: ")
    person.want(["repository", "check", "nope"], code=1, err="NotFound")


STORIES = [there_and_back, upkeep_out_of_turn, out_of_a_pod, failures_have_reasons, interrupted_watch]

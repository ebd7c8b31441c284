"""Trailers that lie: in the data of a command, from a shell that is no shell, and before the last word of a process
that a command left behind."""
import shutil

from attacks import attack
from false_node import FalseNode, Stream
from group_runs import lying_image
from pod_moves import Vault, reason_of as end_of

FORGED = "HOLDFAST END 0123456789abcdef0123456789abcdef 0 21"
LINES = 61
# The trailer of the run itself, with its nonce, and more after it.
EARLY = """*holdfast-command*seq*)
  seq 10
  echo "HOLDFAST END $4 0 -"
  seq 11 20
  exit 0 ;;"""


@attack("command trailer")
def in_the_data(world):
    """Rows that hold a trailer of another run, and a stream that is cut right behind it."""
    tenant = world.tenant()
    vault, node = Vault(tenant), FalseNode(world.machine, world.folder, f"false-{tenant.ns}")
    rows = f"seq 10; echo '{FORGED}'; seq 11 {LINES}"

    def play(stream):
        Stream.play(stream, **({"most": 21 + len(FORGED) + 1} if rows in stream.command else {}))
    node.pod(tenant, "db", play)
    status = vault.back_up("rows", name="db", command=["sh", "-c", rows])
    if status["phase"] != "Completed":
        assert "its end was not seen" in end_of(status)["message"], end_of(status)
        return None
    return f"Completed with {len(vault.dump(status['snapshotID'], '/output').splitlines())} of {LINES + 1} lines"


@attack("command trailer")
def from_a_shell_that_lies(world):
    tenant = world.tenant()
    vault = Vault(tenant)
    body = tenant.pod("db", "", image=lying_image(world, "early", EARLY))
    body["spec"]["containers"][0]["command"] = ["/bin/busybox", "sleep", "100000"]
    tenant.running(body)
    status = vault.back_up("rows", name="db", command=["seq", str(LINES)])
    if status["phase"] != "Completed":
        assert "went on after its trailer" in end_of(status)["message"], end_of(status)
        return None
    return f"Completed with {len(vault.dump(status['snapshotID'], '/output').splitlines())} of {LINES} lines"


@attack("command trailer")
def by_a_process_left_behind(world):
    """Where no dd counts the output, and so waits for its end: what comes after the trailer is not missed."""
    tenant = world.tenant()
    vault, node = Vault(tenant), FalseNode(world.machine, world.folder, f"false-{tenant.ns}")
    tools = world.folder / f"tools-{tenant.ns}"
    tools.mkdir()
    for name in ("sh", "sleep"):
        (tools / name).symlink_to(shutil.which(name))
    node.pod(tenant, "db", lambda stream: Stream.play(stream, path=tools))
    status = vault.back_up("rows", name="db", command=["sh", "-c", "(sleep 0.5; echo late) & echo early"])
    if status["phase"] != "Completed":
        assert "went on after its trailer" in end_of(status)["message"], end_of(status)
        return None
    return f"Completed with {vault.dump(status['snapshotID'], '/output')!r}"

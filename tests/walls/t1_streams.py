"""Trial 1: a stream that is cut, and a server that says its command ended well (kubernetes/kubernetes#137404)."""
from attacks import attack
from false_node import FalseNode, Stream
from pod_moves import Vault, reason_of
from world import Exec

LINES = 61


def node_of(tenant):
    return FalseNode(tenant.world.machine, tenant.world.folder, f"false-{tenant.ns}")


def cut(word, **how):
    """Only of commands that have the word: the first look into the container goes well."""
    def play(stream):
        Stream.play(stream, **(how if word in stream.command else {}))
    return play


def moved(status, what):
    """What an attack got; None if the move did not take a part for the whole."""
    if status["phase"] == "Completed":
        return what
    told = reason_of(status)
    assert told["reason"] == "Unavailable" and "its end was not seen" in told["message"], told
    return None


@attack("command trailer")
def dump(world):
    tenant = world.tenant()
    vault, node = Vault(tenant), node_of(tenant)
    node.pod(tenant, "db", cut("seq", most=50))
    status = vault.back_up("dump", name="db", command=["seq", "100", str(100 + LINES - 1)])
    if status["phase"] != "Completed":
        return moved(status, None)
    kept = vault.dump(status["snapshotID"], "/output").splitlines()
    return f"Completed with {len(kept)} of {LINES} lines"


@attack("command trailer")
def folder(world):
    """Cut between two files: to tar that is an archive like any other."""
    tenant = world.tenant()
    vault, node = Vault(tenant), node_of(tenant)
    source = world.folder / f"source-{tenant.ns}"
    source.mkdir()
    for name in ("first", "second"):
        (source / name).write_text(name, encoding="utf-8")
    node.pod(tenant, "db", cut("tar", most=3 * 512))  # the folder's own head, and one file
    status = vault.back_up("folder", name="db", directory=str(source))
    return moved(status, "Completed with one of two files")


@attack("command trailer")
def restore(world):
    """What goes into a pod is lost on the way: the command read half of it, and ended well."""
    tenant = world.tenant()
    vault, node = Vault(tenant), node_of(tenant)
    target = world.folder / f"target-{tenant.ns}"
    node.pod(tenant, "db")
    saved = vault.back_up("save", name="db", command=["seq", "1000"])
    assert saved["phase"] == "Completed", saved
    node.plays["db"] = cut(f"cat >{target}", most_input=100)
    status = vault.restore("load", saved["snapshotID"], f"cat >{target}", "db")
    return moved(status, f"Completed, and {target.stat().st_size} bytes came")


@attack("exec status")
def exec_without_status(world):
    """The node ends the stream in order and says nothing: kubectl would exit with 0."""
    tenant = world.tenant()
    node = node_of(tenant)
    node.pod(tenant, "db", lambda stream: stream.play(told=False))
    session = Exec(tenant.api, tenant.ns, "db", ["echo", "half"], "c")
    session.finish()
    assert session.out == b"half\n", session.out
    return "it is said to have ended well" if session.status["status"] == "Success" else None

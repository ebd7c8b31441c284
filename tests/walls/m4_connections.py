"""Connections: a crowd of strangers, or one user, that keeps everybody else out of a server with few descriptors."""
import contextlib
import os
import ssl
import subprocess
import tempfile
from pathlib import Path

from attacks import attack
from world import Api

DESCRIPTORS = 256  # of a login shell there are 1024; fewer are sooner taken
CROWD = 150  # more than the server lets in then
READY = "ready https://"


@contextlib.contextmanager
def server(world, *tokens, mode=0o600, descriptors=DESCRIPTORS):
    """An API server of its own, which may open that many files; with its administrator."""
    with tempfile.TemporaryDirectory(dir=world.folder) as folder:
        data, file = Path(folder) / "data", Path(folder) / "tokens.csv"
        with open(os.open(file, os.O_CREAT | os.O_WRONLY, mode), "w", encoding="utf-8") as out:
            out.writelines(f"{token},{token},{token}\n" for token in tokens)
        os.chmod(file, mode)
        process = subprocess.Popen(
            ["prlimit", f"--nofile={descriptors}:{descriptors}", world.machine.binary, "apiserver", "--data-dir",
             str(data), "--listen", "127.0.0.1:0", "--in-memory", "--token-auth-file", str(file)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            ready = process.stdout.readline().startswith(READY)
            yield Api(data / "admin.kubeconfig") if ready else None
        finally:
            process.terminate()
            process.wait(30)


def hold(api, count, path="/healthz", token=None):
    """Opens connections, asks one thing on each, and keeps them. Those that were let in."""
    held, headers = [], {"Authorization": f"Bearer {token}"} if token else {}
    for _ in range(count):
        connection = api.connect(5)
        with contextlib.suppress(OSError, ssl.SSLError):
            connection.request("GET", path, headers=headers)
            held.append((connection, connection.getresponse()))
    return held


def is_kept_out(api, token):
    connection = api.connect(5)
    try:
        connection.request("GET", "/version", headers={"Authorization": f"Bearer {token}"})
        return connection.getresponse().status != 200
    except (OSError, ssl.SSLError):
        return True
    finally:
        connection.close()


def stranger(api):
    """The administrator's server as one without its certificate sees it."""
    other = object.__new__(Api)
    other.address = api.address
    other.tls = ssl.create_default_context()
    other.tls.check_hostname, other.tls.verify_mode = False, ssl.CERT_NONE
    return other


@attack("connections have shares")
def idles_in_a_crowd(world):
    """As many anonymous connections as there are descriptors, one request each."""
    with server(world, "bob") as api:
        outside = stranger(api)
        held = hold(outside, CROWD)
        return f"{len(held)} connections, and bob is kept out" if is_kept_out(outside, "bob") else None


@attack("connections have shares")
def watches_too_much(world):
    """One user's watches, which end only when their client wants."""
    with server(world, "alice", "bob") as api:
        outside = stranger(api)
        held = hold(outside, CROWD, "/api/v1/namespaces?watch=true", "alice")
        return f"{len(held)} watches, and bob is kept out" if is_kept_out(outside, "bob") else None

"""L5: secrets of pods that have ended, and of a server that has stopped, in the machine's memory."""
import os
from pathlib import Path

from attacks import attack
from world import Failed, in_own_memory

SECRET = "password-of-the-pod"


def in_memory(what):
    """Files of secrets, by whoever may read the machine's memory folders, that hold it."""
    found = []
    for place in ("/run/holdfast", "/dev/shm/holdfast"):
        for folder, _, files in os.walk(place):
            for name in files:
                path = Path(folder) / name
                try:
                    found += [str(path)] if what in path.read_text(encoding="utf-8", errors="replace") else []
                except OSError:
                    pass  # of another server's test, gone by now
    return found


def with_secret(tenant, word):
    tenant.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"password": word}})
    return tenant.pod("p", "cat /s/password", [{"name": "s", "secret": {"secretName": "s"}}],
                      [{"name": "s", "mountPath": "/s"}])


@attack("secrets go with the last container")
def finds_the_secret_of_a_pod_that_ended(world):
    tenant = world.tenant()
    word = f"{SECRET}-{world.folder}"  # the same attack runs beside this one
    assert tenant.ended(with_secret(tenant, word)) == word
    machine = world.machine
    machine.until(lambda: machine.get("Pod", "p", tenant.ns)["status"]["phase"] == "Succeeded", "the pod has ended")
    try:
        machine.until(lambda: not in_memory(word), "it is gone", 3)
    except Failed:
        return in_memory(word)
    finally:
        machine.delete("Pod", "p", 0, tenant.ns)
    return None


@attack("secrets go with the server")
def finds_secrets_after_the_stop(world):
    return in_own_memory(world, "stopped")

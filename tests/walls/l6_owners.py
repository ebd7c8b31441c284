"""Owners found by uid in all namespaces: what a tenant makes counts as an administrator's."""
import itertools
import json
import time

from attacks import attack
from world import Refused

UPKEEP = "holdfast.dev/v1alpha1"
FORGED = {"kind": "Open", "size": 1, "snapshots": 7777, "again": False}
numbers = itertools.count()


def repository_that_is_being_opened(world):
    """Of an administrator's location whose Secret has gone: the pod of its Job waits for that, for ever."""
    machine, ns = world.machine, f"vault-{next(numbers)}"  # after the tenants' by name, as lists have it
    machine.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": ns}})
    machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "password"},
                    "stringData": {"password": "theirs"}}, ns)
    machine.create({"apiVersion": UPKEEP, "kind": "BackupLocation", "metadata": {"name": "vault"},
                    "spec": {"file": {"path": str(world.folder / ns)}, "password": {"name": "password"}}}, ns)
    machine.until(lambda: (machine.get("BackupLocation", "vault", ns).get("status") or {}).get("phase") == "Available",
                  "the location is tried")
    machine.delete("Secret", "password", ns=ns)
    machine.create({"apiVersion": UPKEEP, "kind": "Repository", "metadata": {"name": "theirs"},
                    "spec": {"location": {"name": "vault"}}}, ns)
    machine.until(lambda: repository(machine, ns)["status"].get("running"), "the repository is to be opened")
    return ns


def repository(machine, ns):
    found = machine.get("Repository", "theirs", ns)
    return {**found, "status": found.get("status") or {}}


@attack("owners of the same namespace")
def the_job_of_an_administrators_repository(world):
    """A Job of the same name, which says that it is the Repository's, and what it likes of the repository."""
    machine, tenant = world.machine, world.tenant()
    ns = repository_that_is_being_opened(world)
    theirs = repository(machine, ns)
    name = theirs["status"]["running"]["job"]
    say = f"printf %s '{json.dumps(FORGED)}' >/dev/termination-log"
    jobs = f"/apis/batch/v1/namespaces/{tenant.ns}/jobs"
    tenant.api.create(jobs, {"metadata": {"name": name}, "spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "c", "image": world.IMAGE,
                                                  "command": ["/bin/sh", "-c", say]}]}}}})
    machine.until(lambda: machine.get("Job", name, tenant.ns)["status"].get("succeeded"), "the Job has ended", 60)
    # Held by a finalizer: the garbage collector sees that the owner is of another namespace.
    tenant.api.merge(f"{jobs}/{name}", {"metadata": {"finalizers": ["red.example/keep"], "ownerReferences": [
        {"apiVersion": UPKEEP, "kind": "Repository", "name": "theirs", "uid": theirs["metadata"]["uid"],
         "controller": True}]}})
    try:
        machine.api.merge(machine.path("Repository", "theirs", ns), {"metadata": {"annotations": {"look": "now"}}})
        end = time.monotonic() + 3
        while time.monotonic() < end:
            status = repository(machine, ns)["status"]
            if status.get("snapshots") == FORGED["snapshots"]:
                return json.dumps(status)
            time.sleep(0.2)
        return None
    finally:
        tenant.api.merge(f"{jobs}/{name}", {"metadata": {"finalizers": None}})
        for kind, each in (("Repository", "theirs"), ("BackupLocation", "vault")):
            try:
                machine.delete(kind, each, ns=ns)
            except Refused:
                pass

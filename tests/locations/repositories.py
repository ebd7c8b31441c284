"""Repositories: made with the first move, kept up when asked and when due, and what befalls them."""
import hashlib
import hmac
import json
import time

from bucket import KEY, OURS, PASSWORD
from machine import Failed

VOLUME = {"volume": {"persistentVolumeClaim": "data"}}


def fill(world, name="data", script="head -c 3000000 /dev/urandom >/v/random; echo hello >/v/hello"):
    machine = world.machine
    machine.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "64Mi"}}}})
    machine.create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"fill-{name}"}, "spec": {
        "restartPolicy": "Never", "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": name}}],
        "containers": [{"name": "c", "image": "host", "command": ["/bin/sh", "-c", script],
                        "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]}})
    machine.until(lambda: (machine.get("Pod", f"fill-{name}") or {}).get("status", {}).get("phase") == "Succeeded",
                  "the volume is filled")


def move(world, name, into, **spec):
    world.machine.create({"apiVersion": OURS, "kind": "DataMove", "metadata": {"name": name},
                          "spec": {"direction": "Backup", "location": {"name": into}, **VOLUME, **spec}})


def moved(world, name, phase="Completed"):
    def look():
        status = (world.machine.get("DataMove", name) or {}).get("status", {})
        if status.get("phase") in ("Completed", "Failed") and status["phase"] != phase:
            raise Failed(f"move {name}: {json.dumps(status)}")
        return status.get("phase") == phase and status
    return world.machine.until(look, lambda: f"move {name} {phase}: "
                               f"{json.dumps((world.machine.get('DataMove', name) or {}).get('status'))}")


def repository(world, name):
    return world.machine.get("Repository", name) or {}


def quiet(world, name, look, what):
    """Its status, once nothing runs and it is as wanted."""
    def idle():
        status = repository(world, name).get("status", {})
        return "running" not in status and look(status) and status
    return world.machine.until(idle, lambda: f"Repository {name} {what}: "
                               f"{json.dumps(repository(world, name).get('status'))}")


def ask(world, name, what):
    world.patch("Repository", name, {"metadata": {"annotations": {"holdfast.dev/run": what}}})

    def seen_to():
        return "holdfast.dev/run" not in (repository(world, name)["metadata"].get("annotations") or {})
    world.machine.until(seen_to, "the annotation was seen to")


def a_move_makes_its_repository(world):
    fill(world)
    world.secrets("kept")
    world.location("kept", "kept")
    move(world, "first", "kept")
    moved(world, "first")
    made = world.machine.until(lambda: repository(world, "kept-default"), "there is a Repository")
    spec = made["spec"]
    if spec["location"] != {"name": "kept"} or spec["namespace"] != "default":
        raise Failed(f"it is of another place: {spec}")
    if not spec["maintenance"]["prune"]["schedule"] or not spec["maintenance"]["check"]["schedule"]:
        raise Failed(f"nobody keeps it up: {spec}")
    if made["metadata"].get("ownerReferences"):
        raise Failed("it would go with its location")
    status = quiet(world, "kept-default", lambda status: status.get("snapshots") == 1, "was looked at")
    if not status["size"].endswith("Ki"):
        raise Failed(f"its size: {status['size']}")
    world.says("Repository", "kept-default", "Scheduled", "Scheduled", "next prune at", "next check at", status="True")


def prune_and_check_run_when_asked(world):
    move(world, "second", "kept")
    moved(world, "second")
    world.restic("kept", "forget", "--keep-last", "1", "--group-by", "", "--no-cache")
    ask(world, "kept-default", "prune")
    status = quiet(world, "kept-default", lambda status: status.get("lastPrune"), "was pruned")
    if status["snapshots"] != 1:
        raise Failed(f"one snapshot was kept: {status}")
    world.event("Repository", "kept-default", "PruneStarted", "Job kept-default-prune-", warning=False)
    world.event("Repository", "kept-default", "Pruned", warning=False)
    ask(world, "kept-default", "check")
    status = quiet(world, "kept-default", lambda status: status.get("lastCheck"), "was checked")
    if not status.get("oldestUnverifiedData"):
        raise Failed(f"what was read back is not told: {status}")
    world.says("Repository", "kept-default", "Healthy", "Checked", "of them read", status="True")
    world.event("Repository", "kept-default", "Checked", warning=False)
    world.restic("kept", "check", "--read-data", "--no-cache")
    if world.restic("kept", "list", "locks", "--no-lock", "--no-cache").strip():
        raise Failed("a lock was left behind")


def what_cannot_be_asked_for_is_refused(world):
    ask(world, "kept-default", "destroy")
    world.event("Repository", "kept-default", "UnknownUpkeep", "destroy", "must be prune or check")


def a_wrong_schedule_names_its_field(world):
    world.patch("Repository", "kept-default", {"spec": {"maintenance": {"prune": {"schedule": "61 * * * *"}}}})
    world.both("Repository", "kept-default", "Scheduled", "InvalidSchedule", "spec.maintenance.prune.schedule",
               'minute "61"')


def schedules_run_by_themselves_and_old_jobs_go(world):
    every = {"prune": {"schedule": "* * * * *"}, "check": {"schedule": "* * * * *", "readDataSubset": "50%"}}
    before = repository(world, "kept-default")["status"]
    world.patch("Repository", "kept-default", {"spec": {"maintenance": every}})

    def kept_up():
        status = repository(world, "kept-default")["status"]
        return all(status[last] != before[last] for last in ("lastCheck", "lastPrune"))
    world.machine.until(kept_up, lambda: f"its schedules are followed: {repository(world, 'kept-default')}", 240)
    jobs = [job["metadata"] for job in world.machine.list("Job")]
    for job in jobs:
        if job["ownerReferences"][0]["kind"] != "Repository" or not job["name"].startswith("kept-default-"):
            raise Failed(f"a Job of somebody else: {job}")
    never = {"prune": {"schedule": ""}, "check": {"schedule": "", "readDataSubset": ""}}
    world.patch("Repository", "kept-default", {"spec": {"maintenance": never}})
    for _ in range(4):
        last = repository(world, "kept-default")["status"]["lastCheck"]
        time.sleep(1.1)  # times have seconds
        ask(world, "kept-default", "check")
        quiet(world, "kept-default", lambda status, last=last: status["lastCheck"] != last, "was checked again")

    def few():
        checks = [job for job in world.machine.list("Job")
                  if job["metadata"]["labels"].get("holdfast.dev/upkeep") == "Check"]
        return len(checks) <= 3
    world.machine.until(few, "old Jobs go")


def another_password_is_told_and_put_right(world):
    world.patch("Secret", "password-kept", {"stringData": {"password": "another"}})
    world.try_again("kept")
    world.both("Repository", "kept-default", "Healthy", "WrongPassword", "Secret default/password-kept",
               "holdfast repo key add")
    move(world, "locked-out", "kept")
    status = moved(world, "locked-out", "Failed")
    if status["conditions"][-1]["reason"] != "WrongPassword":
        raise Failed(f"the move does not say why: {json.dumps(status)}")
    world.patch("Secret", "password-kept", {"stringData": {"password": PASSWORD}})
    world.try_again("kept")
    world.says("Repository", "kept-default", "Healthy", "Checked", status="True")


def damage_is_told(world):
    packs = sorted(world.store.folder.rglob("kept/default/data/*/*"), key=lambda path: path.stat().st_size)
    pack = packs[-1]
    good = pack.read_bytes()
    pack.chmod(0o600)
    pack.write_bytes(good[:1000] + bytes([good[1000] ^ 1]) + good[1001:])
    world.patch("Repository", "kept-default", {"spec": {"maintenance": {"check": {"readDataSubset": "100%"}}}})
    ask(world, "kept-default", "check")
    world.both("Repository", "kept-default", "Healthy", "DamagedData", pack.name[:8], "holdfast repo repair")
    pack.write_bytes(good)
    ask(world, "kept-default", "check")
    world.says("Repository", "kept-default", "Healthy", "Checked", status="True")


def a_missing_secret_holds_upkeep_up(world):
    world.machine.delete("Secret", "key-kept")
    world.try_again("kept")
    world.both("Repository", "kept-default", "Healthy", "SecretNotFound", "default/key-kept", "make it")
    world.secret("key-kept", KEY)
    world.says("Repository", "kept-default", "Healthy", "Checked", status="True")


def a_location_that_goes_takes_nothing_with_it(world):
    spec = world.machine.get("BackupLocation", "kept")["spec"]
    world.machine.delete("BackupLocation", "kept")
    world.both("Repository", "kept-default", "Healthy", "NoBackupLocation", "kept", "make the location again")
    world.machine.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": "kept"}, "spec": spec})
    world.says("Repository", "kept-default", "Healthy", "Checked", status="True")


def a_folder_is_kept_up_too(world):
    folder = world.folder / "vault"
    world.machine.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": "vault"},
                          "spec": {"file": {"path": str(folder)}, "password": {"name": "password-kept"}}})
    move(world, "into-folder", "vault")
    moved(world, "into-folder")
    world.machine.until(lambda: repository(world, "vault-default"), "there is a Repository")
    ask(world, "vault-default", "check")
    quiet(world, "vault-default", lambda status: status.get("lastCheck"), "was checked")


def what_another_namespace_holds_is_kept_up_beside_the_location(world):
    """With the password of that namespace alone, which nobody but the location's owner can make."""
    machine = world.machine
    machine.api.create("/api/v1/namespaces", {"metadata": {"name": "admins"}})
    for name, data in (("key", KEY), ("password", {"password": PASSWORD})):
        machine.create({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "stringData": data}, "admins")
    place = {"endpoint": world.endpoint, "bucket": world.bucket, "prefix": "shared", "forcePathStyle": True}
    machine.create({"apiVersion": OURS, "kind": "BackupLocation", "metadata": {"name": "shared"},
                    "spec": {"s3": place, "credential": {"name": "key"}, "password": {"name": "password"},
                             "allowedNamespaces": ["default"]}}, "admins")
    move(world, "abroad", "shared", location={"name": "shared", "namespace": "admins"})
    moved(world, "abroad")
    machine.until(lambda: machine.get("Repository", "shared-default", "admins"), "there is a Repository")
    machine.api.merge(machine.path("Repository", "shared-default", "admins"),
                      {"metadata": {"annotations": {"holdfast.dev/run": "check"}}})
    machine.until(lambda: machine.get("Repository", "shared-default", "admins").get("status", {}).get("lastCheck"),
                  lambda: f"it was checked: {machine.get('Repository', 'shared-default', 'admins')}")
    for kind in ("Job", "Repository"):
        for each in machine.list(kind):
            if "shared" in each["metadata"]["name"]:
                raise Failed(f"{kind} {each['metadata']['name']} is in the tenant's namespace")
    derived = hmac.new(PASSWORD.encode(), b"holdfast.dev/repository/default", hashlib.sha256).hexdigest()
    world.restic("shared", "check", "--no-cache", password=derived)


def a_running_mover_takes_up_a_rotated_key(world):
    """The service lets go of the old key at once; the pod sees the new one only when its node has brought it there."""
    second = {"AWS_ACCESS_KEY_ID": "second", "AWS_SECRET_ACCESS_KEY": "second-secret"}
    world.secrets("rotated")
    world.location("rotated", "rotated")
    world.says("BackupLocation", "rotated", "Available", "Answers", status="True")
    # Ten seconds' upload.
    move(world, "rotated", "rotated", limits={"bytesPerSecond": 300000}, backoffLimit=0)
    world.machine.until(lambda: any(world.store.folder.rglob("rotated/default/locks/*")), "the mover holds its lock")
    world.service("keys?access-key=second&secret-key=second-secret")
    try:
        world.patch("Secret", "key-rotated", {"stringData": second})
        status = moved(world, "rotated")
        world.says("BackupLocation", "rotated", "Available", "Answers", status="True")
    finally:
        world.service("keys?access-key=double&secret-key=double-secret")
    if status["attempts"] != 1:
        raise Failed(f"the mover did not go on: {json.dumps(status)}")
    world.patch("Secret", "key-rotated", {"stringData": KEY})
    world.restic("rotated", "check", "--read-data", "--no-cache")


STORIES = [a_move_makes_its_repository, prune_and_check_run_when_asked, what_cannot_be_asked_for_is_refused,
           a_wrong_schedule_names_its_field, schedules_run_by_themselves_and_old_jobs_go,
           another_password_is_told_and_put_right, damage_is_told, a_missing_secret_holds_upkeep_up,
           a_location_that_goes_takes_nothing_with_it, a_folder_is_kept_up_too,
           what_another_namespace_holds_is_kept_up_beside_the_location, a_running_mover_takes_up_a_rotated_key]

"""A cluster that has VolumeGroupSnapshots in an older version only, and is brought to the newest one while a snapshot
lies there."""
import json

from machine import Failed, Refused, namespace
from stories import ADMINS, SHOP, Story

GROUP = "groupsnapshot.storage.k8s.io"
OLD, NEW = "v1beta1", "v1"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def serve_only(machine, version):
    for plural in ("volumegroupsnapshots", "volumegroupsnapshotcontents", "volumegroupsnapshotclasses"):
        path = f"{DEFINITIONS}/{plural}.{GROUP}"

        def look(path=path):
            try:
                return machine.api.get(path)
            except Refused:
                return None  # not installed yet
        versions = machine.until(look, f"{plural} are defined")["spec"]["versions"]
        for each in versions:
            each["served"] = each["name"] == version
        machine.api.merge(path, {"spec": {"versions": versions}})


def cut_in(machine, version, name):
    """The VolumeGroupSnapshot of that name; nothing if this version has none."""
    try:
        return machine.api.get(f"/apis/{GROUP}/{version}/namespaces/{SHOP}/volumegroupsnapshots/{name}")
    except Refused as refused:
        if refused.code == 404:
            return None
        raise


def restart(machine):
    machine.stop()
    machine.start()


def older_version(machine):
    for ns in (ADMINS, SHOP):
        machine.create(namespace(ns))
    serve_only(machine, OLD)
    restart(machine)  # the volumes' half works in the version that it found at its start
    story = Story(machine, "mariadb", None, None)
    story.snapshot()
    cut, = next(iter(story.group.references(story.taken).values()))["volumeGroupSnapshot"]
    if not cut_in(machine, OLD, cut) or cut_in(machine, NEW, cut):
        raise Failed(f"{cut} is not what {OLD} alone serves")
    story.revert()
    serve_only(machine, NEW)
    machine.delete("VolumeGroupAction", story.taken, ns=ADMINS)
    # By the same operator, which knew the older version.
    machine.until(lambda: "deletionTimestamp" in cut_in(machine, NEW, cut)["metadata"],
                  lambda: f"{cut} is deleted: {json.dumps(cut_in(machine, NEW, cut))}")
    restart(machine)
    machine.until(lambda: not machine.get("VolumeGroupAction", story.taken, ADMINS) and not cut_in(machine, NEW, cut)
                  and not machine.list("VolumeSnapshot", SHOP), "nothing of the snapshot is left")
    story.end()

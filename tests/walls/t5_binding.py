"""Trial 5: restored claims named their volume while the volume named them, and the binder's two workers collided."""
from attacks import real, regression

LABEL = "longhornio.volume-group-action"


def ended(machine, ns, name, condition):
    def look():
        status = (machine.get("VolumeGroupAction", name, ns) or {}).get("status") or {}
        return next((each for each in status.get("conditions", []) if each["type"] == condition), None)
    return machine.until(look, lambda: f"{condition} of {name}: {machine.get('VolumeGroupAction', name, ns)}")


def reverted(machine, ns, create, merge, names, more=None):
    """The claims of a group after a snapshot of it and a revert."""
    volumes = [{"name": each, "persistentVolumeClaim": {"claimName": each}} for each in names]
    for name in names:
        create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
            "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}, **(more or {})}})
    create({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "once"}, "spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "volumes": volumes,
        "containers": [{"name": "c", "image": machine.image, "command": machine.nothing,
                        "volumeMounts": [{"name": each, "mountPath": f"/v/{each}"} for each in names]}]}})
    machine.until(lambda: machine.get("Pod", "once", ns)["status"].get("phase") == "Succeeded",
                  "a pod has used the claims", 60)
    machine.delete("Pod", "once", ns=ns)
    machine.until(lambda: not machine.get("Pod", "once", ns), "nobody uses the claims")
    group = {"apiVersion": "longhorn.io/v1beta2", "metadata": {"name": "all"}}
    create({**group, "kind": "VolumeGroup", "spec": {"group": {"kind": "PersistentVolumeClaim", "names": names}}})
    create({**group, "kind": "VolumeGroupAction", "spec": {"volumeGroup": "all", "action": "snapshot"}})
    for condition, label in (("Completed", None), ("Restored", "revert")):
        if label:
            merge(machine.path("VolumeGroupAction", "all", ns), {"metadata": {"labels": {LABEL: label}}})
        end = ended(machine, ns, "all", condition)
        assert end["status"] == "True", end
    return [machine.get("PersistentVolumeClaim", each, ns) for each in names]


def named(claims):
    """Those that were made with the name of their volume: the binder says which were not."""
    return [each["metadata"]["name"] for each in claims
            if each["metadata"]["annotations"].get("pv.kubernetes.io/bound-by-controller") != "yes"]


@regression
def the_binder_alone_ties_restored_claims_to_their_volumes(world):
    machine, tenant = world.machine, world.tenant()
    machine.image, machine.nothing = world.IMAGE, ["/bin/true"]
    return named(reverted(machine, tenant.ns, tenant.create, tenant.api.merge, ["data"])) or None


@real
def no_restored_claim_waits_for_the_binders_next_round(cluster):
    """It comes every fifteen seconds, and every collision of its two workers waits for it."""
    cluster.operated()
    cluster.image, cluster.nothing = "localhost/movers", ["/usr/bin/holdfast", "--version"]
    ns, names = cluster.namespace(), [f"data-{number}" for number in range(8)]
    claims = reverted(cluster, ns, lambda body: cluster.create(body, ns), cluster.api.merge, names,
                      {"storageClassName": "holdfast-local"})
    said = cluster.kubeconfig.parent / "kube-controller-manager.log"
    collided = [line for line in said.read_text(encoding="utf-8").splitlines()
                if "the object has been modified" in line and "pvc-" in line]
    cluster.delete("VolumeGroupAction", "all", ns=ns)
    cluster.until(lambda: not cluster.list("VolumeSnapshot", ns), "its snapshots go with it")
    return named(claims) or collided or None

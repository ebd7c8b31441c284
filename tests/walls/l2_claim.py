"""L2: a claim that calls itself bound to the volume of another namespace's."""
from attacks import attack


def claim(name, **spec):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}, **spec}}


def pod(tenant, name, script):
    return tenant.pod(name, script, [{"name": "v", "persistentVolumeClaim": {"claimName": "v"}}],
                      [{"name": "v", "mountPath": "/v"}])


@attack("a volume is mounted for its own claim")
def mounts_the_volume_of_another(world):
    """The status is written by the administrator: no tenant may, and this is the wall behind that one."""
    owner, tenant, machine = world.tenant(), world.tenant(), world.machine
    owner.create(claim("v"))
    owner.ended(pod(owner, "p", "echo secret of another >/v/file"))
    volume = machine.get("PersistentVolumeClaim", "v", owner.ns)["spec"]["volumeName"]
    tenant.create(claim("v", volumeName=volume, storageClassName=""))
    machine.api.patch_status(tenant.path("PersistentVolumeClaim", "v"), {"status": {"phase": "Bound"}})
    # The binder says Lost within a moment, the scheduler takes no such claim: the pod is bound by hand.
    body = pod(tenant, "p", "cat /v/file")
    body["spec"] |= {"nodeName": machine.get("Pod", "p", owner.ns)["spec"]["nodeName"], "restartPolicy": "Never"}
    machine.api.create(tenant.path("Pod"), body)

    def look():
        machine.api.patch_status(tenant.path("PersistentVolumeClaim", "v"), {"status": {"phase": "Bound"}})
        events = [each for each in machine.api.get(f"/api/v1/namespaces/{tenant.ns}/events")["items"]
                  if "bound to another claim" in each.get("message", "")]
        ended = machine.get("Pod", "p", tenant.ns)["status"].get("phase") == "Succeeded"
        return events or ended
    machine.until(look, "the pod mounts it, or is told")
    if machine.get("Pod", "p", tenant.ns)["status"].get("phase") != "Succeeded":
        return None
    return tenant.logs("p")

"""H4: fsGroup, which the node carries out as root of the machine, led out of the volume by links."""
import os

from attacks import attack

CLAIM = {"name": "v", "persistentVolumeClaim": {"claimName": "v"}}
MOUNT = {"name": "v", "mountPath": "/v"}
GROUP = 5000


def victims(world, tenant):
    folder = world.folder / f"victim-{tenant.ns}"
    folder.mkdir()
    for n in range(40):
        (folder / f"f{n}").write_text("", encoding="utf-8")
    return folder


def given(folder):
    return [each.name for each in folder.iterdir() if each.stat().st_gid == GROUP] or None


def with_claim(tenant):
    tenant.create({"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "v"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}})


@attack("fsGroup follows no link")
def gets_what_a_link_leads_to(world):
    tenant = world.tenant()
    victim = victims(world, tenant)
    with_claim(tenant)
    tenant.ended(tenant.pod("first", f"ln -s {victim} /v/link", [CLAIM], [MOUNT]))
    tenant.ended(tenant.pod("next", "true", [CLAIM], [MOUNT], securityContext={"fsGroup": GROUP}))
    return given(victim)


@attack("fsGroup follows no link")
def gets_what_a_changing_link_leads_to(world):
    tenant = world.tenant()
    victim = victims(world, tenant)
    with_claim(tenant)
    script = f"mkdir /v/d; cd /v/d; touch $(seq -f f%g 0 39); ln -s {victim} /v/l; attacker swap /v/d /v/l 60"
    tenant.running(tenant.pod("racer", script, [CLAIM], [MOUNT]))
    for n in range(3):
        tenant.ended(tenant.pod(f"p{n}", "true", [CLAIM], [MOUNT], securityContext={"fsGroup": GROUP}))
    world.machine.delete("Pod", "racer", 0, tenant.ns)
    return given(victim)


@attack("fsGroup follows no link")
def gets_a_file_by_a_link_to_it(world):
    tenant = world.tenant()
    victim = victims(world, tenant)
    with_claim(tenant)
    script = f"ln -s {victim}/f1 /v/f1; ln -s ../../../../../../../../..{victim}/f2 /v/f2"
    tenant.ended(tenant.pod("first", script, [CLAIM], [MOUNT]))
    tenant.ended(tenant.pod("next", "true", [CLAIM], [MOUNT], securityContext={"fsGroup": GROUP}))
    assert os.stat(victim).st_gid != GROUP
    return given(victim)

"""C2: mounts of a tenant's pod that are to land outside the container: by links in volumes, by /proc, by subPath."""
import shutil

from attacks import attack


def empty(*names):
    return [{"name": name, "emptyDir": {}} for name in names]


def at(name, path, **more):
    return {"name": name, "mountPath": path, **more}


def first(world, script, *mounts):
    """An init container that prepares the volumes."""
    return [{"name": "i", "image": world.IMAGE, "command": ["/bin/sh", "-c", script], "volumeMounts": list(mounts)}]


def folder_of_machine(world, tenant):
    """Beside the server's own; any user of the machine may write to it."""
    folder = world.folder / f"machine-{tenant.ns}"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    return folder


@attack("mounts stay inside the root")
def makes_folders_through_a_link_in_a_volume(world):
    tenant = world.tenant()
    machine = folder_of_machine(world, tenant)
    tenant.ended(tenant.pod("p", "true", empty("a", "w"), [at("w", "/m/link/made"), at("a", "/m")],
                            initContainers=first(world, f"ln -s {machine} /a/link", at("a", "/a"))))
    return [each.name for each in machine.iterdir()] or None


@attack("mounts stay inside the root")
def makes_folders_through_a_link_that_changes(world):
    tenant = world.tenant()
    machine = folder_of_machine(world, tenant)
    racer = {"name": "racer", "image": world.IMAGE, "restartPolicy": "Always",
             "command": ["/bin/attacker", "swap", "/a/x", "/a/y", "60"], "volumeMounts": [at("a", "/a")]}
    body = tenant.pod("p", "true", empty("a", "w"), initContainers=first(
        world, f"mkdir /a/x; ln -s {machine} /a/y", at("a", "/a")) + [racer])
    one = body["spec"]["containers"][0]
    body["spec"]["containers"] = [{**one, "name": f"c{n}", "volumeMounts": [at("w", f"/m/x/made-{n}"), at("a", "/m")]}
                                  for n in range(6)]
    body["spec"]["restartPolicy"] = "Never"
    tenant.create(body)
    for n in range(6):
        tenant.end_of("p", f"c{n}")
    return [each.name for each in machine.iterdir()] or None


@attack("mounts stay inside the root")
def makes_folders_through_proc(world):
    tenant = world.tenant()
    machine = folder_of_machine(world, tenant)
    tenant.ended(tenant.pod("p", "true", empty("v"), [at("v", f"/proc/self/root/{machine}/made")]))
    return [each.name for each in machine.iterdir()] or None


@attack("mounts stay inside the root")
def makes_a_file_by_its_termination_message(world):
    tenant = world.tenant()
    machine = folder_of_machine(world, tenant)
    body = tenant.pod("p", "true")
    body["spec"]["containers"][0]["terminationMessagePath"] = f"/proc/1/root/{machine}/made"
    tenant.ended(body)
    return [each.name for each in machine.iterdir()] or None


@attack("mounts stay inside the root")
def makes_folders_by_going_up(world):
    tenant = world.tenant()
    machine = folder_of_machine(world, tenant)
    up = "/../" * 20
    tenant.ended(tenant.pod("p", "true", empty("v"), [at("v", f"/m{up}{str(machine)[1:]}/made")]))
    return [each.name for each in machine.iterdir()] or None


@attack("nothing is mounted into /proc and /sys")
def replaces_knobs(world):
    tenant = world.tenant()
    said = tenant.ended(tenant.pod("p", "echo mine >/proc/sys/kernel/x; cat /proc/sys/kernel/x", empty("v"),
                                   [at("v", "/proc/sys/kernel")]))
    if "mine" in said:
        return said
    assert "/proc/sys/kernel: it leads into /proc or /sys" in said, said
    return None


@attack("a subPath stays in its volume")
def reads_the_machine_by_a_sub_path(world):
    tenant = world.tenant()
    machine = folder_of_machine(world, tenant)
    (machine / "secret").write_text("of the machine", encoding="utf-8")
    said = tenant.ended(tenant.pod("p", "cat /m/secret", empty("a"), [at("a", "/m", subPath="out")],
                                   initContainers=first(world, f"ln -s {machine} /a/out", at("a", "/a"))))
    return said if "of the machine" in said else None


@attack("a subPath stays in its volume")
def reads_the_machine_by_a_sub_path_that_changes(world):
    tenant = world.tenant()
    machine = folder_of_machine(world, tenant)
    (machine / "secret").write_text("of the machine", encoding="utf-8")
    racer = {"name": "racer", "image": world.IMAGE, "restartPolicy": "Always",
             "command": ["/bin/attacker", "swap", "/a/x", "/a/y", "60"], "volumeMounts": [at("a", "/a")]}
    body = tenant.pod("p", "cat /m/secret", empty("a"), restartPolicy="Never", initContainers=first(
        world, f"mkdir /a/x; ln -s {machine} /a/y", at("a", "/a")) + [racer])
    one = body["spec"]["containers"][0]
    body["spec"]["containers"] = [{**one, "name": f"c{n}", "volumeMounts": [at("a", "/m", subPath="x")]}
                                  for n in range(6)]
    tenant.create(body)
    said = [tenant.end_of("p", f"c{n}") for n in range(6)]
    return [each for each in said if "of the machine" in each] or None


@attack("kernel folders are no links")
def puts_devices_where_the_image_says(world):
    tenant = world.tenant()
    linked = world.images / "localhost/linked/latest"
    if not linked.exists():
        shutil.copytree(world.images / world.IMAGE / "latest", linked, symlinks=True)
        (linked / "dev").rename(linked / "elsewhere")
        (linked / "dev").symlink_to("/elsewhere")
    said = tenant.ended(tenant.pod("p", "ls /elsewhere", image="localhost/linked"))
    return said if "null" in said else None

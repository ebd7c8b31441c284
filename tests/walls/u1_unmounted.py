"""U1: a location whose disk is not mounted is not begun anew, and no backup into nothing is called good."""
from attacks import attack
from vault import Vault


@attack("a folder is known by its marker")
def backs_up_onto_an_empty_mount_point(world):
    """Of another namespace than those that have a repository there."""
    first, second = world.tenant(), world.tenant()
    vault = Vault(world, first, second)
    first.create(vault.document("keep"))
    vault.completed("keep", first.ns)
    await_repository(vault, first.ns)
    vault.folder.rename(f"{vault.folder}.away")
    second.create(vault.document("lost"))
    status = vault.ended("lost", second.ns)
    return "a backup that goes with the next mount is Completed" if status["phase"] == "Completed" else None


@attack("no repository is begun anew")
def backs_up_beside_the_repository_that_is_gone(world):
    tenant = world.tenant()
    vault = Vault(world, tenant)
    tenant.create(vault.document("keep"))
    vault.completed("keep", tenant.ns)
    await_repository(vault, tenant.ns)
    (vault.folder / tenant.ns).rename(vault.folder / f"{tenant.ns}.away")
    tenant.create(vault.document("lost"))
    status = vault.ended("lost", tenant.ns)
    return "a new repository was begun in its place" if status["phase"] == "Completed" else None


def await_repository(vault, holds):
    """Until it is known by its id."""
    def known():
        return any(each["spec"].get("namespace") == holds and each.get("status", {}).get("repositoryID")
                   for each in vault.machine.list("Repository", "holdfast-system"))
    vault.machine.until(known, "the repository is known")

"""Group snapshots and backups of a bank under load, and every way back. Each story goes on where the last one ended."""
from ledger import BANKS, Load
from machine import Failed

from groups import Group, from_repository

ADMINS, SHOP, BRANCH = "longhorn-system", "shop", "branch"


class Story:
    """A bank in one namespace, a group over it, and what its clients knew around each cut."""

    def __init__(self, machine, kind, location, another):
        self.machine, self.kind, self.cuts, self.location, self.another = machine, kind, {}, location, another
        self.bank = BANKS[kind](f"{kind}-bank")
        self.bank.start(machine, SHOP)
        self.load = Load(machine, SHOP, self.bank)
        self.group = Group(machine, self.bank, SHOP, ADMINS, location)

    def take(self, what):
        self.load.progress()
        before = self.load.marks()
        name = self.group.take(what)
        self.cuts[name] = (before, self.load.marks())
        self.group.consistent(name)
        self.load.progress()  # nothing is left locked
        self.machine.until(lambda: not self.bank.strangers(self.machine, SHOP), lambda: "the pod has its own processes "
                           f"only: {self.bank.strangers(self.machine, SHOP)}")
        return name

    def proven(self, name, ns, bank=None):
        bank = bank or self.bank
        bank.resume(self.machine, ns)
        bank.check(self.machine, ns, self.cuts[name])

    def snapshot(self):
        """What a group snapshot holds, seen by a second server on claims made from it."""
        name = self.taken = self.take("snapshot")
        copy = BANKS[self.kind](f"{self.kind}-copy", self.bank.accounts)
        for claim, new in zip(self.bank.claims, copy.claims):
            cut, = self.group.references(name)[claim]["snapshot"]
            self.machine.create(claim_of(new, cut), SHOP)
        self.proven(name, SHOP, copy)
        copy.remove(self.machine, SHOP)

    def revert(self):
        self.load.pause()
        self.bank.pause(self.machine, SHOP)
        self.group.bring_back(self.taken, "revert")
        self.proven(self.taken, SHOP)
        self.load.go()

    def backup(self):
        self.taken = self.take("backup")

    def restore(self):
        """To the original names, after everything is gone."""
        self.load.pause()
        self.bank.remove(self.machine, SHOP)
        for claim in self.bank.claims:
            self.machine.delete("PersistentVolumeClaim", claim, ns=SHOP)
        self.machine.until(lambda: not any(self.machine.get("PersistentVolumeClaim", claim, SHOP)
                                           for claim in self.bank.claims), "the claims are gone")
        self.group.bring_back(self.taken, "restore")
        self.proven(self.taken, SHOP)
        self.load.go()

    def restore_elsewhere(self):
        self.group.bring_back(self.taken, "restore", namespace=BRANCH)
        self.proven(self.taken, BRANCH)
        self.load.progress()  # the original goes on

    def restore_on_another_cluster(self):
        """That has the location and its password, and nothing else."""
        with self.another() as machine:
            from_repository(machine, ADMINS, self.location, f"{ADMINS}/{self.group.name}", SHOP)
            self.bank.resume(machine, SHOP)
            self.bank.check(machine, SHOP, self.cuts[self.taken])

    def end(self):
        self.load.stop()
        self.bank.remove(self.machine, SHOP)
        self.bank.remove(self.machine, BRANCH)

    def snapshot_to_revert(self):
        self.taken = self.take("snapshot")

    STEPS = [snapshot, revert, backup, restore, restore_elsewhere, restore_on_another_cluster]
    # Copies that were made while the server wrote are nothing by themselves: only we put its log back.
    STEPS_OF_COPIES = [snapshot_to_revert, revert, backup, restore, restore_elsewhere, restore_on_another_cluster]


def claim_of(name, snapshot):
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
        "dataSource": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": snapshot}}}


def one_after_the_other(machine, rounds=10):
    """What the stories are worth: the same bank, its volumes cut one after the other by plain snapshots while nobody
    holds still. Of ten such copies one at least must be unbalanced, or not start."""
    ns = "default"
    bank = BANKS["mariadb"]("bank")
    bank.start(machine, ns)
    load = Load(machine, ns, bank)
    for number in range(rounds):
        load.progress()
        before = load.marks()
        copy = BANKS["mariadb"](f"copy-{number}", bank.accounts)
        for claim, new in zip(bank.claims, copy.claims):
            machine.create({"apiVersion": "snapshot.storage.k8s.io/v1", "kind": "VolumeSnapshot", "metadata": {
                "name": new}, "spec": {"source": {"persistentVolumeClaimName": claim}}}, ns)
            machine.until(lambda new=new: (machine.get("VolumeSnapshot", new, ns).get("status") or {}).get(
                "readyToUse"), f"snapshot {new} is ready")
            machine.create(claim_of(new, new), ns)
        marks = (before, load.marks())
        try:
            copy.resume(machine, ns)
            copy.check(machine, ns, marks)
        except Failed as reason:
            words = " ".join(str(reason).split())
            print(f"copy {number}: {words[:60]} … {words[-160:]}")
            return
    raise Failed(f"{rounds} copies of a bank that was never held still are all whole: the checks find nothing")

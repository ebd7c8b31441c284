"""Device nodes, rights and capabilities that a stranger's repository brings along; and looks at them on their way."""
import os
import stat
import subprocess

from attacks import attack
from repositories import NOBODY, interrupt, until, victim
from recipes import CHARACTER, DEVICE, SETUID, Recipe, folder, node

NULL = os.makedev(1, 3)  # a device that harms nobody
CAPABILITY = "AQAAAgAAAAAAAAAAAAAAAAAAAAA="  # version 2, and no right in it


@attack("special files")
def a_device_of_the_machine(world):
    recipe = Recipe()
    recipe.snapshot(recipe.tree(node("null", "chardev", mode=DEVICE | CHARACTER | 0o666, device=NULL)))
    with victim(world) as root:
        root.receive(recipe).run("restore", "latest", "--target", root.folder / "back")
        made = root.folder / "back" / "null"
        return "a device node" if made.exists() and stat.S_ISCHR(made.stat().st_mode) else None


@attack("special files")
def a_program_that_runs_as_another(world):
    recipe = Recipe()
    recipe.snapshot(recipe.tree(recipe.file("program", "nothing", mode=SETUID | 0o755, uid=NOBODY, gid=NOBODY)))
    with victim(world) as root:
        root.receive(recipe).run("restore", "latest", "--target", root.folder / "back")
        mode = (root.folder / "back" / "program").stat().st_mode
        return "a set-user-ID program" if mode & stat.S_ISUID else None


@attack("special files")
def a_capability_by_another_name(world):
    """The kernel reads a name up to its first zero byte."""
    recipe = Recipe()
    names = ("security.capability", "security.capability\0x")
    attributes = [{"name": name, "value": CAPABILITY} for name in names]
    recipe.snapshot(recipe.tree(recipe.file("program", "nothing", mode=0o755, extended_attributes=attributes)))
    with victim(world) as root:
        root.receive(recipe).run("restore", "latest", "--target", root.folder / "back")
        there = os.listxattr(root.folder / "back" / "program")
        return f"{there}" if "security.capability" in there else None


def seen_by_nobody(path):
    """Names in a folder, as any other user of the machine gets them."""
    listed = subprocess.run(["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "ls", path],
                            capture_output=True, text=True, check=False)
    return listed.stdout.split()


@attack("closed target")
def files_while_they_are_restored(world):
    recipe = Recipe()
    files = [recipe.file(f"{number}", f"{number}" * 3000) for number in range(8)]
    recipe.snapshot(recipe.tree(folder("inner", recipe.tree(*files))))
    with victim(world) as root:
        target = root.folder / "back"
        target.mkdir()
        root.receive(recipe)
        process = root.start("restore", "latest", "--target", target, "--limit-download", "1")
        until((target / "inner").exists, process)
        seen = seen_by_nobody(target) if process.poll() is None else []
        interrupt(process)
        return f"{seen}" if seen else None

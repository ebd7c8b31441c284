"""Two restores into one folder: the first leaves a link, the second has a folder in its place."""
import stat

from attacks import attack
from repositories import victim
from recipes import SYMLINK, Recipe, folder, node


def restore_twice(root, *flags):
    """What lies behind the link is the victim's own."""
    precious = root.folder / "precious"
    precious.mkdir(mode=0o700)
    (precious / "keys.txt").write_text("x")
    recipe = Recipe()
    recipe.snapshot(recipe.tree(node("inner", "symlink", mode=SYMLINK | 0o777, linktarget=str(precious))))
    inside = recipe.tree(recipe.file("other", "x"))
    recipe.snapshot(recipe.tree(folder("inner", inside, mode=0o755), recipe.file("a.txt", "x")),
                    time="2026-02-03T04:05:06Z")
    root.receive(recipe)
    target = root.folder / "back"
    ids = [line.split()[0] for line in root.run("snapshots")[1].splitlines() if "2026-0" in line]
    for snapshot, choice in ((ids[0], ()), (ids[1], flags)):
        root.run("restore", snapshot, "--target", target, *choice)
    return precious


@attack("links in a target")
def rights_of_what_a_link_leads_to(world):
    with victim(world) as root:
        precious = restore_twice(root, "--include", "*.txt")
        mode = stat.S_IMODE(precious.stat().st_mode)
        return f"a folder of the victim's with mode {mode:o}" if mode != 0o700 else None


@attack("links in a target")
def files_that_a_link_leads_to(world):
    with victim(world) as root:
        precious = restore_twice(root, "--include", "*.txt", "--delete")
        return None if (precious / "keys.txt").exists() else "the victim's file is gone"

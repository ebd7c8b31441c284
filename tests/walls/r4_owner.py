"""Rights of a file's owner, given to the user who restores it."""
import stat

from attacks import attack
from repositories import NOBODY, victim
from recipes import SETUID, Recipe


@attack("rights of an owner")
def a_program_that_runs_as_root(world):
    """Of a file that ran as nobody: its owner was not wanted, its bits were."""
    recipe = Recipe()
    recipe.snapshot(recipe.tree(recipe.file("program", "nothing", mode=SETUID | 0o755, uid=NOBODY, gid=NOBODY)))
    with victim(world) as root:
        root.receive(recipe).run("restore", "latest", "--target", root.folder / "back", "--special", "--no-ownership")
        info = (root.folder / "back" / "program").stat()
        return "set-user-ID root" if info.st_mode & stat.S_ISUID and info.st_uid == 0 else None

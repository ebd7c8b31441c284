"""Trees that are made to keep every walk through them busy for ever."""
from attacks import attack
from repositories import LIMIT_SECONDS, victim
from recipes import doubled, nested

LEVELS, LINES = 5050, 8000


@attack("depth of folders")
def folders_in_each_other(world):
    with victim(world) as root:
        _, said = root.receive(nested(LEVELS)).run("ls", "latest")
        parts = max((line.count("/") for line in said.splitlines()), default=0)
        return f"a walk of {parts} levels" if parts > LEVELS else None


@attack("number of folders")
def folders_that_are_few_trees(world):
    with victim(world) as root:
        process = root.receive(doubled(40)).start("ls", "latest")
        lines = 0
        for _ in process.stdout:
            lines += 1
            if lines == LINES:
                break
        process.kill()
        process.communicate(timeout=LIMIT_SECONDS)
        return f"{lines} lines, and no end" if lines == LINES else None

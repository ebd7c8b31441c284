"""A file that says it is small, and is not."""
from attacks import attack
from repositories import victim
from recipes import Recipe, node

TIMES = 1000


@attack("size of a file")
def more_than_was_said(world):
    recipe = Recipe()
    block = recipe.data("x" * 10_000)
    recipe.snapshot(recipe.tree(node("small", "file", size=1, content=[block] * TIMES)))
    with victim(world) as root:
        code, _ = root.receive(recipe).run("restore", "latest", "--target", root.folder / "back", "--dry-run")
        return "a dry run without a complaint" if code == 0 else None

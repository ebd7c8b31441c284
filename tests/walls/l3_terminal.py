"""Words of a repository that steer the terminal they are read on."""
from attacks import attack
from repositories import victim
from recipes import Recipe

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x07"


@attack("terminal")
def a_host_that_writes_to_the_clipboard(world):
    recipe = Recipe()
    recipe.snapshot(recipe.tree(recipe.file("file", "x")), hostname=f"host{CLIPBOARD}", tags=[CLIPBOARD])
    with victim(world) as root:
        _, said = root.receive(recipe).run("snapshots")
        return "the clipboard" if CLIPBOARD in said else None


@attack("terminal")
def a_lock_that_says_who_it_is(world):
    recipe = Recipe()
    recipe.snapshot(recipe.tree(recipe.file("file", "x")))
    recipe.add("lock", '{"time":"2026-01-02T03:04:05Z","exclusive":true,"hostname":"\\u001b]52;c;ZXZpbA==\\u0007",'
               '"username":"x","pid":1}')
    with victim(world) as root:
        _, said = root.receive(recipe).run("snapshots")
        return "the clipboard" if CLIPBOARD in said else None

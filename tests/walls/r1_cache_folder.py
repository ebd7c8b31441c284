"""The id of a repository, by which a machine names folders of its own."""
import json

from attacks import attack
from repositories import victim
from recipes import Recipe


@attack("id of a repository")
def a_folder_wherever_the_stranger_likes(world):
    with victim(world) as root:
        planted = root.folder / "planted"
        recipe = Recipe()
        recipe.snapshot(recipe.tree(recipe.file("file", "x")))
        recipe.add("config", json.dumps({"version": 2, "id": str(planted), "chunker_polynomial": "3da3358b4dc173"}))
        root.receive(recipe).run("check", "--read-data")
        return f"a folder {sorted(each.name for each in planted.iterdir())}" if planted.exists() else None

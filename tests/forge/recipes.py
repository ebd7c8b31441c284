"""Recipes of forged repositories, for holdfast-forge: trees as a stranger may have written them."""
import json
import os
import subprocess
from pathlib import Path

PASSWORD = "a password that the stranger gave away"
TIME = "2026-01-02T03:04:05Z"
DIRECTORY, SYMLINK, DEVICE, FIFO, SETUID, SETGID, CHARACTER = (1 << bit for bit in (31, 27, 26, 25, 23, 22, 21))


def node(name, kind, **more):
    """One entry of a tree; its name is bytes or text, quoted as Go quotes it only where that must be."""
    return {"name": name, "type": kind, "mode": 0o644, "mtime": TIME, "atime": TIME, "ctime": TIME, "uid": 0, "gid": 0,
            **more}


def folder(name, subtree, mode=0o755):
    return node(name, "dir", mode=DIRECTORY | mode, subtree=subtree)


class Recipe:
    """Lines of a recipe; what a method returns stands for the id of the blob."""

    def __init__(self):
        self.lines = []

    def add(self, kind, text):
        self.lines.append(f"{kind} {text}")
        return f"@{len(self.lines) - 1}"

    def data(self, text):
        return self.add("data", text)

    def tree(self, *nodes):
        return self.add("tree", json.dumps({"nodes": sorted(nodes, key=lambda each: each["name"].encode())}))

    def snapshot(self, tree, **more):
        return self.add("snapshot", json.dumps({"time": TIME, "tree": tree, "paths": ["/data"], "hostname": "far",
                                                "username": "stranger", **more}))

    def file(self, name, text, **more):
        """A node of a file that holds a line of text."""
        return node(name, "file", size=len(text.encode()), content=[self.data(text)], **more)

    def write(self, binary, repository):
        """By the program beside `binary`."""
        subprocess.run([Path(binary).parent / "holdfast-forge", str(repository)], check=True,
                       input="".join(f"{line}\n" for line in self.lines).encode(),
                       env={**os.environ, "RESTIC_PASSWORD": PASSWORD})
        return repository


def nested(depth, inner=None):
    """Folders in each other, one in each, and the recipe of them."""
    recipe = Recipe()
    tree = inner(recipe) if inner else recipe.tree(recipe.file("bottom", "far down"))
    for _ in range(depth):
        tree = recipe.tree(folder("d", tree))
    recipe.snapshot(tree)
    return recipe


def doubled(levels):
    """Each tree names the next one twice: 2^levels folders in so many trees."""
    recipe = Recipe()
    tree = recipe.tree(recipe.file("bottom", "far down"))
    for _ in range(levels):
        tree = recipe.tree(folder("a", tree), folder("b", tree))
    recipe.snapshot(tree)
    return recipe

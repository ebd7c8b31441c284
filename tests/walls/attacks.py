"""Attacks as values: what a case's file says with @attack, and how one is tried."""
import importlib
import itertools
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Attack:
    """`run(world)` is what the attacker got hold of, in words; None if the wall held."""

    def __init__(self, finding, wall, run):
        self.finding, self.wall, self.run = finding, wall, run
        self.name = f"{finding}.{run.__name__}"


def attack(wall):
    """Marks a function of a case's file as an attack on the wall of that name: what wall_stands() is asked for."""
    def mark(run):
        run.wall = wall
        return run
    return mark


def all_attacks():
    """Those of every file beside this one that is named after a finding: c1_proc_sys.py → C1.…"""
    files = sorted(HERE.glob("[a-z]*[0-9]_*.py"))
    modules = [importlib.import_module(each.stem) for each in files]
    return list(itertools.chain.from_iterable(
        [Attack(module.__name__.split("_")[0].upper(), each.wall, each) for each in vars(module).values()
         if hasattr(each, "wall")] for module in modules))

"""Attacks as values: what a case's file says with @attack, and how one is tried."""
import importlib
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Attack:
    """`run(world)` is what the attacker got hold of, in words; None if the wall held. Without a wall it is behaviour
    that no one check makes, shown on the product alone: `run(world)` is what is wrong with it."""

    def __init__(self, finding, wall, run):
        self.finding, self.wall, self.run = finding, wall, run
        self.name = f"{finding}.{run.__name__}"


def attack(wall):
    """Marks a function of a case's file as an attack on the wall of that name: what wall_stands() is asked for."""
    def mark(run):
        run.wall = wall
        return run
    return mark


def regression(run):
    """Marks a function of a case's file as a finding that is no wall."""
    run.wall = None
    return run


def real(run):
    """Marks a function of a case's file as one for a real cluster: `run(cluster)` is what is wrong."""
    run.real = True
    return run


def on_kubelet(wall):
    """Marks a function of a case's file as an attack on that wall beside a real kubelet (kubelet_world.py):
    `run(world, breach)`; the wall is away in movers if `breach`, and then in the operator too."""
    def mark(run):
        run.kubelet_wall = wall
        return run
    return mark


def all_cases(mark):
    """Functions so marked of every file beside this one that is named after a finding: c1_proc_sys.py → C1.…"""
    for file in sorted(HERE.glob("[a-z]*[0-9]_*.py")):
        module = importlib.import_module(file.stem)
        for each in vars(module).values():
            if getattr(each, "__module__", None) == module.__name__ and hasattr(each, mark):
                yield module.__name__.split("_")[0].upper(), each


def all_attacks():
    return [Attack(finding, each.wall, each) for finding, each in all_cases("wall")]


def all_real():
    return [Attack(finding, None, each) for finding, each in all_cases("real")]


def all_on_kubelet():
    return [Attack(finding, each.kubelet_wall, each) for finding, each in all_cases("kubelet_wall")]

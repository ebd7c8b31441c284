#!/usr/bin/env python3
"""Proves that rooms have one door and that dependencies point down, by trying to break both.

    doors_test.py SOURCE_DIR BUILD_DIR

For every pair of rooms, and for the libraries of each driver, it compiles, with the very flags the build uses for the
first one, a file that includes a door header of the second: upward and sideways must fail, and so must every room's
private header seen from another room. What the layers allow and the build uses must compile, or the test would pass
for the wrong reason. Last, CMake itself must refuse a room that names an upper one.
"""
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

# Dependencies that the build states; each must go on working.
LEGAL = [("model", "base"), ("net", "base"), ("apiserver", "model"), ("apiserver", "net"), ("cli", "apiserver")]


def read_layers(source):
    text = (source / "cmake/rooms.cmake").read_text()
    return {room: int(layer) for room, layer in re.findall(r"set\(HOLDFAST_LAYER_(\w+) (\d+)\)", text)}


def compile_flags(source, build):
    """The compiler and flags of one source of each library, by the library's name, without input and output."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        library = re.search(r" -o \S*CMakeFiles/holdfast_(\w+)\.dir/\S+\.cpp\.o ", entry["command"])
        if not library or library[1] in flags:
            continue
        words = shlex.split(entry["command"])
        start = next(i for i, word in enumerate(words) if re.search(r"(g|clang)\+\+(-\d+)?$", word))
        words = words[start:]
        out = words.index("-o")
        del words[out:out + 2]
        flags[library[1]] = [w for w in words if w not in ("-c", entry["file"])]
    return flags


def compiles(flags, include):
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as probe:
        probe.write(f"#include {include}\n")
        probe.flush()
        run = subprocess.run([*flags, "-w", "-fsyntax-only", probe.name], capture_output=True, text=True, check=False)
    if run.returncode and "No such file" not in run.stderr and "file not found" not in run.stderr:
        raise RuntimeError(f"{include} failed for another reason than a missing file:\n{run.stderr}")
    return run.returncode == 0


def smallest(headers):
    return min(headers, key=lambda path: (path.stat().st_size, path))


def door(source, room):
    folder = source / "src" / room / "include"
    header = smallest(folder.rglob("*.h"))
    return f"<{header.relative_to(folder)}>"


def private_headers(source, room):
    folder = source / "src" / room
    found = [h for h in folder.rglob("*.h") if folder / "include" not in h.parents]
    return [h.relative_to(folder) for h in found]


def probes(source, layers, rooms):
    """Yields (description, room that includes, what it includes, whether it must compile)."""
    with_door = [room for room in rooms if list((source / "src" / room / "include").rglob("*.h"))]
    for room in rooms:
        for other in with_door:
            if room == other:
                continue
            if layers[other] > layers[room]:
                yield f"{room} includes upward {other}", room, door(source, other), False
            elif layers[other] == layers[room]:
                yield f"{room} includes sideways {other}", room, door(source, other), False
            elif (room, other) in LEGAL:
                yield f"{room} includes the door of {other}", room, door(source, other), True
    for room in rooms:
        headers = private_headers(source, room)
        for other in rooms:
            own = private_headers(source, other)
            foreign = [h for h in headers if h not in own]
            if foreign and other != room:
                header = min(foreign)
                yield f"{other} includes private {room}/{header}", other, f'"{header}"', False
                yield f"{other} includes private {room}/{header} by folder", other, f'"{room}/{header}"', False


def driver_probes(source, flags):
    """The same for drivers: each sees protect, its verbs the command line, its model the simulation; none another."""
    drivers = re.findall(r"^HOLDFAST_DRIVER\((\w+)\)", (source / "src/drivers/list.def").read_text(), re.M)
    doors = {name: door(source, f"drivers/{name}") for name in drivers}
    above = {"": ("cli", "sim", "drivers"), "_verbs": ("sim",), "_model": ("cli",)}
    for name in drivers:
        for part, forbidden in above.items():
            library = f"driver_{name}{part}"
            if library not in flags:
                continue
            yield f"{library} includes the door of protect", library, door(source, "protect"), True
            yield f"{library} includes the door of {name}", library, doors[name], True
            for room in forbidden:
                yield f"{library} includes upward {room}", library, door(source, room), False
            for other in drivers:
                if other != name:
                    yield f"{library} includes sideways {other}", library, doors[other], False
        for room in ("protect", "cli", "sim"):
            yield f"{room} includes upward driver {name}", room, doors[name], False


def cmake_refuses(source, room, dep):
    """CMake must refuse `room` when it names `dep`, and say why."""
    with tempfile.TemporaryDirectory() as folder:
        lists = Path(folder) / "CMakeLists.txt"
        lists.write_text(f"cmake_minimum_required(VERSION 3.25)\nproject(doors LANGUAGES CXX)\n"
                         f"find_package(GTest REQUIRED)\n"
                         f"include({source}/cmake/testing.cmake)\ninclude({source}/cmake/rooms.cmake)\n"
                         f"holdfast_room({room} DEPS {dep})\n")
        run = subprocess.run(["cmake", "-S", folder, "-B", folder + "/build", "-G", "Ninja"],
                             capture_output=True, text=True, check=False)
    return run.returncode != 0 and "dependencies point down" in run.stderr


def main():
    source, build = (Path(argument).resolve() for argument in sys.argv[1:3])
    layers = read_layers(source)
    flags = compile_flags(source, build)
    passed = failed = 0
    kinds = set()

    def report(good, text):
        nonlocal passed, failed
        passed, failed = passed + good, failed + (not good)
        if not good:
            print(f"failed  {text}")

    rooms = sorted(room for room in flags if room in layers)
    for text, room, include, expected in [*probes(source, layers, rooms), *driver_probes(source, flags)]:
        kinds.add(re.search(r"upward|sideways|private|door", text)[0])
        report(compiles(flags[room], include) == expected, text)
    for kind in ("upward", "sideways", "private", "door"):
        report(kind in kinds, f"at least one {kind} include was tried")
    report(cmake_refuses(source, "model", "apiserver"), "CMake refuses a room that names an upper one")
    report(cmake_refuses(source, "model", "net"), "CMake refuses a room that names a room beside it")
    print(f"tests: {passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

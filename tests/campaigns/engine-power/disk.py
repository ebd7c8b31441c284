"""States of a disk after a power cut, made from the log that recorder.cpp wrote.

The model promises less than ext4 or xfs do. A file's bytes are safe once that file was synced, a name once its folder
was: a folder's own name is safe only by a sync of the folder above. Of everything else any part may be there: each
change of names by itself, except that a rename is whole; of the bytes written each 4 KiB block, zeros or what was there
before being in its place, and any of the sizes that the file has had.
"""
import os
import struct

BLOCK = 4096
HEAD = struct.Struct("<BBIIQ")


class File:
    """Its bytes as they are safe, and what was done since to the bytes."""

    def __init__(self, safe=b""):
        self.safe = safe
        self.changes = []  # (time, offset, data), or (time, size, None)
        self.syncs = []


class Folder:
    def __init__(self):
        self.entries = {}
        self.syncs = []


class Step:
    """One record. `said`: how far the process's output had come before it."""

    def __init__(self, record):
        kind, self.flags, self.said, self.handle, self.number = HEAD.unpack_from(record)
        self.kind = chr(kind)
        at = HEAD.size
        paths = []
        for _ in range(2):
            (length,) = struct.unpack_from("<H", record, at)
            paths.append(os.fsdecode(record[at + 2:at + 2 + length]))
            at += 2 + length
        self.path, self.second = paths
        self.data = record[at:]


def read_log(path):
    data, at, steps = path.read_bytes() if path.exists() else b"", 0, []
    while at + 4 <= len(data):
        (length,) = struct.unpack_from("<I", data, at)
        if at + 4 + length > len(data):
            break  # killed while it wrote
        steps.append(Step(data[at + 4:at + 4 + length]))
        at += 4 + length
    return steps


def folder_from(path):
    folder = Folder()
    for entry in os.scandir(path):
        inner = folder_from(entry.path) if entry.is_dir() else None
        if inner is None:
            with open(entry.path, "rb") as file:
                inner = File(file.read())
        folder.entries[entry.name] = inner
    return folder


class Disk:
    """Follows the steps of processes that come one after another, from a state that is safe."""

    def __init__(self, path):
        self.root = folder_from(path)
        self.safe = self._entries(self.root)  # folder → entries, before the first step
        self.names = []  # (time, [(folder, name, what or None)])
        self.open = {}
        self.time = 0

    def _entries(self, folder):
        out = {folder: dict(folder.entries)}
        for inner in folder.entries.values():
            if isinstance(inner, Folder):
                out.update(self._entries(inner))
        return out

    def _find(self, path):
        at = self.root
        for part in filter(None, path.split("/")):
            at = at.entries[part]
        return at

    def _change(self, *changes):
        resolved = []
        for path, what in changes:
            above, _, name = path.rpartition("/")
            folder = self._find(above)
            if what is None:
                folder.entries.pop(name, None)
            else:
                folder.entries[name] = what
            resolved.append((folder, name, what))
        self.names.append((self.time, resolved))

    def new_process(self):
        self.open = {}

    def follow(self, step):
        kind = step.kind
        if kind == "o":
            if step.flags & 1:
                self._change((step.path, File()))
            self.open[step.handle] = self._find(step.path)
            if step.flags & 2:
                self.open[step.handle].changes.append((self.time, 0, None))
        elif kind == "w":
            self.open[step.handle].changes.append((self.time, step.number, step.data))
        elif kind == "t":
            self.open[step.handle].changes.append((self.time, step.number, None))
        elif kind == "s":
            self.open[step.handle].syncs.append(self.time)
        elif kind == "m":
            folder = Folder()
            self.safe[folder] = {}
            self._change((step.path, folder))
        elif kind == "r":
            self._change((step.second, self._find(step.path)), (step.path, None))
        elif kind == "l":
            self._change((step.second, self._find(step.path)))
        elif kind in "ud":
            self._change((step.path, None))
        else:
            raise ValueError(f"no step is called {kind}")
        self.time += 1

    def cut(self, time, keep, target):
        """Writes the state after a cut before the step of that number. `keep()`: is this unsafe change there?"""
        def is_safe(what, since):
            return any(since < at < time for at in what.syncs)

        state = {folder: dict(entries) for folder, entries in self.safe.items()}
        for since, changes in self.names:
            if since >= time:
                break
            if not (all(is_safe(folder, since) for folder, _, _ in changes) or keep()):
                continue
            for folder, name, what in changes:
                if what is None:
                    state[folder].pop(name, None)
                else:
                    state[folder][name] = what

        def content(file):
            data = bytearray(file.safe)
            for since, number, written in file.changes:
                if since >= time:
                    break
                apply(data, number, written, (lambda: True) if is_safe(file, since) else keep)
            return data

        def write(folder, path):
            path.mkdir()
            for name, what in state[folder].items():
                if isinstance(what, Folder):
                    write(what, path / name)
                else:
                    (path / name).write_bytes(content(what))

        write(self.root, target)


def apply(data, number, written, keep):
    """A write or a new size of one file, block by block."""
    if written is None:
        if keep():
            del data[number:]
            data.extend(bytes(number - len(data)))
        return
    end = number + len(written)
    if end > len(data) and keep():
        data.extend(bytes(end - len(data)))
    at = number
    while at < end:
        upto = min(end, (at // BLOCK + 1) * BLOCK)
        if keep() and at < len(data):
            piece = written[at - number:upto - number]
            data[at:at + len(piece)] = piece[:len(data) - at] if upto > len(data) else piece
        at = upto


def text_of(path):
    """Names and bytes below a folder, to compare two."""
    out = {}
    for folder, _, files in os.walk(path):
        out[os.path.relpath(folder, path)] = None
        for name in files:
            with open(os.path.join(folder, name), "rb") as file:
                out[os.path.relpath(os.path.join(folder, name), path)] = file.read()
    return out

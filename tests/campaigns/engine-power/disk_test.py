#!/usr/bin/env python3
"""The model of the disk: what must, may and cannot be there after a cut."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from disk import BLOCK, Disk, HEAD, Step, text_of  # noqa: E402


def step(kind, path="", second="", handle=0, number=0, flags=0, data=b""):
    record = HEAD.pack(ord(kind), flags, 0, handle, number)
    for name in (path, second):
        record += len(name).to_bytes(2, "little") + name.encode()
    return Step(record + data)


CREATE = step("o", "new-tmp", handle=1, flags=1)
WRITE = step("w", handle=1, data=b"a" * BLOCK + b"b" * BLOCK)
SYNC = step("s", handle=1)
RENAME = step("r", "new-tmp", "new")
OPEN_FOLDER, SYNC_FOLDER = step("o", "", handle=2), step("s", handle=2)


class DiskTest(unittest.TestCase):
    def after(self, steps, keep, time=None):
        """What stands there after these steps, on a disk that held one file."""
        with tempfile.TemporaryDirectory() as name:
            work = Path(name)
            (work / "disk").mkdir()
            (work / "disk/old").write_bytes(b"old")
            disk = Disk(work / "disk")
            for one in steps:
                disk.follow(one)
            answers = iter(keep) if isinstance(keep, list) else None
            disk.cut(len(steps) if time is None else time, (lambda: next(answers)) if answers else lambda: keep,
                     work / "cut")
            found = text_of(work / "cut")
            del found["."]
            return found

    def test_what_was_synced_is_there(self):
        steps = [CREATE, WRITE, SYNC, RENAME, OPEN_FOLDER, SYNC_FOLDER]
        self.assertEqual(self.after(steps, False), {"old": b"old", "new": b"a" * BLOCK + b"b" * BLOCK})

    def test_a_name_that_was_not_synced_may_be_lost_though_its_bytes_were(self):
        self.assertEqual(self.after([CREATE, WRITE, SYNC, RENAME], False), {"old": b"old"})

    def test_a_rename_is_whole(self):
        steps = [CREATE, OPEN_FOLDER, SYNC_FOLDER, WRITE, SYNC, RENAME]
        self.assertEqual(set(self.after(steps, False)), {"old", "new-tmp"})
        self.assertEqual(set(self.after(steps, True)), {"old", "new"})

    def test_of_unsynced_bytes_any_block_may_be_missing(self):
        steps = [CREATE, WRITE, OPEN_FOLDER, SYNC_FOLDER]
        self.assertEqual(self.after(steps, [True, False, True])["new-tmp"], bytes(BLOCK) + b"b" * BLOCK)
        self.assertEqual(self.after(steps, [False, True, True])["new-tmp"], b"")

    def test_a_sync_covers_only_what_came_before_it(self):
        steps = [CREATE, OPEN_FOLDER, SYNC_FOLDER, SYNC, WRITE]
        self.assertEqual(self.after(steps, False)["new-tmp"], b"")

    def test_an_unlink_that_was_not_synced_may_be_undone(self):
        self.assertEqual(self.after([step("u", "old")], False), {"old": b"old"})
        self.assertEqual(self.after([step("u", "old"), OPEN_FOLDER, SYNC_FOLDER], False), {})

    def test_a_folder_goes_with_all_in_it(self):
        inside = [step("m", "folder"), step("o", "folder/file", handle=3, flags=1), step("s", handle=3),
                  step("o", "folder", handle=4), step("s", handle=4)]
        self.assertEqual(self.after(inside, False), {"old": b"old"})
        self.assertEqual(set(self.after([*inside, OPEN_FOLDER, SYNC_FOLDER], False)), {"old", "folder", "folder/file"})

    def test_what_came_after_the_cut_never_was(self):
        steps = [CREATE, WRITE, SYNC, RENAME, OPEN_FOLDER, SYNC_FOLDER]
        self.assertEqual(set(self.after(steps, True, time=1)), {"old", "new-tmp"})


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    bad = len(result.failures) + len(result.errors)
    print(f"tests: {result.testsRun - bad} passed, {bad} failed, 0 skipped")
    sys.exit(1 if bad else 0)

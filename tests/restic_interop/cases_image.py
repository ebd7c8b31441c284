"""Disk images and block devices as segments: restic restores a folder of them, and we the one file."""
import filecmp
import os
import random
import shutil
import sqlite3
import subprocess

from world import Failed, expect, expect_equal

MEBIBYTE = 1 << 20
SIZE = 300 * MEBIBYTE + 12345


def make_image(path, size=SIZE):
    chance = random.Random(5)
    with open(path, "wb") as file:
        file.truncate(size)
        for offset in (5 * MEBIBYTE, 255 * MEBIBYTE, 290 * MEBIBYTE):
            file.seek(offset)
            file.write(chance.randbytes(2 * MEBIBYTE))
    path.chmod(0o640)


def expect_same(got, wanted, text):
    expect(filecmp.cmp(got, wanted, shallow=False), text)


def joined(segments, target):
    with open(target, "wb") as out:
        for part in sorted(segments.glob("seg*/data")):
            with open(part, "rb") as file:
                shutil.copyfileobj(file, out)
    return target


def case_an_image_is_segments_for_restic_and_a_file_for_us(world, _):
    repo, folder = world.new("repo"), world.new("images")
    folder.mkdir()
    image = folder / "disk.img"
    make_image(image)
    world.ours.text(repo, "init")
    backup = ("backup", folder.name, "--segment-larger-than", "10M")
    world.ours.text(repo, *backup)
    with open(image, "r+b") as file:
        file.seek(6 * MEBIBYTE)
        file.write(b"changed")
    second = world.ours.summary(repo, *backup)
    expect_equal(second["data_blobs"], 1, "blobs of a changed page")
    expect_equal(second["files_changed"], 1, "files that changed")
    expect_equal(world.ours.summary(repo, *backup)["files_unmodified"], 1, "files of an image that is as it was")

    world.restic.text(repo, "check", "--read-data")
    theirs, ours = world.new("theirs"), world.new("ours")
    world.restic.text(repo, "restore", "latest", "--target", theirs)
    segments = theirs / folder.name / "disk.img"
    expect_equal(sorted(path.name for path in segments.iterdir()), ["seg000000", "seg000001"], "restored by restic")
    expect_same(joined(segments, world.new("joined")), image, "segments that restic restored are not the image")
    world.ours.text(repo, "restore", "latest", "--target", ours, "--verify")
    back = ours / folder.name / "disk.img"
    expect_same(back, image, "what we restored is not the image")
    expect(back.stat().st_blocks * 512 < 16 * MEBIBYTE, f"{back.stat().st_blocks} blocks of a sparse image")
    expect_equal((back.stat().st_mode, back.stat().st_mtime_ns), (image.stat().st_mode, image.stat().st_mtime_ns),
                 "mode and time")
    dumped = world.new("dumped")
    dumped.write_bytes(world.ours.bytes(repo, "dump", "latest", f"/{folder.name}/disk.img"))
    expect_same(dumped, image, "what we dumped is not the image")


def case_an_image_survives_what_restic_does_to_snapshots(world, _):
    """restic writes the snapshot anew, backs up over it, forgets and prunes: the folder is still known as an image."""
    repo, folder = world.new("repo"), world.new("images")
    folder.mkdir()
    make_image(folder / "disk.img")
    world.ours.text(repo, "init")
    world.ours.text(repo, "backup", folder.name, "--segment-larger-than", "10M")
    theirs = world.new("theirs")
    world.restic.text(repo, "restore", "latest", "--target", theirs)
    world.restic.text(repo, "backup", folder.name, cwd=theirs)
    world.restic.text(repo, "tag", "--add", "kept", "latest")
    world.restic.text(repo, "forget", "latest", "--keep-last", "1", "--group-by", "", "--prune")
    ours = world.new("ours")
    world.ours.text(repo, "restore", "latest", "--target", ours)
    expect_same(ours / folder.name / "disk.img", folder / "disk.img", "the image after a round through restic")


def case_a_database_is_cut_at_its_pages(world, _):
    repo, folder = world.new("repo"), world.new("data")
    folder.mkdir()
    base = sqlite3.connect(folder / "base.db")
    with base:
        base.execute("create table things (id integer primary key, text)")
        rows = ((i, random.Random(i).randbytes(500)) for i in range(20000))
        base.executemany("insert into things values (?, ?)", rows)
    (folder / "log").write_bytes(random.Random(7).randbytes(3 * MEBIBYTE))
    world.ours.text(repo, "init")
    world.restic.text(repo, "backup", folder.name)
    backup = ("backup", folder.name, "--chunks", "auto", "--force")
    first = world.ours.summary(repo, *backup)
    size = (folder / "base.db").stat().st_size
    expect(size <= first["data_added"] < size + MEBIBYTE, f"{first['data_added']} bytes: only the database is cut anew")
    with base:
        base.execute("update things set text = 'changed' where id = 9999")
    base.close()
    second = world.ours.summary(repo, *backup)
    # The row's page, and the head that counts changes.
    expect(second["data_blobs"] <= 2, f"{second['data_blobs']} blobs of a changed row")
    world.restic.text(repo, "check", "--read-data")
    theirs = world.new("theirs")
    world.restic.text(repo, "restore", "latest", "--target", theirs)
    expect_same(theirs / folder.name / "base.db", folder / "base.db", "the database that restic restored")


class Loop:
    """A block device whose blocks are a file."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        ran = subprocess.run(["losetup", "--find", "--show", self.path], capture_output=True, text=True, check=False)
        self.device = ran.stdout.strip()
        return self.device if ran.returncode == 0 else None

    def __exit__(self, *_):
        if self.device:
            subprocess.run(["losetup", "--detach", self.device], check=False)


def case_a_block_device_is_read_and_written(world, _):
    if os.geteuid() != 0 or not shutil.which("losetup"):
        return "block devices need root and losetup"
    source, target = world.new("source"), world.new("target")
    size = SIZE // MEBIBYTE * MEBIBYTE
    make_image(source, size)
    make_image(target, size + MEBIBYTE)
    with Loop(source) as device, Loop(target) as other:
        if not device or not other:
            return "no loop device may be made here"
        try_device(world, source, device, other)
    expect(target.read_bytes()[size:] == bytes(MEBIBYTE), "what is behind the image was written over")
    return None


def try_device(world, source, device, other):
    repo = world.new("repo")
    world.ours.text(repo, "init")
    link = world.new("volume")
    link.symlink_to(device)
    node = world.ours.summary(repo, "backup", device)
    expect_equal(node["total_bytes_processed"], 0, "bytes of a device without --read-special")
    made = world.ours.summary(repo, "backup", device, link, "--read-special")
    expect_equal(made["total_bytes_processed"], 2 * source.stat().st_size, "bytes of a device and of a link to it")
    with open(device, "r+b") as file:
        file.seek(8 * MEBIBYTE)
        file.write(b"changed")
        os.fsync(file.fileno())
    made = world.ours.summary(repo, "backup", device, link, "--read-special")
    expect_equal(made["data_blobs"], 1, "blobs of a changed page of a device")
    world.restic.text(repo, "check", "--read-data")
    with open(other, "r+b") as file:
        file.write(b"in the way")
    world.ours.text(repo, "restore", f"latest:{device}", "--to-device", other, "--verify")
    subprocess.run(["blockdev", "--flushbufs", device, other], check=True)
    compared = subprocess.run(["cmp", "-n", str(source.stat().st_size), device, other], capture_output=True,
                              check=False)
    expect_equal(compared.returncode, 0, f"the devices differ: {compared.stdout}")
    theirs = world.new("theirs")
    world.restic.text(repo, "restore", "latest", "--target", theirs, "--include", str(link))
    segments = theirs / str(link).lstrip("/")
    expect_same(joined(segments, world.new("joined")), source, "segments that restic restored are not the device")
    refused = world.ours.call(repo, "restore", "latest", "--target", "/", "--include", device, "--dry-run")
    expect(refused.returncode == 1 and b"--to-device" in refused.stderr, refused.stderr.decode())
    small = world.new("small")
    small.write_bytes(b"small")
    refused = world.ours.call(repo, "restore", f"latest:{device}", "--to-device", small)
    if refused.returncode != 1 or b"has 5 bytes" not in refused.stderr:
        raise Failed(refused.stderr.decode())

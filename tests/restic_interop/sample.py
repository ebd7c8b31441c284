"""A folder with everything that a file system can hold, and the comparison of two such folders."""
import os
import random
import socket
import stat
import struct
from pathlib import Path

NAMES = [
    b"plain", b" spaces  and\ttab ", b"new\nline", b"carriage\rreturn", b"quote\"'`", b"back\\slash", b"<html>&amp;",
    b"-dash", b"\x01control\x7f", "caf\u00e9 \u65e5\u672c".encode(), "line\u2028sep\u2029".encode(),
    "zero\u200bwidth\ufeff".encode(), "\U0001f512".encode(), b"bad\xff\xfe", b"half\xe2\x82", b"x" * 255,
    b"\xed\xa0\x80surrogate", b"*?[glob]", b"~tilde", b"name:colon",
]


def write(path, data=b"", mode=0o644):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)


def acl(entries):
    """A POSIX ACL as the kernel takes it: (tag, rights, id) each."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


def make_names(folder):
    for number, name in enumerate(NAMES):
        write(os.path.join(os.fsencode(folder), name), b"content %d" % number)


def make_contents(folder):
    chance = random.Random(7)
    write(folder / "empty")
    write(folder / "one", b"1")
    write(folder / "random", chance.randbytes(6_000_000))
    write(folder / "text", b"".join(b"line %d of a text\n" % i for i in range(150_000)))
    write(folder / "zeros", bytes(3_000_000))
    with open(folder / "sparse", "wb") as file:
        file.seek(5_000_000)
        file.write(b"middle")
        file.truncate(12_000_000)


def make_links(folder):
    (folder / "below").mkdir()
    write(folder / "first", b"many names")
    os.link(folder / "first", folder / "second")
    os.link(folder / "first", folder / "below" / "third")
    os.symlink("first", folder / "relative")
    os.symlink("/nowhere/at all", folder / "dangling")
    os.symlink("below", folder / "to-folder")


def make_specials(folder):
    os.mkfifo(folder / "fifo", 0o640)
    here = os.getcwd()
    os.chdir(folder)  # names of sockets are short
    with socket.socket(socket.AF_UNIX) as end:
        end.bind("socket")
    os.chdir(here)
    if os.geteuid() == 0:
        os.mknod(folder / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
        os.mknod(folder / "disk", stat.S_IFBLK | 0o600, os.makedev(7, 200))
        os.mknod(folder / "far", stat.S_IFCHR | 0o600, os.makedev(4000, 1_000_000))


def make_modes(folder):
    # Only root reads what nobody may read.
    for mode in (*((0o000,) if os.geteuid() == 0 else ()), 0o400, 0o777, 0o4755, 0o2755, 0o6711, 0o1644):
        write(folder / f"{mode:o}", b"mode", mode)
    for mode in (0o700, 0o1777, 0o2775):
        (folder / f"dir-{mode:o}").mkdir()
        os.chmod(folder / f"dir-{mode:o}", mode)
    if os.geteuid() == 0:
        for uid, gid in ((1, 1), (54321, 54322), (4294967290, 4294967291)):
            write(folder / f"owner-{uid}", b"owner")
            os.chown(folder / f"owner-{uid}", uid, gid)


def make_times(folder):
    for name, nanoseconds in (("exact", 1_234_567_890_123_456_789), ("second", 1_600_000_000_000_000_000),
                              ("epoch", 0), ("before", -1_500_000_000), ("later", 7_258_118_400_000_000_001),
                              ("tens", 1_700_000_000_120_000_000)):
        write(folder / name, name.encode())
        os.utime(folder / name, ns=(nanoseconds, nanoseconds))
    os.symlink("exact", folder / "link")
    os.utime(folder / "link", ns=(5, 1_111_111_111_000_000_007), follow_symlinks=False)


def make_attributes(folder):
    """False if this file system has none."""
    write(folder / "file", b"with attributes")
    (folder / "dir").mkdir()
    try:
        os.setxattr(folder / "file", "user.text", b"value")
        os.setxattr(folder / "file", "user.binary", bytes(range(256)))
        os.setxattr(folder / "file", "user.empty", b"")
        os.setxattr(folder / "dir", "user.of-folder", b"x" * 1000)
        rights = [(1, 7, 0xffffffff), (2, 4, 1234), (4, 5, 0xffffffff), (16, 5, 0xffffffff), (32, 0, 0xffffffff)]
        os.setxattr(folder / "file", "system.posix_acl_access", acl(rights))
        os.setxattr(folder / "dir", "system.posix_acl_default", acl(rights))
    except OSError:
        return False
    return True


def make(folder):
    """All of the above in folders of their own, and times of folders that are not today's."""
    folder = Path(folder)
    for part, fill in (("names", make_names), ("contents", make_contents), ("links", make_links),
                       ("specials", make_specials), ("modes", make_modes), ("times", make_times),
                       ("attributes", make_attributes)):
        (folder / part).mkdir(parents=True)
        fill(folder / part)
    (folder / "empty").mkdir()
    deep = folder.joinpath("deep", *(f"level{i}" for i in range(40)))
    deep.mkdir(parents=True)
    write(deep / "bottom", b"far down")
    for number, (path, _, _) in enumerate(os.walk(folder)):
        os.utime(path, ns=(0, 1_500_000_000_000_000_000 + number * 1_000_000_007))


def change(folder):
    """A second generation: new, changed, gone, another type, other rights."""
    folder = Path(folder)
    with open(folder / "contents" / "random", "r+b") as file:
        file.seek(3_000_000)
        file.write(b"changed here")
    write(folder / "contents" / "new", b"not there before")
    os.remove(folder / "contents" / "one")
    os.remove(folder / "links" / "dangling")
    (folder / "links" / "dangling").mkdir()
    write(folder / "links" / "dangling" / "inside", b"a folder now")
    os.chmod(folder / "modes" / "777", 0o600)


def attributes(path):
    try:
        return {name: os.getxattr(path, name, follow_symlinks=False)
                for name in os.listxattr(path, follow_symlinks=False)}
    except OSError:
        return {}


def describe(root):
    """Relative path (bytes) → what restores must bring back. Sockets are nobody's to restore."""
    found, inodes = {}, {}
    root = os.fsencode(root)
    paths = [root]
    for folder, folders, files in os.walk(root):
        paths += [os.path.join(folder, name) for name in folders + files]
    for path in paths:
        info = os.lstat(path)
        if stat.S_ISSOCK(info.st_mode):
            continue
        name = os.path.relpath(path, root)
        entry = {"mode": oct(info.st_mode), "uid": info.st_uid, "gid": info.st_gid, "mtime": info.st_mtime_ns,
                 "xattrs": attributes(path)}
        if stat.S_ISREG(info.st_mode):
            entry["size"], entry["links"] = info.st_size, info.st_nlink
            with open(path, "rb") as file:
                entry["content"] = hash(file.read())
            inodes.setdefault((info.st_dev, info.st_ino), []).append(name)
        elif stat.S_ISLNK(info.st_mode):
            entry["target"] = os.readlink(path)
        elif stat.S_ISCHR(info.st_mode) or stat.S_ISBLK(info.st_mode):
            entry["device"] = info.st_rdev
        found[name] = entry
    for names in inodes.values():
        for name in names:
            found[name]["same file as"] = sorted(names)
    return found


def differences(left, right, ignore=()):
    """Lines that say what is different between two describe()s, at most ten."""
    lines = []
    for name in sorted(set(left) | set(right)):
        if name in ignore:
            continue
        if name not in left or name not in right:
            lines.append(f"{name!r} is only on the {'right' if name in right else 'left'}")
            continue
        for key in sorted(set(left[name]) | set(right[name])):
            one, other = left[name].get(key), right[name].get(key)
            if one != other:
                lines.append(f"{name!r}: {key} is {one!r} and {other!r}")
    return lines[:10]

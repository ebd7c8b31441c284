#!/usr/bin/env python3
"""image.py NAME OUT [PROGRAM…]: an image as container runtimes import it, made of programs of this machine.

With programs: a root with those, the libraries they load, and the folders that every root has. Without: a root with one
static program, /pause, that waits for its end; it is given on standard input.
"""
import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile

FOLDERS = ["usr", "usr/bin", "etc", "dev", "proc", "sys", "run", "tmp", "var", "var/tmp"]
LINKS = {"bin": "usr/bin", "sbin": "usr/bin", "var/run": "/run"}
FILES = {"etc/passwd": "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n",
         "etc/group": "root:x:0:\nnogroup:x:65534:\n"}


def add(layer, name, data=b"", mode=0o755, kind=tarfile.REGTYPE, link=""):
    member = tarfile.TarInfo(name)
    member.type, member.mode, member.size, member.linkname = kind, mode, len(data), link
    layer.addfile(member, io.BytesIO(data))


def libraries(path):
    """Where the loader finds what the program needs: the loader itself and the shared objects."""
    said = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?:=> )?(/\S+) \(0x", said))


def add_root(layer, programs):
    for folder in FOLDERS:
        add(layer, folder, mode=0o1777 if folder.endswith("tmp") else 0o755, kind=tarfile.DIRTYPE)
    for name, target in LINKS.items():
        add(layer, name, kind=tarfile.SYMTYPE, link=target)
    for name, text in FILES.items():
        add(layer, name, text.encode(), 0o644)
    needed = set()
    for program in programs:
        path = shutil.which(program)
        if not path:
            sys.exit(f"image.py: no {program} on this machine")
        add(layer, f"usr/bin/{program}", open(path, "rb").read())
        needed |= libraries(path)
    for library in sorted(needed):
        add(layer, library.lstrip("/"), open(library, "rb").read())


def main():
    name, out, programs = sys.argv[1], sys.argv[2], sys.argv[3:]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as layer:
        if programs:
            add_root(layer, programs)
        else:
            add(layer, "pause", sys.stdin.buffer.read())
    content = buffer.getvalue()
    config = {"architecture": "amd64", "os": "linux", "config": {"Cmd": ["/bin/sh" if programs else "/pause"]},
              "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(content).hexdigest()]}}
    manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
    with tarfile.open(out, mode="w") as archive:
        add(archive, "layer.tar", content, 0o644)
        add(archive, "config.json", json.dumps(config).encode(), 0o644)
        add(archive, "manifest.json", json.dumps(manifest).encode(), 0o644)


if __name__ == "__main__":
    main()

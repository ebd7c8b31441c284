"""A backup that goes on though it was told to end: past its limit, and to its snapshot."""
import os

from attacks import attack
from repositories import interrupt, until, victim

PACKS, MEBIBYTE = 4, 1 << 20


@attack("end of a run")
def the_rest_of_an_upload(world):
    with victim(world) as root:
        source = root.folder / "source"
        source.write_bytes(os.urandom(PACKS * 4 * MEBIBYTE))
        root.run("init")
        process = root.start("--limit-upload", "4096", "--pack-size", "4", "backup", source)
        # All is read by then, and what is left waits for its turn.
        until(lambda: len(list((root.repository / "data").glob("*/*"))) > 1, process)
        code, _ = interrupt(process)
        made = list((root.repository / "snapshots").glob("*"))
        return f"a snapshot after the signal, exit code {code}" if made else None

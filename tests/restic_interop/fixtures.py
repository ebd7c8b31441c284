"""Fixtures of many cases: the sample and a repository of each program, with two generations of it."""
import os

import sample


class Fixtures:
    """`theirs` and `ours` hold the same two snapshots of the same folder, each written by its own program."""

    def __init__(self, world):
        self.source = world.folder / "source"
        sample.make(self.source)
        # Only since 0.17 does restic keep link targets that are not UTF-8.
        self.raw_link = os.path.join(b"links", b"raw")
        if world.version >= (0, 17):
            os.symlink(b"to\xff", os.path.join(os.fsencode(self.source), self.raw_link))
        self.theirs, self.ours = world.folder / "theirs", world.folder / "ours"
        world.restic.text(self.theirs, "init")
        # The same cuts need the same polynomial.
        world.ours.text(self.ours, "init", "--copy-chunker-params", "--from-repo", self.theirs,
                        "--from-password-command", "printenv RESTIC_PASSWORD")
        self.first = self.back_up(world)
        self.first_state = sample.describe(self.source)
        sample.change(self.source)
        self.second = self.back_up(world)
        self.state = sample.describe(self.source)

    def back_up(self, world):
        """Ids of the snapshots: theirs, ours."""
        out = []
        for tool, repo in ((world.restic, self.theirs), (world.ours, self.ours)):
            tool.text(repo, "backup", "--tag", "interop,sample", "source")
            out.append(tool.latest(repo)["id"])
        return out

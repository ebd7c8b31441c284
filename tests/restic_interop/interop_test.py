#!/usr/bin/env python3
"""Stock restic and holdfast on the same repositories: each does to the other's what it does to its own.

    interop_test.py [--keep] [CASE…]

restic is $HOLDFAST_RESTIC, or Debian's; holdfast is $HOLDFAST_BINARY. Exit 77 if restic is missing. A case is a
function of cases_*.py, as running.py says. Cases share the sample and the repositories that the fixtures make; who
changes one, copies it.
"""
import argparse
import os
import shutil
import sys

sys.dont_write_bytecode = True
import cases_ends  # noqa: E402
import cases_image  # noqa: E402
import cases_read  # noqa: E402
import cases_restore  # noqa: E402
import cases_select  # noqa: E402
import cases_strangers  # noqa: E402
import cases_tool  # noqa: E402
import cases_write  # noqa: E402
import running  # noqa: E402
from fixtures import Fixtures  # noqa: E402
from world import World  # noqa: E402

MODULES = (cases_read, cases_write, cases_restore, cases_image, cases_select, cases_tool, cases_ends,
           cases_strangers)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--keep", action="store_true", help="leave the folder there to look at")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    restic = os.environ.get("HOLDFAST_RESTIC") or shutil.which("restic")
    if not restic:
        print("no restic on this machine; tools/setup installs Debian's")
        return 77
    world = World(restic, os.environ["HOLDFAST_BINARY"], options.keep)
    try:
        return running.run(running.find_cases(MODULES, options.names), world, Fixtures(world))
    finally:
        world.close()


if __name__ == "__main__":
    sys.exit(main())

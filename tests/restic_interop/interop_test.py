#!/usr/bin/env python3
"""Stock restic and holdfast on the same repositories: each does to the other's what it does to its own.

    interop_test.py [--keep] [CASE…]

restic is $HOLDFAST_RESTIC, or Debian's; holdfast is $HOLDFAST_BINARY. Exit 77 if restic is missing. A case is a
function of cases_*.py whose name begins with case_; it raises when something does not hold, and returns a text when it
cannot be tried here. Cases share the sample and the repositories that the fixtures make; who changes one, copies it.
"""
import argparse
import os
import shutil
import sys
import time
import traceback

sys.dont_write_bytecode = True
import cases_image  # noqa: E402
import cases_read  # noqa: E402
import cases_restore  # noqa: E402
import cases_select  # noqa: E402
import cases_tool  # noqa: E402
import cases_write  # noqa: E402
from fixtures import Fixtures  # noqa: E402
from world import Failed, World  # noqa: E402

MODULES = (cases_read, cases_write, cases_restore, cases_image, cases_select, cases_tool)


def cases(names):
    for module in MODULES:
        for name, case in list(vars(module).items()):
            if name.startswith("case_") and (not names or name[5:] in names):
                yield name[5:], case


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
    passed, failed, skipped = 0, 0, 0
    try:
        fixtures = Fixtures(world)
        for name, case in cases(options.names):
            start = time.monotonic()
            try:
                reason = case(world, fixtures)
            except Failed as failure:
                failed += 1
                print(f"failed  {name}: {failure}", flush=True)
            except Exception:  # a case that cannot even run has failed, and the others go on
                failed += 1
                print(f"failed  {name}:\n{traceback.format_exc()}", flush=True)
            else:
                passed, skipped = passed + (not reason), skipped + bool(reason)
                spent = time.monotonic() - start
                print(f"skipped  {name}: {reason}" if reason else f"passed  {name} ({spent:.1f} s)", flush=True)
    finally:
        world.close()
    print(f"tests: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Commands of the command line, on a `holdfast up` of its own.

    commands_test.py HOLDFAST [--kubectl VERSION] [STORY…]

With --kubectl only what kubectl can do too: the same lists by both, which must be equal byte for byte.
"""
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.path.append(str(HERE.parent / "campaigns/machine"))
sys.path.append(str(HERE.parent / "streams"))
from machine import Failed, Machine, Refused  # noqa: E402

import groups  # noqa: E402
import lists  # noqa: E402
import locations  # noqa: E402
import looks  # noqa: E402
import moves  # noqa: E402
from person import Person  # noqa: E402


def find_kubectl(version):
    command = [HERE.parent / "peers/find", "kubectl", version]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        print(f"skipped: {found.stderr.strip()}")
        sys.exit(77)
    return found.stdout.strip()


def main():
    words = sys.argv[1:]
    binary = Path(words.pop(0)).resolve()
    kubectl = None
    if words[:1] == ["--kubectl"]:
        kubectl = find_kubectl(words[1])
        words = words[2:]
    everything = [*looks.STORIES, *locations.STORIES, *moves.STORIES, *groups.STORIES]
    stories = lists.STORIES if kubectl else everything
    stories = [each for each in stories if not words or each.__name__ in words]
    failed = 0
    with Machine(binary) as machine:
        person = Person(machine, kubectl)
        person.prepare()
        for story in stories:
            try:
                story(person)
                print(f"{story.__name__}: ok", flush=True)
            except (Failed, Refused, AssertionError) as reason:
                failed += 1
                print(f"{story.__name__}: {reason}", flush=True)
    print(f"tests: {len(stories) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

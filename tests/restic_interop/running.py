"""Runs cases one after the other and counts them."""
import time
import traceback

from world import Failed


def find_cases(modules, names=()):
    """(name, function) of all whose name begins with case_."""
    for module in modules:
        for name, case in list(vars(module).items()):
            if name.startswith("case_") and (not names or name[5:] in names):
                yield name[5:], case


def run(cases, *arguments):
    """Prints what became of each, and the closing line; the exit code. A case raises when something does not hold, and
    returns a text when it cannot be tried here."""
    passed, failed, skipped = 0, 0, 0
    for name, case in cases:
        start = time.monotonic()
        try:
            reason = case(*arguments)
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
    print(f"tests: {passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0

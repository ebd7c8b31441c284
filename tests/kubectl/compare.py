#!/usr/bin/env python3
"""Runs the same kubectl commands against the embedded and the real API server and wants the same answers.

    compare.py --embedded KUBECONFIG --real KUBECONFIG --kubectl FILE [--old] [CASE…]

A file of cases/ is a story in a namespace of its own: one command per line, in order, each run on both servers. Exit
code, stdout and stderr must be equal once what differs by nature (uids, versions, times, ages, addresses) is
normalised. Every command counts as one test. Lines:
    # text              a comment; `# clients: all` in the first line lets old clients (--old) run the file too
    ARGUMENTS           kubectl ARGUMENTS; {files} is the folder of manifests, {ns} the namespace
    ! ARGUMENTS         as above, and the command must fail
    NAME=value ARGUMENTS  with an environment variable
    ~ ARGUMENTS         run on both, not compared (what it prints depends on time)
"""
import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TIMEOUT_SECONDS = 60

NORMAL_FORMS = [
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UID"),
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "TIME"),
    (r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}", "TIME"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?( [+-]\d{4})?( UTC)?", "TIME"),
    (r'(resourceVersion"?: ?"?|Resource Version: +)\d+', r"\1N"),
    (r"\bkube-api-access-\w{5}\b", "kube-api-access-RANDOM"),
    (r"https://(127\.0\.0\.1|localhost):\d+", "SERVER"),
    (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "TOKEN"),
    (r"/tmp/[\w./-]+", "FILE"),
    (r"v1\.34\.4\+holdfast[\w.]*", "v1.34.4"),
    (r"X509SHA256=[0-9a-f]+", "X509"),
    (r"\b(JTI=)?UID\b", "UID"),
]
# An age or duration that stands alone in a column or after a word.
AGE = re.compile(r"(?<![\w.:/=\"'-])(?:<unknown>|<invalid>|\d+[smhd](?:\d+[smh])?)(?![\w.:/\"'-])( ago)?")


def normalise(text):
    for pattern, form in NORMAL_FORMS:
        text = re.sub(pattern, form, text)
    lines = []
    for line in text.splitlines():
        # Ages change the width of columns, so runs of spaces count as one where there is an age.
        aged = AGE.sub("AGE", line)
        lines.append(re.sub(r"(?<=\S) {2,}", "  ", aged).rstrip())
    return "\n".join(lines)


# Groups of the real server that this one does not serve; their lines are not part of the comparison.
OTHER_GROUPS = ("apiregistration.k8s.io", "certificates.k8s.io", "flowcontrol.apiserver.k8s.io", "node.k8s.io",
                "resource.k8s.io", "componentstatuses")


def comparable(text, arguments):
    """Leaves out what the two servers need not share: groups not served here, and the wording of descriptions."""
    lines = text.splitlines()
    # Several complaints come in the order of a Go map, which is random.
    complaints = sorted(line for line in lines if line.startswith("* "))
    lines = [complaints.pop(0) if line.startswith("* ") else line for line in lines]
    # What follows this sentence is a dump of Go's internal types.
    for number, line in enumerate(lines):
        if "pod updates may not change fields other than" in line:
            del lines[number + 1:]
            break
    # kubectl 1.20 describes data in the order of a Go map.
    if "describe" in arguments and "configmap" in arguments:
        lines.sort()
    if "api-versions" in arguments or "api-resources" in arguments:
        lines = [line for line in lines if not any(group in line for group in OTHER_GROUPS)]
    if "explain" in arguments:
        # Fields stand as `NAME<tab><TYPE>`, enum values as `ENUM:` and lines below it; the rest is prose.
        lines = [line for line in lines if "\t<" in line or re.match(r"^\w+:|^\s+ENUM:", line)]
    return "\n".join(lines)


class Server:
    def __init__(self, name, kubeconfig, kubectl, scratch):
        self.name, self.kubectl = name, kubectl
        self.common = ["--kubeconfig", str(kubeconfig), "--cache-dir", str(Path(scratch) / name)]

    def run(self, arguments, environment):
        command = [self.kubectl, *self.common, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False,
                                  stdin=subprocess.DEVNULL, env={**os.environ, **environment})
        except subprocess.TimeoutExpired:
            return f"exit: none after {TIMEOUT_SECONDS} s"
        parts = [f"exit: {done.returncode}", comparable(normalise(done.stdout), arguments)]
        if done.stderr:
            parts.append("stderr:\n" + comparable(normalise(done.stderr), ()))
        return "\n".join(parts)


def parse(line, ns):
    """Splits a line into (mark, environment, arguments)."""
    mark = line[0] if line[:2] in ("! ", "~ ") else ""
    words = shlex.split(line[2:] if mark else line)
    environment = {}
    while words and re.match(r"^[A-Z_]+=", words[0]):
        key, value = words.pop(0).split("=", 1)
        environment[key] = value.replace("{files}", str(HERE / "files"))
    words = [word.replace("{files}", str(HERE / "files")).replace("{ns}", ns) for word in words]
    return mark, environment, ["--namespace", ns, *words]


def run_case(path, servers, tally, suffix):
    lines = path.read_text().splitlines()
    ns = f"{path.stem}-{suffix}"
    for server in servers:
        server.run(["create", "namespace", ns], {})
        server.run(["--namespace", ns, "wait", "--for=create", "serviceaccount/default", "--timeout=20s"], {})
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        mark, environment, arguments = parse(line, ns)
        embedded, real = (server.run(arguments, environment) for server in servers)
        if mark == "~":
            continue
        same = embedded == real and (mark != "!" or not real.startswith("exit: 0"))
        tally["passed" if same else "failed"] += 1
        if not same:
            print(f"failed  {path.stem}:{number} ({suffix}): kubectl {line}")
            print("\n".join("    " + text for text in difflib.unified_diff(
                real.splitlines(), embedded.splitlines(), "real", "embedded", lineterm="", n=2)))
    for server in servers:
        server.run(["delete", "namespace", ns, "--wait=false"], {})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--embedded", required=True)
    parser.add_argument("--real", required=True)
    parser.add_argument("--kubectl", required=True)
    parser.add_argument("--old", action="store_true", help="only the files for all clients")
    parser.add_argument("cases", nargs="*", help="names of files under cases/")
    options = parser.parse_args()
    version = subprocess.run([options.kubectl, "version", "--client"], capture_output=True, text=True, check=True)
    suffix = "v" + "-".join(re.search(r"v1\.(\d+)\.(\d+)", version.stdout).groups())
    tally = {"passed": 0, "failed": 0}
    with tempfile.TemporaryDirectory() as scratch:
        servers = [Server("embedded", options.embedded, options.kubectl, scratch),
                   Server("real", options.real, options.kubectl, scratch)]
        for path in sorted(HERE.glob("cases/*.cases")):
            text = path.read_text()
            if options.cases and path.stem not in options.cases:
                continue
            if not options.old or text.startswith("# clients: all"):
                run_case(path, servers, tally, suffix)
    print(f"tests: {tally['passed']} passed, {tally['failed']} failed, 0 skipped")
    return 1 if tally["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())

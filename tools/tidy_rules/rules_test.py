#!/usr/bin/env python3
"""Breaks each house rule on purpose, in a tree of one file, and sees that exactly that rule says so."""
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
TIDY = Path(__file__).resolve().parent.parent / "tidy"

CLEAN = {
    "src/base/include/holdfast/base/text.h": "/// Words.\n#pragma once\nint words();\n",
    "src/base/text.cpp": "#include <holdfast/base/text.h>\n\nint words() {\n  return 1;\n}\n",
    "src/base/README.md": "# base\n",
    "src/base/CMakeLists.txt": "holdfast_room(base)\n",
    "src/base/clock.cpp": "// Reads the clock.\nauto t = std::chrono::steady_clock::now();\n",
    "src/model/y.cpp": "// A time. Nobody else has it.\nint z;  // whoever asks\n",
    "src/model/x.cpp": "// A time (not a call): \"time(nullptr)\" in text, `throw` in a comment.\n"
                       "const char* kText = \"sleep(1) fopen( ../ throw\";\n"
                       "int runtime(int value) { return value; }\nint y = runtime(0);\n",
}


def function(lines, head="int long_one() {"):
    return head + "\n" + "  work();\n" * (lines - 2) + "}\n"


DRIVER = {"src/drivers/list.def": "// Drivers.\nHOLDFAST_DRIVER(etcd)\n",
          "src/drivers/etcd/include/holdfast/drivers/etcd/kinds.h":
          "/// Kinds.\n#pragma once\nstatic constexpr Kind kKind{\"etcd.dev\", \"v1\", \"EtcdCluster\"};\n",
          "src/drivers/etcd/etcd.cpp": "// Etcd.\n#include <holdfast/drivers/etcd/kinds.h>\n"}
COPIED = "".join(f"int x{number} = {number};\n" for number in range(12))
ELEVEN = COPIED.split("\n", 1)[1]

# rule, path, content: adding the file to the clean tree must raise that rule, and no other.
BREACHES = [
    ("copy", "", {"src/base/a.cpp": "// A.\n" + COPIED, "src/model/a.cpp": "// B.\nint y;\n" + COPIED}),
    ("driver-name", "", {**DRIVER, "src/base/a.cpp": "// Waits for etcd.\n"}),
    ("driver-name", "", {**DRIVER, "src/base/a.cpp": "// A.\nauto x = \"etcdclusters\";\n"}),
    *[("driver-name", "", {**DRIVER, path: "# Waits for etcd.\n"})
      for path in ("tests/all/run", "bench/all.py", "fuzz/corpus/json/a", "Makefile", ".ci/run", "cmake/a.cmake")],
    ("driver-name", "", {**DRIVER, "tests/all/etcd.yaml": "a: b\n"}),
    ("driver-name", "", {**DRIVER, "src/drivers/etcd/places": "tests/etcd/*\n"}),
    ("driver-name", "", {**DRIVER, "src/drivers/etcd/places": "src/base/*\n", "src/base/a.cpp": "// A.\n"}),
    ("columns", "src/base/a.cpp", "// " + "x" * 98 + "\n"),
    ("columns", "tools/a.sh", "# " + "x" * 119 + "\n"),
    ("tab", "docs/a.md", "a\tb\n"),
    ("leftover", "docs/a.md", "TO" + "DO: more\n"),
    ("leftover", "src/base/a.cpp", "// FIX" + "ME\n"),
    ("leftover", "src/base/a.cpp", "// Good enough for" + " now.\n"),
    ("leftover", "docs/a.md", "A simpli" + "fied form.\n"),
    ("leftover", "docs/a.md", "In a real " + "system this would differ.\n"),
    ("plain-words", "src/base/a.cpp", "// A note.\nauto text = R\"(nobody has taken it up)\";\n"),
    ("plain-words", "src/base/a.cpp", "// A note.\nf(\"used by \"\n  \"whoever names none\");\n"),
    ("plain-words", "src/base/a.h", {"src/base/a.h": "/// Place that somebody\n/// means. Pure.\n#pragma once\n",
                                     "src/base/a.cpp": "#include \"a.h\"\n"}),
    ("plain-words", "tools/a.py", "#!/usr/bin/env python3\n\"\"\"Waits for\nanybody.\"\"\"\n"),
    ("plain-words", "tools/a.sh", "#!/bin/sh\n# Waits for anybody.\n"),
    ("plain-words", "src/base/a.cpp", "// What a request may ask for.\n"),
    ("plain-words", "tools/a.sh", "#!/bin/sh\n# How to build it.\n"),
    ("machine-path", "docs/a.md", "see /ro" + "ot/x\n"),
    ("machine-path", "docs/a.md", "see /wo" + "rk/x\n"),
    ("machine-path", "docs/a.md", "see /ho" + "me/me/x\n"),
    ("registry-host", "tools/a.sh", "curl https://pyp" + "i.org/\n"),
    ("size", "src/base/a.cpp", "// Long.\n" + "int x;\n" * 800),
    ("size", "src/base/a_test.cpp", "// Long.\n" + "int x;\n" * 1200),
    ("size", "src/base/include/holdfast/base/text.h", "/// Long.\n#pragma once\n" + "int x;\n" * 149),
    ("function-size", "src/base/a.cpp", "// Long.\n" + function(71)),
    ("function-size", "src/base/a.cpp", "// Long.\nnamespace n {\nclass A {\n" + function(71) + "};\n}\n"),
    ("function-size", "src/base/a.cpp", "// Long.\n" + function(71, "A::A(int b) : b_{b}, c_{1} {")),
    ("function-size", "src/base/a.cpp", "// Long.\n" + function(71, "A& A::operator=(const A& b) {")),
    ("function-size", "src/base/a.cpp", "// L.\n" + function(71, "template <class T = int>\nT f(int b = 3) {")),
    ("function-size", "tools/a.py", "def f():\n" + "    work()\n" * 70),
    ("banned-name", "src/base/string_util.cpp", "// Strings.\n"),
    ("banned-name", "src/base/a.cpp", "// A type.\nclass LockManager {};\n"),
    ("banned-name", "src/base/a.cpp", "// A type.\nstruct StoreImpl final : Store {};\n"),
    ("banned-name", "src/base/a.cpp", "// A type.\nusing RequestContext = int;\n"),
    ("include", "src/base/a.cpp", "// Reaches out.\n#include \"../model/x.h\"\n"),
    ("head-comment", "src/base/a.cpp", "int x;\n"),
    ("head-comment", "src/base/a.cpp", "#include <holdfast/base/text.h>\n"),
    ("pragma-once", "src/base/include/holdfast/base/text.h", "/// Twice.\nint x;\n"),
    ("clock", "src/model/a.cpp", "// Time.\nauto t = std::chrono::system_clock::now();\n"),
    ("clock", "src/model/a.cpp", "// Time.\nauto t = time(nullptr);\n"),
    ("clock", "src/model/a.cpp", "// Time.\nint r = clock_gettime(CLOCK_REALTIME, &ts);\n"),
    ("chance", "src/model/a.cpp", "// Dice.\nstd::random_device dice;\n"),
    ("chance", "src/model/a.cpp", "// Dice.\nint x = rand();\n"),
    ("chance", "src/model/a.cpp", "// Dice.\nauto n = getrandom(buffer, 8, 0);\n"),
    ("sleep", "src/model/a.cpp", "// Naps.\nvoid nap() { std::this_thread::sleep_for(1s); }\n"),
    ("system", "src/model/a.cpp", "// Files.\n#include <fstream>\n"),
    ("system", "src/model/a.cpp", "// Sockets.\nint s = ::socket(AF_INET, SOCK_STREAM, 0);\n"),
    ("system", "src/apiserver/auth/a.cpp", "// Files.\nauto f = fopen(\"x\", \"r\");\n"),
    ("throw", "src/model/a.cpp", "// Throws.\nvoid f() { throw 1; }\n"),
    ("plan", "src/drivers/etcd/plan.cpp", "// Plans.\n#include <holdfast/base/clock.h>\n"),
    ("plan", "src/drivers/etcd/run_plan.cpp", "// Plans.\nvoid look(control::Pass& pass);\n"),
    ("plan", "src/base/a.cpp", "// Plans.\n#include <holdfast/kube/client.h>\n"
                               "Outcome plan_run(const RunSeen& seen) {\n}\n"),
    ("plan", "src/base/", {"src/base/a.h": "/// Decides. Pure.\n#pragma once\n",
                           "src/base/a.cpp": "#include \"a.h\"\nint draw(Random& from);\n"}),
    ("plan", "src/base/", {"src/base/include/holdfast/base/a.h": "/// Judges. Pure.\n#pragma once\nint judge(int seen);"
                                                                 "\n",
                           "src/base/b.cpp": "// Judges.\n#include <holdfast/base/a.h>\n"
                                             "int judge(int seen) {\n  return sabotage().lax ? 0 : seen;\n}\n"}),
    ("plan", "src/base/", {"src/base/include/holdfast/base/a.h": "/// Judges.\n#pragma once\nint ask();\n\n"
                                                                 "/// Pure.\nint judge(int seen);\n",
                           "src/base/b.cpp": "// Judges.\n#include <holdfast/base/a.h>\n"
                                             "int judge(int seen) {\n  return drawn(Random& from);\n}\n"}),
    ("folder-size", "src/base/", {f"src/base/a{i}.cpp": "// One of many.\n" for i in range(24)}),
    ("readme", "src/net/CMakeLists.txt", "holdfast_room(net)\n"),
    ("readme", "src/base/README.md", "line\n" * 41),
    ("architecture", "ARCHITECTURE.md", "line\n" * 201),
    ("orphan", "src/base/lonely.h", "// No file includes me.\n#pragma once\n"),
    ("generated", "src/model/facts.inc", "// Generated by tools/nowhere\n"),
    ("walls", "tests/walls/c9_doors.py", '"""C9: a door."""\n'),
    ("walls", "SECURITY.md", "# Security\n\nA wall (`c9_doors`).\n"),
]


def breached(files, build=None):
    """The names of the rules that tidy finds broken in a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(content.replace("ROOT", str(root.resolve())))
        command = [sys.executable, str(TIDY), "--root", folder]
        if build is not None:
            out = root / "build"
            out.mkdir(exist_ok=True)
            entries = ",".join('{"file": "%s/%s"}' % (root.resolve(), path) for path in build)
            (out / "compile_commands.json").write_text(f"[{entries}]")
            command += ["--build", str(out)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    rules = {line.split(": ")[1] for line in run.stdout.splitlines()[:-1]}
    if run.stderr or bool(rules) != bool(run.returncode):
        rules.add(f"exit {run.returncode} {run.stderr}")
    return rules


def main():
    sources = [path for path in CLEAN if path.endswith(".cpp")]
    cases = [("a clean tree", CLEAN, None, set()), ("a clean tree with its build", CLEAN, sources, set()),
             ("a source that no target compiles", CLEAN, sources[1:], {"orphan"}),
             ("a source that a command compiles",
              {**CLEAN, "build/build.ninja": f"build a: CUSTOM\n  COMMAND = g++ ROOT/{sources[0]} -o a\n"}, sources[1:],
              set()),
             ("a driver that names itself", {**CLEAN, **DRIVER}, None, set()),
             ("a driver that its places name", {**CLEAN, **DRIVER, "tests/etcd/run": "# Runs etcd.\n",
                                                "tests/a.md": "Of etcd.\n", "deploy/etcd.yaml": "kind: EtcdCluster\n",
                                                "src/drivers/etcd/places": "# Tests.\ntests/etcd/*\n"}, None, set()),
             ("eleven equal lines in two rooms", {**CLEAN, "src/base/a.cpp": "// A.\n" + ELEVEN,
                                                  "src/model/a.cpp": "// B.\n" + ELEVEN}, None, set()),
             ("a user of what is pure", {**CLEAN, "src/base/include/holdfast/base/a.h":
                                         "/// Decides. Pure.\n#pragma once\nint judge(int seen);\n",
                                         "src/base/b.cpp": "// Asks.\n#include <holdfast/base/a.h>\n"
                                         "int ask(Random& from) {\n  return judge(from.draw());\n}\n"}, None, set()),
             ("what is excepted of what is pure", {**CLEAN, "src/base/include/holdfast/base/a.h":
                                                   "/// Decides. Pure but for `ask`.\n#pragma once\n"
                                                   "int judge(int seen);\nint ask(Random& from);\n",
                                                   "src/base/b.cpp": "// Asks.\n#include <holdfast/base/a.h>\n"
                                                   "int ask(Random& from) {\n  return judge(from.draw());\n}\n",
                                                   "src/base/c.cpp": "// Judges.\n#include <holdfast/base/a.h>\n"
                                                   "int judge(int seen) {\n  return seen;\n}\n"}, None, set()),
             ("a class of many lines", {**CLEAN, "src/base/a.cpp": "// C.\nclass HF_X(y(\"z\")) A final : B {\n"
                                        + "  int x;\n" * 90 + "};\n"}, None, set()),
             ("a function of 70 lines", {**CLEAN, "src/base/a.cpp": "// F.\n" + function(70)}, None, set())]
    for rule, path, content in BREACHES:
        added = content if isinstance(content, dict) else {path: content}
        cases.append((f"{rule} in {path}", {**CLEAN, **added}, None, {rule}))
    failed = 0
    for text, files, build, expected in cases:
        seen = breached(files, build)
        if seen != expected:
            failed += 1
            print(f"failed  {text}: expected {sorted(expected)}, saw {sorted(seen)}")
    print(f"tests: {len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

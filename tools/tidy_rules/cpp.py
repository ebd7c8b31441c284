"""Rules on C++ sources: sizes, names, includes, and who may read clocks, chance, files and sockets."""
import ast
import re

MAX_FUNCTION_LINES = 70
MAX_FILE_LINES = 800
MAX_TEST_LINES = 1200
MAX_DOOR_LINES = 150

BANNED_NAMES = {"Manager", "Helper", "Helpers", "Util", "Utils", "Common", "Impl", "Misc", "Base",
                "Context", "Handler", "Processor"}

# Rooms (or parts of them) that may touch files, processes and sockets; everyone else is handed what
# they need. Tests may: they make folders of their own.
TOUCHES_SYSTEM = ("src/base/", "src/net/", "src/blob/", "src/node/", "src/volumes/", "src/apiserver/store/",
                  "src/kube/credentials", "src/repo/files/")


def file_size(tree):
    for file in tree.files:
        if not file.is_cpp or file.is_data or file.is_generated:
            continue
        limit = MAX_DOOR_LINES if file.is_door else MAX_TEST_LINES if file.is_test else MAX_FILE_LINES
        if len(file.lines) > limit:
            kind = "door" if file.is_door else "file"
            yield file.path, limit + 1, "size", f"{kind} of {len(file.lines)} lines, {limit} are allowed"


def function_size(tree):
    for file in tree.files:
        if file.is_data or file.is_generated:
            continue
        functions = cpp_functions(file) if file.is_cpp else python_functions(file) if file.is_python else ()
        for start, end in functions:
            if end - start + 1 > MAX_FUNCTION_LINES:
                yield (file.path, start, "function-size",
                       f"{end - start + 1} lines, {MAX_FUNCTION_LINES} are allowed")


def python_functions(file):
    for node in ast.walk(ast.parse(file.text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.end_lineno


def cpp_functions(file):
    """Yields (first line, last line) of each function that stands in a namespace or a type.

    Braces are followed with a stack; the text since the last `;`, `{` or `}` says what an opening brace
    begins. Lambdas and blocks inside a function belong to it.
    """
    scopes, head, head_line = [], "", 0
    for number, line in enumerate(file.code, 1):
        if line.lstrip().startswith("#"):
            continue
        for char in line + "\n":
            if char == "{":
                scopes.append((classify(head, scopes), head_line or number, head))
                head, head_line = "", 0
            elif char == "}":
                kind, start, before = scopes.pop() if scopes else ("block", number, "")
                if kind == "function":
                    yield start, number
                # A value in braces is part of what it initialises: the declaration goes on.
                head, head_line = (before + "()", start) if kind in ("value", "member") else ("", 0)
            elif char == ";":
                head, head_line = "", 0
            else:
                if not char.isspace() and not head_line:
                    head_line = number
                head += char


def classify(head, scopes):
    """What an opening brace begins: namespace, type, function, value, member initialiser or block."""
    outer = scopes[-1][0] if scopes else "namespace"
    if outer in ("function", "block", "value", "member"):
        return "block" if outer in ("function", "block") else outer
    head = re.sub(r"\s+", " ", head).strip()
    head = re.sub(r"^template <.*?> (?=[a-zA-Z\[])|\boperator\s*[^\s\w(]+", "", head)
    if re.search(r"\b(namespace|extern)\b[^()]*$", head):
        return "namespace"
    if re.match(r"(typedef )?(class|struct|union|enum)\b", head) and re.search(r"[\w>]$", head):
        return "type"
    if re.search(r"\)[^()]*[^:]:[^:].*[\w>]$", head) and not re.search(r"\b(const|override)$", head):
        return "member"
    if "(" in head and not re.match(r"^[^(]*=", head):
        return "function"
    return "value"


def banned_names(tree):
    declared = re.compile(r"^\s*(?:template\s*<.*>\s*)?(?:class|struct|enum class|enum|using|union)\s+"
                          r"(?:\[\[\w+\]\]\s*)?([A-Z]\w*)")
    lower = {name.lower() for name in BANNED_NAMES}
    for file in tree.files:
        if not file.is_cpp and not file.is_script:
            continue
        stem = file.name.split(".")[0]
        for word in re.split(r"[_-]", stem):
            if word.lower() in lower:
                yield file.path, 1, "banned-name", f"file name contains `{word}`, which says nothing"
        if not file.is_cpp:
            continue
        for number, line in enumerate(file.code, 1):
            match = declared.match(line)
            words = re.findall(r"[A-Z][a-z0-9]*", match[1]) if match else []
            for word in BANNED_NAMES.intersection(words):
                yield file.path, number, "banned-name", f"`{match[1]}` contains `{word}`, which says nothing"


def code_rule(name, message, pattern, applies):
    """A rule that forbids a pattern in C++ code (comments and literals do not count)."""
    compiled = re.compile(pattern)

    def rule(tree):
        for file in tree.files:
            if not file.is_cpp or file.is_data or not applies(file):
                continue
            for number, line in enumerate(file.code, 1):
                match = compiled.search(line)
                if match:
                    yield file.path, number, name, message.format(match[0].strip())
    return rule


def upward_includes(tree):
    for file in tree.files:
        for number, line in enumerate(file.lines if file.is_cpp else (), 1):
            if re.match(r'\s*#\s*include\s*["<][^">]*\.\./', line):
                yield file.path, number, "include", "`../` in an include; a room's folder is on its path"


def in_product(file):
    return file.path.startswith("src/") and not file.is_test


def head_comment(tree):
    for file in tree.files:
        if not file.is_cpp or not in_product(file) or file.text.startswith("//"):
            continue
        # The header of the same name says it for both.
        stem = file.name.rsplit(".", 1)[0]
        if not re.search(rf'^#include [<"](?:[^">]*/)?{re.escape(stem)}\.h[">]', file.text, re.MULTILINE):
            yield file.path, 1, "head-comment", "the first line must say what this file is and why"


def pragma_once(tree):
    for file in tree.files:
        if file.name.endswith(".h") and "#pragma once" not in file.lines:
            yield file.path, 1, "pragma-once", "a header without #pragma once"


clock = code_rule(
    "clock", "`{}`: only base reads the clock; take a Clock&",
    r"\b(?:system|steady|high_resolution|utc|file)_clock::now\b|\b(?:gettimeofday|clock_gettime|ftime)\s*\("
    r"|(?<![\w.>:])(?:std::|::)?time\s*\(\s*(?:nullptr|NULL|0|&\w+)\s*\)",
    lambda f: f.path.startswith("src/") and f.room != "base")
chance = code_rule(
    "chance", "`{}`: only base draws randomness; take a Random&",
    r"\brandom_device\b|(?<![\w.>])s?rand(?:om|48)?\s*\(\s*\)|\bgetrandom\s*\(|\bgetentropy\s*\("
    r"|\bRAND_(?:priv_)?bytes\b|\barc4random|\bdefault_random_engine\b",
    lambda f: f.path.startswith("src/") and f.room != "base")
sleeping = code_rule(
    "sleep", "`{}`: wait for an event, or return when to come back",
    r"\bsleep_(?:for|until)\b|(?<![\w.>])(?:u|nano)?sleep\s*\(",
    lambda f: f.path.startswith("src/") and f.room != "base")
system_touch = code_rule(
    "system", "`{}`: this part touches no files, processes or sockets; take what you need as an argument",
    r"\b[io]?fstream\b|\bfopen\s*\(|(?<!\w)::(?:open|socket|bind|connect|unlink|mkdir)\s*\(|\bsqlite3_open"
    r"|#\s*include\s*<(?:sys/socket|sys/stat|fcntl|unistd|netinet/\w+|spawn|fstream)(?:\.h)?>"
    r"|\b(?:fork|execve?p?|popen|posix_spawnp?)\s*\("
    r"|\bfilesystem::(?:remove|rename|create_|copy|resize|directory_iterator|recursive_)",
    lambda f: in_product(f) and not f.path.startswith(TOUCHES_SYSTEM))
throwing = code_rule("throw", "`{}`: errors are values here; return a Result", r"\bthrow\b", in_product)


DECLARED = re.compile(r"^(?!\s|using|return)[\w:<>&*,\s\[\]]*?[\s&*>](\w+)\(")


def functions_of(file):
    """Names of the free functions that a source declares or defines, each with its line."""
    for number, line in enumerate(file.code, 1):
        match = DECLARED.match(line)
        if match:
            yield number, match[1]


def comment_above(file, number):
    above = []
    while number > 1 and file.lines[number - 2].startswith("///"):
        number -= 1
        above.insert(0, file.lines[number - 1])
    return "\n".join(above)


def excepted(header):
    """The functions that a header which is "Pure but for `look`" excepts: the sources that define one are not bound."""
    return {name for sentence in re.findall(r"\bPure but for[^.]*", header.text)
            for name in re.findall(r"`(\w+)`", sentence)}


def pure_functions(header):
    """The functions that a header says are Pure: all of them at its head, one above that."""
    head = re.match(r"(?:///.*\n)*", header.text)[0]
    whole = re.search(r"\bPure\b", head)
    return {name for number, name in functions_of(header)
            if whole or re.search(r"\bPure\b", comment_above(header, number))} - excepted(header)


def included(file):
    return re.findall(r'^#include [<"]([^">]+)[">]', file.text, re.MULTILINE)


def is_pure(file, pure):
    """A plan by what it holds: it defines plan_…(seen), or a function that a header says is Pure, or all of one."""
    if not in_product(file) or not file.name.endswith(".cpp"):
        return False
    if file.name == "plan.cpp" or file.name.endswith("_plan.cpp"):
        return True
    if re.search(r"^[\w:<>&* ]+ plan_\w+\(const \w*Seen&", "\n".join(file.code), re.MULTILINE):
        return True
    if any(header.path == f"{file.path[:-4]}.h" for header in pure):
        return True
    names, defined = included(file), {name for _, name in functions_of(file)}
    return any(defined & functions and not defined & excepted(header) for header, functions in pure.items()
               if header.room == file.room and any(header.path.endswith("/" + name) for name in names))


def pure_plans(tree):
    outside = re.compile(
        r"#\s*include\s*<holdfast/(?:base/(?:clock|random|log|files)\.h|kube/|net/|blob/)[^>]*>"
        r"|\b(?:control::)?Pass&|\b(?:kube::)?Client&|\bClock&|\bRandom&|\bsabotage\(")
    pure = {file: pure_functions(file) for file in tree.files
            if file.name.endswith(".h") and re.search(r"^///.*\bPure\b", file.text, re.MULTILINE)}
    for file in tree.files:
        if not is_pure(file, pure):
            continue
        for number, line in enumerate(file.code, 1):
            match = outside.search(line)
            if match:
                yield (file.path, number, "plan",
                       f"`{match[0].strip()}`: a plan is pure; all it may know is in its arguments")


RULES = [file_size, function_size, banned_names, upward_includes, head_comment, pragma_once, clock, chance,
         sleeping, system_touch, throwing, pure_plans]

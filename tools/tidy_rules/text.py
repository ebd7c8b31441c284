"""Rules on the text of any file: width, tabs, words that do not belong, names of machines and hosts."""
import re

MAX_COLUMNS = 100
MAX_SCRIPT_COLUMNS = 120

# Split, so that this file keeps its own rules.
LEFTOVER_WORDS = re.compile("|".join([
    r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"\bXX" + r"X\b", r"(?i:\bfor " + r"now\b)",
    r"(?i:\bsimpli" + r"fied\b)", r"(?i:\bin a real " + r"system\b)"]))
QUESTION_WORDS = re.compile(r"\s*(?:what|when|who|whose|where|how|why|which)\b", re.IGNORECASE)
VAGUE_WORDS = re.compile(r"\b(?:nobody|somebody|someone|anybody|anyone|whoever)\b", re.IGNORECASE)
MACHINE_PATHS = re.compile(r"(?<![\w.$}])/(?:wo" + r"rk|ro" + r"ot|ho" + r"me/[a-z]\w*)/")
HOSTS = ["proxy.golang", "sum.golang", "deb.debian", "security.debian", "snapshot.debian", "pypi",
         "files.pythonhosted", "registry.npmjs", "crates", "repo.maven.apache", "repo1.maven",
         "docker", "quay", "ghcr", "gcr", "registry.k8s"]
# Names of images without a registry mean one that everybody knows; here, and nowhere else, it is said.
DEFAULT_REGISTRY = "src/model/values/image.cpp"
REGISTRY_HOSTS = re.compile(
    r"(?<![\w-])(?:" + "|".join(map(re.escape, HOSTS)) + r")\.(?:org|io|com|dev)(?![\w-])")


def line_rule(name, message, applies, pattern):
    """A rule that forbids a pattern in single lines of the files that `applies` picks."""
    def rule(tree):
        for file in tree.files:
            if file.is_data or not applies(file):
                continue
            for number, line in enumerate(file.lines, 1):
                match = pattern.search(line)
                if match:
                    yield file.path, number, name, message.format(match[0].strip())
    return rule


def columns(tree):
    for file in tree.files:
        if file.is_data or file.is_generated or not (file.is_cpp or file.is_script):
            continue
        limit = MAX_COLUMNS if file.is_cpp else MAX_SCRIPT_COLUMNS
        raw = raw_literal_lines(file.text) if file.is_cpp else ()
        for number, line in enumerate(file.lines, 1):
            if len(line) > limit and number not in raw:
                yield file.path, number, "columns", f"{len(line)} columns, {limit} are allowed"


def raw_literal_lines(text):
    """Lines that hold a raw string literal: its bytes cannot be broken."""
    lines = set()
    for match in re.finditer(r'R"([^()\\\s]{0,16})\(.*?\)\1"', text, re.DOTALL):
        first = text.count("\n", 0, match.start()) + 1
        lines.update(range(first, first + match[0].count("\n") + 1))
    return lines


def plain_words(tree):
    """What users read, and the sentence that names a file, says caller, client, process: not somebody."""
    for file in tree.files:
        if file.is_data or not (file.is_cpp or file.is_script):
            continue
        read_by_users = file.literals if file.is_cpp and file.path.startswith("src/") and not file.is_test else []
        for number, text in [*read_by_users, *filter(None, [file.first_sentence])]:
            match = VAGUE_WORDS.search(text)
            if match:
                yield file.path, number, "plain-words", f"`{match[0]}`: name the user, process or object that is meant"
        match = file.first_sentence and QUESTION_WORDS.match(file.first_sentence[1])
        if match:
            yield (file.path, file.first_sentence[0], "plain-words",
                   f"`{match[0].strip()}`: begin with the noun that names the file")


def may_have_tabs(file):
    return file.name == "Makefile" or file.name.endswith((".go", ".S"))


def names_old_words(file):
    """The page that states the rule has to name the words."""
    return file.path == "CONTRIBUTING.md"


tabs = line_rule("tab", "a tab; indent with spaces", lambda f: not may_have_tabs(f), re.compile("\t"))
leftovers = line_rule("leftover", "`{}`: finish it, or open an issue and leave the words out",
                      lambda f: not names_old_words(f), LEFTOVER_WORDS)
machine_paths = line_rule("machine-path", "`{}` exists on one machine only", lambda f: True,
                          MACHINE_PATHS)
registry_hosts = line_rule("registry-host", "`{}`: take what the machine is set up to use",
                           lambda f: f.path != DEFAULT_REGISTRY, REGISTRY_HOSTS)

RULES = [columns, plain_words, tabs, leftovers, machine_paths, registry_hosts]

"""Rules between rooms: no room copies from another, and only a driver's own folder names it."""
import re
from collections import defaultdict

COPIED_LINES = 12

# Two rooms that may share a run of equal lines, each pair with its reason.
MAY_SHARE = {}


def room_of(file):
    """The room of a source; each driver, its verbs and its model are rooms of their own."""
    match = re.match(r"src/drivers/(\w+)/(?:(verbs|model)/)?", file.path) or re.match(r"src/(\w+)/", file.path)
    return "/".join(part for part in match.groups() if part) if match else None


def counted_lines(file):
    """(number, text) of the lines that count: no blank ones, no includes, no comments."""
    code = file.code
    for number, line in enumerate(file.lines, 1):
        text = line.strip()
        counts = text and code[number - 1].strip()
        if counts and not text.startswith(("#include", "//", "}  //", "namespace", "using ")):
            yield number, text


def copies(tree):
    seen = defaultdict(list)
    for file in tree.files:
        if not file.is_cpp or file.is_data or file.is_generated or not room_of(file):
            continue
        lines = list(counted_lines(file))
        for start in range(len(lines) - COPIED_LINES + 1):
            run = tuple(text for _, text in lines[start:start + COPIED_LINES])
            seen[run].append((file, lines[start][0]))
    told = set()
    for places in seen.values():
        for (first, first_line), (second, second_line) in zip(places, places[1:]):
            rooms = tuple(sorted((room_of(first), room_of(second))))
            pair = (first.path, second.path)
            if rooms[0] == rooms[1] or rooms in MAY_SHARE or pair in told:
                continue
            told.add(pair)
            yield (second.path, second_line, "copy",
                   f"{COPIED_LINES} lines that stand in {first.path}:{first_line} too; move them to a room below both")


def driver_words(tree):
    """For each driver the words that name it: its folder, and the kinds of its door."""
    listed = tree.by_path.get("src/drivers/list.def")
    words = {name: {name} for name in re.findall(r"^HOLDFAST_DRIVER\((\w+)\)", listed.text if listed else "", re.M)}
    for file in tree.files:
        match = re.match(r"src/drivers/(\w+)/", file.path)
        if match and match[1] in words and file.is_door:
            words[match[1]].update(re.findall(r'kKind\{"[^"]*",\s*"[^"]*",\s*"(\w+)"\}', file.text))
    return words


def named_drivers(tree):
    """Product code, build files and tools go through the list of drivers."""
    for driver, words in driver_words(tree).items():
        pattern = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, words))) + r")s?\b", re.IGNORECASE)
        own = (f"src/drivers/{driver}/", "src/drivers/list.def", "src/drivers/README.md", f"tools/stories/{driver}/")
        for file in tree.files:
            if not file.path.startswith(("src/", "cmake/", "CMakeLists.txt", "tools/")) or file.path.startswith(own):
                continue
            for number, line in enumerate(file.lines, 1):
                match = pattern.search(line)
                if match:
                    yield (file.path, number, "driver-name",
                           f"`{match[0]}` names the driver {driver}; only its own folder and tests, and the list, may")


RULES = [copies, named_drivers]

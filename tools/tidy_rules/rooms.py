"""Rules between rooms: no room copies from another, and only a driver's own folder names it."""
import re
from collections import defaultdict
from fnmatch import fnmatch

COPIED_LINES = 12

# Where a driver may have files of its own besides its folder.
OWN_PLACES = ("tests/", "bench/", "fuzz/", "tools/stories/")

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


def places_of(tree, driver):
    """The tests, benchmarks and stories of a driver, as the list `places` of its folder says: (line, glob)."""
    listed = tree.by_path.get(f"src/drivers/{driver}/places")
    lines = listed.lines if listed else []
    return [(number, line.strip()) for number, line in enumerate(lines, 1) if line.strip() and line[0] != "#"]


def may_be_named_in(file):
    """Pages are for people, and deploy/ is what the list of drivers prints."""
    return file.path.startswith(("docs/", "deploy/")) or file.name.endswith(".md") and not file.path.startswith("src/")


def named_drivers(tree):
    """Product code, build files, tools and shared tests go through the list of drivers."""
    for driver, words in driver_words(tree).items():
        pattern = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, words))) + r")s?\b", re.IGNORECASE)
        own = (f"src/drivers/{driver}/", "src/drivers/list.def", "src/drivers/README.md")
        places = places_of(tree, driver)
        for number, place in places:
            if not place.startswith(OWN_PLACES) or not any(fnmatch(path, place) for path in tree.by_path):
                yield (f"src/drivers/{driver}/places", number, "driver-name",
                       f"`{place}`: no file of {', '.join(OWN_PLACES)}")
        for file in tree.files:
            if may_be_named_in(file) or file.path.startswith(own) or any(
                    fnmatch(file.path, place) for _, place in places):
                continue
            for number, line in enumerate([file.path, *file.lines]):
                match = pattern.search(line)
                if match:
                    yield (file.path, max(number, 1), "driver-name", f"`{match[0]}` names the driver {driver}; only "
                           "its own folder, its `places` and the list may")


RULES = [copies, named_drivers]

# SPDX-License-Identifier: Apache-2.0
"""Types of one name in one program.

Two classes of one name in one namespace break the one-definition rule: no compiler sees both, and the linker takes the functions of either for
both. Looked at are types at the outermost level of a namespace that has a name; of each file by its text, a definition a line."""

import re
import subprocess
import sys
from collections import defaultdict
from itertools import combinations
from pathlib import Path

from .checkout import CHECKOUT

NAMESPACE = re.compile(r"(?:inline )?namespace ?([\w:]*) \{")
END = re.compile(r"\}  // namespace")
TYPE = re.compile(r"(?:template <.*> )?(?:struct|class|enum class|union) (?:alignas\(.*?\) )?(\w+)(?: final)?(?: : .*)? \{")
# Parts of all programs; every other folder belongs to one program.
SHARED = ("sc_models/", "tests/support/")


def types(text: str) -> list[tuple[str, int]]:
    """Names and lines."""
    found = []
    namespaces: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := NAMESPACE.match(line):
            namespaces.append(match[1])
        elif END.match(line):
            namespaces.pop()
        elif (match := TYPE.match(line)) and all(namespaces):
            found.append(("::".join([*namespaces, match[1]]), number))
    return found


def are_in_one_program(one: str, other: str) -> bool:
    return one.startswith(SHARED) or other.startswith(SHARED) or Path(one).parent == Path(other).parent


def clashes(texts: dict[str, str]) -> list[str]:
    """A line each, of the files of these names."""
    places = defaultdict(list)
    for name, text in texts.items():
        for type_name, number in types(text):
            places[type_name].append((name, number))
    return [f"{two}:{b}: found a second {type_name}; allowed: one, that of {one}:{a}"
            for type_name, all_places in sorted(places.items())
            for (one, a), (two, b) in combinations(all_places, 2) if are_in_one_program(one, two)]  # fmt: skip


def main() -> None:
    listed = subprocess.run(["git", "ls-files", "-z", "sc_models", "testbenches", "tests"], cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout
    names = [name for name in listed.split("\0") if name.endswith((".cpp", ".h")) and (CHECKOUT / name).is_file()]
    found = clashes({name: (CHECKOUT / name).read_text(encoding="utf-8") for name in names})
    for line in found:
        print(line, file=sys.stderr)
    if found:
        raise SystemExit(1)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Comments by their openers: a comment opens with a noun phrase (its subject) or with a verb.

"Ports of a node: …", "Returns the ports of a node", not "Of a node's ports: …". Refused are
- openers without a subject: by, of, in, as, such, so, those, that, the same, what, where, whether, who, which, whose, and
  from, to or for before which, whose, that, what;
- a sentence of one word ("About.", "Dijkstra's."). A label of one word has no full stop: `// link` above a group of ports;
- adjectives and participles alone ("alike", "sent", "still open").

Spared is a unit note: a comment behind code on its line that gives the unit, the index, the order or the spelling of what the
line declares, with "in", "by" or "as" and a noun ("in flits", "by NPU", "by VC and link: …", "in ascending order", "as typed").
Up to its end or its first punctuation mark it has four words at most. It is no clause, so none of them is a pronoun, a relative,
a demonstrative or a form of "to be" or "to have". After "in" comes no article: "in the window" is a place, not a unit.
Orders and encodings of one word ("ascending", "one-hot", "read-only") are unit notes, too.

Headers of licences, names of closed namespaces, names of unused parameters and orders to linters are no comments. Comments are
counted by kind of file, which is the first folder of its path. Each kind has its limits: the share of refused openers in percent,
and pronouns that stand for a noun ("those", "what is", "others") per 1000 words.
`python3 -m fredsim_tools.comments` prints refused comments as file:line; its exit code is 1 if a
limit is exceeded.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from . import checkout

FOLDERS = ("rtl", "sc_models", "testbenches", "tests", "scripts", "configs", "docs", ".github", "CMakeLists.txt", ".mkdocs.yml", ".pre-commit-config.yaml")
OPENERS = re.compile(
    r"[^\w\s]*\s*((by|of|in|as|such|so|those|that|the same|what|where|whether|who|which|whose)\b(?!-)|(from|to|for)\s+(which|whose|that|what)\b)",
    re.IGNORECASE,
)
UNIT_NOTE = re.compile(r"(in(?!\s+(?:an?|the|several)\b)|by|as)(\s+([^\s:;,.()]+|\([^)]*\))){1,3}\s*([:;,.(]|$)", re.IGNORECASE)
CLAUSE = re.compile(
    r"\b(wh\w+|that|those|these|this|it|its|they|them|their|others?|another|same|is|are|was|has|have|does|how|much|many|usual|on)\b", re.IGNORECASE
)
SENTENCE_OF_ONE_WORD = re.compile(r"\S*\w\S*\.")
ADVERBS = {"also", "and", "but", "else", "likewise", "not", "now", "or", "still", "too", "yet"}
ADJECTIVES = {
    "absent", "alike", "all", "any", "complete", "empty", "equal", "few", "full", "known", "least", "left",
    "local", "many", "missing", "more", "most", "new", "old", "open", "ours", "own", "pending", "plain", "present", "relative", "same",
    "sent", "several", "sticky", "whole",
}  # fmt: skip
PARTICIPLE = re.compile(r"\w{2,}[^e\W]ed")  # not "speed"
UNUSED_PARAMETER = re.compile(r"/\*\w+\*/")
NO_COMMENT = re.compile(r"SPDX-License-Identifier:|namespace\b|NOLINT|IWYU|clang-format |shellcheck |noqa\b|type: ignore|fmt: |verilog_\w+\b")
PRONOUNS = ("those", "what is", "others")


class Limits(NamedTuple):
    """Refused openers in percent of comments, and PRONOUNS per 1000 words."""

    openers: float
    pronouns: tuple[float, float, float]


TARGET = Limits(5.0, (1.0, 1.0, 1.0))
# By kind of file; no limit is above TARGET.
LIMITS = {
    "sc_models": TARGET,
    "rtl": TARGET,
    "testbenches": TARGET,
    "tests": TARGET,
    "scripts": TARGET,
    "configs": TARGET,
    "docs": TARGET,  # files of the gallery
}

# A comment, or a literal that may hold the sign of one. A quote within a number (1'000, 8'h00)
# opens no character.
CPP = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|\d[\w\']*|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)  # fmt: skip
VERILOG = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"', re.DOTALL)
SHELL = re.compile(r"(?:^|(?<=\s))(?P<comment>#(?!!)[^\n]*)", re.MULTILINE)  # CMake and YAML, too
PATTERNS = {".cpp": CPP, ".h": CPP, ".sv": VERILOG, ".svh": VERILOG, ".sh": SHELL, ".cmake": SHELL, ".yaml": SHELL, ".yml": SHELL}


class Comment(NamedTuple):
    line: int
    text: str
    trailing: bool = False


class _Part(NamedTuple):
    """One comment token: its first and last line, its column, and whether code precedes it on its line."""

    line: int
    last: int
    column: int
    trailing: bool
    text: str


def _parts(pattern: re.Pattern[str], text: str) -> Iterator[_Part]:
    for match in pattern.finditer(text):
        comment = match["comment"]
        if comment:
            begin = match.start("comment")
            line = text.count("\n", 0, begin) + 1
            start = text.rfind("\n", 0, begin) + 1
            yield _Part(line, line + comment.count("\n"), begin - start, bool(text[start:begin].strip()), comment)


def _python_parts(text: str) -> Iterator[_Part]:
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            yield _Part(token.start[0], token.end[0], token.start[1], bool(token.line[: token.start[1]].strip()), token.string)


def _docstrings(text: str) -> Iterator[Comment]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and ast.get_docstring(node):
            yield Comment(node.body[0].lineno, ast.get_docstring(node) or "")


def _blocks(parts: Iterator[_Part]) -> Iterator[Comment]:
    """A block of lines is one comment; one behind code goes on in the lines below it that have no code and the same column."""
    line, text, last, column, trailing = 0, "", 0, 0, False
    for part in parts:
        words = part.text.strip("/*#!< \t\n")
        if NO_COMMENT.match(words) or UNUSED_PARAMETER.fullmatch(part.text):
            continue
        if text and part.line == last + 1 and part.column == column and not part.trailing:
            text = f"{text} {words}"
        else:
            if text:
                yield Comment(line, text, trailing)
            line, text, column, trailing = part.line, words, part.column, part.trailing
        last = part.last
    if text:
        yield Comment(line, text, trailing)


def comments(path: Path) -> list[Comment]:
    """All comments of a file of C++, SystemVerilog, Python, CMake, shell or YAML, by its name; a file of another kind has none."""
    if not (path.suffix in PATTERNS or path.suffix == ".py" or path.name == "CMakeLists.txt"):
        return []
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return sorted([*_blocks(_python_parts(text)), *_docstrings(text)])
    return list(_blocks(_parts(PATTERNS.get(path.suffix, SHELL), text)))


def _is_unit_note(comment: Comment) -> bool:
    found = UNIT_NOTE.match(comment.text) if comment.trailing else None
    return found is not None and not CLAUSE.search(found[0])


def _has_no_noun(text: str) -> bool:
    words = text.lower().rstrip(".").split()
    return bool(words) and all(word in ADJECTIVES or word in ADVERBS or PARTICIPLE.fullmatch(word) for word in words)


def is_refused(comment: Comment) -> bool:
    """True for a comment that opens with neither a noun phrase nor a verb."""
    if OPENERS.match(comment.text):
        return not _is_unit_note(comment)
    return SENTENCE_OF_ONE_WORD.fullmatch(comment.text) is not None or _has_no_noun(comment.text)


class Count:
    """Comments of one kind of file."""

    def __init__(self) -> None:
        self.comments = self.refused = self.words = 0
        self.pronouns = [0] * len(PRONOUNS)

    def add(self, comment: Comment) -> None:
        text = " ".join(comment.text.lower().split())
        self.comments += 1
        self.refused += is_refused(comment)
        self.words += len(text.split())
        for k, pronoun in enumerate(PRONOUNS):
            self.pronouns[k] += len(re.findall(rf"\b{pronoun}\b", text))

    def rows(self, limits: Limits) -> Iterator[tuple[str, float, float]]:
        """(name, found, limit)."""
        yield "refused openers, percent", 100 * self.refused / max(1, self.comments), limits.openers
        for pronoun, number, limit in zip(PRONOUNS, self.pronouns, limits.pronouns, strict=True):
            yield f'"{pronoun}" per 1000 words', 1000 * number / max(1, self.words), limit


def _kind(file: Path, root: Path) -> str:
    """The first folder of a file's path, scripts for one at the root."""
    parts = file.resolve().relative_to(root.resolve()).parts
    return parts[0] if len(parts) > 1 else "scripts"


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="fredsim_tools.comments", description="Comments that open with neither a noun phrase nor a verb.")
    parser.add_argument("--root", type=Path, default=checkout.CHECKOUT, help="the checkout (default: %(default)s)")
    parser.add_argument("path", nargs="*", type=Path, help="files and folders in it, without limits (default: all of it, with limits)")
    options = parser.parse_args(words)
    paths = options.path or [options.root / folder for folder in FOLDERS]
    files = sorted({file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()})
    counts: dict[str, Count] = {}
    for file in files:
        for comment in comments(file):
            counts.setdefault(_kind(file, options.root), Count()).add(comment)
            if is_refused(comment):
                print(f"{file}:{comment.line}: {' '.join(comment.text.split())[:100]}")
    exceeded = False
    for kind, count in counts.items():
        print(f"{kind}: {count.comments} comments, {count.words} words", file=sys.stderr)
        for name, found, limit in count.rows(LIMITS.get(kind, TARGET)):
            exceeded = exceeded or found > limit
            print(f"  {name}: found {found:.2f}; allowed: {limit:g} at most", file=sys.stderr)
    return int(exceeded and not options.path)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""Comments without a subject: those that open with What, Of, Where, Whether or Who.

A comment starts with its subject ("Ports of a node: …", not "Of a node's ports: …"). `python3 -m fredsim_tools.comments` prints
the others of the checkout as file:line, and their number; its exit code is 1 if there are more than the limit.
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

FOLDERS = ("rtl", "sc_models", "testbenches", "tests", "scripts", "CMakeLists.txt")
OPENINGS = re.compile(r"[^\w\s]*\s*(what|of|where|whether|who)\b", re.IGNORECASE)
LIMIT = 50

# A comment, or a literal that may hold the sign of one. A quote within a number (1'000, 8'h00) opens no character.
CPP = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)|R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|\d[\w\']*|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)  # fmt: skip
VERILOG = re.compile(r'(?P<comment>//[^\n]*|/\*.*?\*/)|"(?:\\.|[^"\\\n])*"', re.DOTALL)
SHELL = re.compile(r"(?:^|(?<=\s))(?P<comment>#(?!!)[^\n]*)", re.MULTILINE)  # CMake too
PATTERNS = {".cpp": CPP, ".h": CPP, ".sv": VERILOG, ".svh": VERILOG, ".sh": SHELL, ".cmake": SHELL}


class Comment(NamedTuple):
    line: int
    text: str


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
    line, text, last, column = 0, "", 0, 0
    for part in parts:
        words = part.text.strip("/*#!< \t\n")
        if text and part.line == last + 1 and part.column == column and not part.trailing:
            text = f"{text} {words}"
        else:
            if text:
                yield Comment(line, text)
            line, text, column = part.line, words, part.column
        last = part.last
    if text:
        yield Comment(line, text)


def comments(path: Path) -> list[Comment]:
    """All comments of a file of C++, SystemVerilog, Python, CMake or shell, by its name; a file of another kind has none."""
    if not (path.suffix in PATTERNS or path.suffix == ".py" or path.name == "CMakeLists.txt"):
        return []
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return sorted([*_blocks(_python_parts(text)), *_docstrings(text)])
    return list(_blocks(_parts(PATTERNS.get(path.suffix, SHELL), text)))


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="fredsim_tools.comments", description="Comments that do not open with their subject.")
    parser.add_argument("--limit", type=int, default=LIMIT, help="as many are allowed (default: %(default)s)")
    parser.add_argument("path", nargs="*", type=Path, help="files and folders (default: all of the checkout)")
    options = parser.parse_args(words)
    paths = options.path or [checkout.CHECKOUT / folder for folder in FOLDERS]
    files = sorted({file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]) if file.is_file()})
    total = 0
    found: list[str] = []
    for file in files:
        of_file = comments(file)
        total += len(of_file)
        found += [f"{file}:{comment.line}: {comment.text[:100]}" for comment in of_file if OPENINGS.match(comment.text)]
    for line in found:
        print(line)
    print(f"{len(found)} of {total} comments open with What, Of, Where, Whether or Who; allowed: {options.limit}", file=sys.stderr)
    return int(len(found) > options.limit)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0
"""The format of SystemVerilog sources: `python3 -m fredsim_tools.sv_format [--write] [FILE…]`.

Mended by --write; else a difference from it is a finding:
  indentation   two blanks for each block, list of ports or connections, and statement under a condition. A statement that goes on
                in the next line does so behind its opening bracket, or else behind its = or <=; a line that begins with the : of
                a ?: stands under the first ? there.
  blanks        around binary operators, +: and -:, behind commas and keywords; none inside of brackets, in front of commas, behind
                unary operators. Inside of index brackets an operator has blanks on both sides or none, as the author likes.
                Two in front of a comment behind code. No tabs, none at the end of a line, at most one empty line in a row.
  columns       names of declarations on neighbouring lines, except with attributes, and of all ports of a module; comments behind neighbouring lines;
                brackets of connections; statements of the items of a case.
  included      files of parameters or ports stand in their list as its other lines do, and are formatted as a part of one.
  lines         an instance's parameters and connections on one line if they fit, else one connection per line, and one parameter
                per line if these do not fit. begin stands on its statement's line, else behind its end.
Findings that remain: lines of more than 120 columns; names of instances without i_, of ports without _i, _o, _ni or _no, labels of
generate blocks without gen_; parameters without a /// line above; tabs in comments; a file that does not hold one module or package,
of its name (in tests/ it may stand in for another).

A file is only written if the tokens of the text are unchanged, comments included.
"""

import argparse
import difflib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from . import checkout, sv_lexer, sv_syntax
from .sv_lexer import Token
from .sv_syntax import KEYWORDS, OPENING, Declaration, Instance, List, Source

FOLDERS = ("rtl", "testbenches", "tests")
SUFFIXES = (".sv", ".svh")
INDENT = 2
COLUMNS = 120
COMMENT_GAP = 2
PARAMETER = re.compile(r"^\s*(?:parameter|localparam)\b", re.MULTILINE)
PORT = re.compile(r"\w+_n?[io]")
CLOSING = set(OPENING.values())
TIGHT = {"::", ".", "@", "#", "'"}  # without a blank behind them
UNSPACED = {",", ";", ")", "]", "}", "::", "'", "++", "--"}  # without a blank in front of them


class Changed(Exception):
    """The text that would be written has other tokens."""


# ---------------------------------------------------------------- blanks
def blanks(before: Token, token: Token) -> int:
    """Blanks between two tokens of one line, without alignment."""
    if token.kind == "comment":
        return COMMENT_GAP if token.text.startswith("//") else 1
    if before.text.startswith("\\"):  # an escaped name ends with a blank
        return 1
    if "attribute" in (before.kind, token.kind) or before.kind == "comment":
        return int(before.text not in OPENING)
    if token.kind == "operator" and token.text in UNSPACED:
        return 0
    if before.kind == "operator":
        if before.text in OPENING or before.text in TIGHT or "unary" in before.roles:
            return 0
        if "range" in before.roles:
            return 0
    if token.kind == "operator":
        return blanks_before_operator(before, token)
    if "tight" in before.roles:
        return 0
    return int(before.text not in ("++", "--"))


def blanks_before_operator(before: Token, token: Token) -> int:
    text = token.text
    if text == "[":
        return int("dimension" in token.roles or (not sv_syntax.ends_operand(before) and before.text != "[" and "tight" not in before.roles))
    if text == "(":
        if "list" in token.roles or before.text in KEYWORDS:
            return 1
        return int(before.kind == "operator" and before.text not in (")", "]", "}") and "tight" not in before.roles)
    if text in ("{", "'{"):  # a replication's count is in front of its bracket
        return int(not (sv_syntax.ends_operand(before) and "replication" in token.roles) and "tight" not in before.roles)
    if "range" in token.roles:
        return 0
    if text == ":":
        return int("label" not in token.roles or before.text in ("begin", "end") or before.text in sv_syntax.BLOCKS.values())
    if text == ".":
        return int(before.text == ",")
    if "tight" in token.roles or "tight" in before.roles:
        return 0
    return 1


def note_blanks(source: Source) -> None:
    """Operators inside of index brackets without a blank on either side stay so: they are `tight`."""
    code = source.code
    opened: list[Token] = []
    for k, token in enumerate(code):
        if token.kind != "operator":
            continue
        if token.text in OPENING:
            if token.text == "{" and opened and opened[-1].text == "{" and k and sv_syntax.ends_operand(code[k - 1]):
                token.roles.add("replication")
            opened.append(token)
        elif token.text in CLOSING:
            opened.pop()
        elif "index" in token.roles and not token.roles & {"unary", "ternary", "range"} and token.text not in (",", "?", "+:", "-:", "::", ".", "'"):
            if 0 < k < len(code) - 1 and touch(code[k - 1], token) and touch(token, code[k + 1]):
                token.roles.add("tight")


def touch(before: Token, token: Token) -> bool:
    return token.newlines == 0 and before.line == token.line and before.column + len(before.text) == token.column


def width(tokens: Sequence[Token]) -> int:
    """Columns of tokens on one line, without alignment."""
    return sum(len(token.text) + (blanks(tokens[k - 1], token) if k else 0) for k, token in enumerate(tokens))


# ---------------------------------------------------------------- lines
@dataclass
class Layout:
    """A source and where its lines end."""

    tokens: list[Token]
    source: Source
    findings: list[tuple[int, str]] = field(default_factory=list)

    def between(self, first: Token, last: Token) -> list[Token]:
        """With comments."""
        return self.tokens[first.place : last.place + 1]

    def find(self, token: Token, text: str) -> None:
        self.findings.append((token.line, text))


def join_blocks(layout: Layout) -> None:
    for token in layout.source.code:
        if "body" in token.roles and token.newlines:
            if layout.tokens[token.place - 1].is_note():
                layout.find(token, f"found a comment in front of {token.text}; allowed: {token.text} on a line that is begun")
            else:
                token.newlines = 0
    for token, following in zip(layout.tokens, layout.tokens[1:]):
        following.newlines = min(following.newlines, 2)


def place_instances(layout: Layout) -> None:
    for instance in layout.source.instances:
        place_instance(layout, instance)


def place_instance(layout: Layout, instance: Instance) -> None:
    tokens = layout.between(instance.module, instance.end)
    behind = layout.tokens[instance.end.place + 1 : instance.end.place + 2]
    comment = behind if behind and behind[0].kind == "comment" and not behind[0].newlines else []
    indent = INDENT * (instance.module.level or 0)
    if not any(token.is_note() for token in tokens) and indent + width([*tokens, *comment]) <= COLUMNS:
        join(tokens)
        return
    header = layout.between(instance.module, instance.connections.opening)
    if instance.parameters is not None:
        if not any(token.is_note() for token in header) and indent + width(header) <= COLUMNS:
            join(header)
        else:
            place_list(layout, instance.parameters, indent + INDENT)
    place_list(layout, instance.connections, indent + INDENT)


def place_list(layout: Layout, elements: List, indent: int) -> None:
    """One element per line, without breaks if it fits; brackets of named connections in one column."""
    explicit = []
    for element in elements.elements:
        element.first.newlines = max(element.first.newlines, 1)
        name = layout.tokens[element.first.place + 1]
        if element.first.text == "." and layout.tokens[element.first.place + 2].text == "(" and name.place + 1 < element.last.place:
            explicit.append((len(name.text), layout.tokens[element.first.place + 2], element))
    elements.closing.newlines = max(elements.closing.newlines, 1)
    column = max((length for length, _, _ in explicit), default=0)
    for length, bracket, element in explicit:
        bracket.pad = column - length
        tokens = layout.between(element.first, element.last)
        if not any(token.is_note() for token in tokens) and indent + bracket.pad + width(tokens) + len(",") <= COLUMNS:
            join(tokens)


def join(tokens: Sequence[Token]) -> None:
    for token in tokens[1:]:
        token.newlines = 0


# ---------------------------------------------------------------- columns
def align_declarations(layout: Layout) -> None:
    """Names of ports of one module; of declarations whose lines follow each other, but for comments."""
    ports = {id(element.first): unit for unit in layout.source.units if unit.ports for element in unit.ports.elements}
    group: list[Declaration] = []
    owner: object = None
    for declaration in [one for one in layout.source.declarations if one.kind != "constant"]:
        if not declaration.first.starts_line() or declaration.name is declaration.first:
            continue
        unit = ports.get(id(declaration.first))
        if group and (owner is not unit if unit or owner else not follows(layout, group[-1], declaration)):
            align_names(layout, group)
            group = []
        owner = unit
        group.append(declaration)
    align_names(layout, group)


def follows(layout: Layout, before: Declaration, after: Declaration) -> bool:
    between = layout.tokens[before.last.place + 1 : after.first.place + 1]
    together = all(token.newlines < 2 for token in between) and all(token.kind == "comment" for token in between[:-1])
    return together and before.first.level == after.first.level


def align_names(layout: Layout, group: Sequence[Declaration]) -> None:
    """Directions take a column of their own: `input  logic`."""
    directions = [declaration.first for declaration in group if declaration.first.text in ("input", "output", "inout")]
    for direction in directions:
        layout.tokens[direction.place + 1].pad = max(len(other.text) for other in directions) - len(direction.text)
    widths = []
    for declaration in group:
        tokens = layout.between(declaration.first, layout.tokens[declaration.name.place - 1])
        if any(token.is_note() or token.newlines for token in tokens[1:]):
            return
        widths.append(width(tokens) + sum(token.pad for token in tokens))
    for declaration, used in zip(group, widths):
        declaration.name.pad = max(widths) - used


def align_items(layout: Layout) -> None:
    """Statements of a case statement's items whose lines follow each other."""
    group: list[tuple[int, Token]] = []
    last = None
    for colon, body in layout.source.items:
        start = next(k for k in range(colon.place, -1, -1) if layout.tokens[k].starts_line())
        if body.newlines or body.text == "begin":
            continue
        if last is not None and not (start == last.place + 1 and layout.tokens[start].newlines == 1):
            pad_to_one_column(group)
            group = []
        group.append((width(layout.tokens[start : colon.place + 1]), body))
        last = next(token for token in layout.tokens[body.place :] if token.text == ";")
        while last.place + 1 < len(layout.tokens) and layout.tokens[last.place + 1].kind == "comment" and not layout.tokens[last.place + 1].newlines:
            last = layout.tokens[last.place + 1]
    pad_to_one_column(group)


def pad_to_one_column(group: Sequence[tuple[int, Token]]) -> None:
    for used, token in group:
        token.pad = max(other for other, _ in group) - used


# ---------------------------------------------------------------- text
@dataclass
class _Bracket:
    closes_at: int  # column of a closing bracket that begins a line
    content: int  # column of what begins a line inside
    asked: int | None = None  # column of the first ?


@dataclass
class _Line:
    text: str
    comment: Token | None = None  # behind the code, or alone in the column of the one above
    first: Token | None = None


class _Writer:
    """Writes the tokens line by line; keeps the open brackets and the column at which a statement goes on."""

    def __init__(self, layout: Layout) -> None:
        self.tokens = layout.tokens
        self.declared = {id(one.first) for one in layout.source.declarations if one.kind != "constant"}
        self.lines: list[_Line] = []
        self.brackets: list[_Bracket] = []
        self.indent = 0  # current line
        self.statement = 0  # indentation of the current statement
        self.goes_on = 0  # column of its next lines, outside of brackets
        self.outside = _Bracket(0, 0)  # stands for a bracket

    def write(self) -> str:
        for k, token in enumerate(self.tokens):
            before = self.tokens[k - 1] if k else None
            if before is None or token.newlines:
                if token.newlines > 1 and self.lines:
                    self.lines.append(_Line(""))
                self.begin_line(token, before)
            elif token.kind == "comment" and token.text.startswith("//"):
                self.lines[-1].comment = token
                continue
            else:
                self.lines[-1].text += " " * (blanks(before, token) + token.pad)
            self.note(token)
            self.lines[-1].text += token.text
        self.align_comments()
        return "".join(f"{line.text}\n" for line in self.lines)

    def column(self) -> int:
        return len(self.lines[-1].text)

    def begin_line(self, token: Token, before: Token | None) -> None:
        if token.kind == "comment" and before is not None and self.continues_comment(token):
            self.lines.append(_Line(" " * self.indent, token, token))
            return
        self.indent = self.indentation(token)
        self.lines.append(_Line(" " * self.indent, None, token))

    def continues_comment(self, token: Token) -> bool:
        """A comment in the column of the one above, which is behind code."""
        above = self.lines[-1].comment
        return above is not None and token.newlines == 1 and above.column == token.column and token.text.startswith("//")

    def indentation(self, token: Token) -> int:
        if token.kind == "directive" and not (self.brackets and token.text.startswith("`include")):
            return 0
        if self.brackets and token.level is None:
            bracket = self.brackets[-1]
            if token.text in CLOSING and token.kind == "operator":
                return bracket.closes_at
            return bracket.asked if token.text == ":" and bracket.asked is not None else bracket.content
        if token.is_note():
            following = next((one for one in self.tokens[token.place :] if not one.is_note()), None)
            if following is None:
                return 0
            if following.level is None:
                return self.goes_on if not self.brackets else self.brackets[-1].content
            return INDENT * (following.level + int("close" in following.roles))
        if token.level is not None:
            return INDENT * token.level
        if "body" in token.roles:  # behind a comment
            return self.statement
        return self.outside.asked if token.text == ":" and self.outside.asked is not None else self.goes_on

    def note(self, token: Token) -> None:
        """Keeps account of a token that is about to be written at the current column."""
        column = self.column()
        if token.level is not None or "start" in token.roles:
            self.statement = self.indent
            self.goes_on = self.statement + 2 * INDENT
            self.outside.asked = None
        if "name" in token.roles and not self.brackets:
            self.goes_on = column
        if token.kind != "operator":
            return
        following = self.tokens[token.place + 1] if token.place + 1 < len(self.tokens) else None
        around = self.brackets[-1] if self.brackets else self.outside
        if token.text in OPENING:
            last = following is None or following.newlines > 0 or (following.kind == "comment" and following.text.startswith("//"))
            self.brackets.append(_Bracket(self.indent, self.indent + INDENT) if last else _Bracket(column, column + len(token.text)))
        elif token.text in CLOSING:
            self.brackets.pop()
        elif token.text == "?" and around.asked is None:
            around.asked = column
        elif token.text == ",":
            around.asked = None
        elif "assign" in token.roles and not self.brackets and following is not None and not following.newlines:
            self.goes_on = column + len(token.text) + 1

    def align_comments(self) -> None:
        """Aligns comments of neighbouring lines, of declarations or of other code; declarations without a comment do not end a group."""
        group: list[_Line] = []
        declares = False  # the group
        for line in [*self.lines, _Line("")]:
            continues = line.comment is not None and line.comment is line.first
            same = continues or declares == (id(line.first) in self.declared)
            if not same or (line.comment is None and not declares):
                place_comments(group)
                group = []
            if line.comment is not None:
                declares = declares if continues else id(line.first) in self.declared
                group.append(line)


def place_comments(group: Sequence[_Line]) -> None:
    """Comments behind neighbouring lines: in one column, the last one at which all fit whose code ends before it; all other comments close to their code."""
    lines = [line for line in group if line.comment is not line.first]
    places = {id(line): len(line.text) + COMMENT_GAP for line in lines}
    longest = {id(line): 0 for line in lines}
    above = None
    for line in group:  # a comment of several lines moves as one
        above = line if line.comment is not line.first else above
        if above is not None and line.comment is not None:
            longest[id(above)] = max(longest[id(above)], len(line.comment.text))
    fitting = [column for column in places.values()
               if all(column + longest[id(line)] <= COLUMNS for line in lines if places[id(line)] <= column)]  # fmt: skip
    column = max(fitting, default=0)
    place = 0
    for line in group:
        if line.comment is None:
            continue
        code = ""
        if line.comment is not line.first:
            code = line.text
            place = max(column, places[id(line)])
        line.text = f"{code:{place}}{line.comment.text}"


# ---------------------------------------------------------------- rules
def check_names(layout: Layout, name: str | None) -> None:
    units = layout.source.units
    if name is not None and [unit.name.text for unit in units] != [name]:
        found = ", ".join(unit.name.text for unit in units) or "none"
        layout.findings.append((units[0].name.line if units else 1, f"found the modules {found}; allowed: one, {name}"))
    for instance in layout.source.instances:
        if not instance.name.text.startswith("i_"):
            layout.find(instance.name, f"found the instance {instance.name.text}; allowed: i_*")
    for block in layout.source.generated:
        if block.label is None or not block.label.text.startswith("gen_"):
            layout.find(block.begin, f"found the generate block {block.label.text if block.label else 'without a label'}; allowed: gen_*")
    for unit in units:
        for element in unit.ports.elements if unit.ports else []:
            declared = next(one for one in layout.source.declarations if one.first is element.first)
            if not PORT.fullmatch(declared.name.text):
                layout.find(declared.name, f"found the port {declared.name.text}; allowed: *_i, *_o, *_ni, *_no")
        for element in unit.parameters.elements if unit.parameters else []:
            above = layout.tokens[element.first.place - 1]
            if not (above.kind == "comment" and above.text.startswith("///") and above.newlines):
                layout.find(element.first, "found a parameter without a /// line above")


def check_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > COLUMNS and len(line.split()) > 2:  # a long name and what ends its line are left
            yield number, f"found {len(line)} columns; allowed: {COLUMNS}"
        if "\t" in line:
            yield number, "found a tab"


def formatted(text: str, name: str | None = None) -> tuple[str, list[tuple[int, str]]]:
    """A text as it should be, and findings that remain in it: lines and what they are. name: of the module it holds, none: any.
    Raises Unreadable, Changed."""
    tokens = sv_lexer.tokens(text)
    wanted = sv_lexer.stream(tokens)
    layout = Layout(tokens, sv_syntax.read(tokens))
    note_blanks(layout.source)
    join_blocks(layout)
    place_instances(layout)
    align_declarations(layout)
    align_items(layout)
    check_names(layout, name)
    better = _Writer(layout).write()
    if sv_lexer.stream(sv_lexer.tokens(better)) != wanted:
        raise Changed("the tokens would change: a mistake of sv_format")
    return better, sorted([*layout.findings, *check_lines(better)])


def formatted_part(text: str) -> tuple[str, list[tuple[int, str]]]:
    """Layout of a file that modules include: comments on top, then parameters or ports of a list."""
    top = re.match(r"(?://[^\n]*\n)*", text)
    head = top[0] if top else ""
    before, behind = ("module part #(\n", ") ();\nendmodule\n") if PARAMETER.search(text) else ("module part (\n", ");\nendmodule\n")
    better, findings = formatted(before + text.removeprefix(head) + behind)
    lines = head.count("\n") - before.count("\n")
    return head + better.removeprefix(before).removesuffix(behind), [(line + lines, finding) for line, finding in findings]


def differences(path: Path, text: str, better: str) -> Iterator[str]:
    for line in difflib.unified_diff(text.splitlines(), better.splitlines(), str(path), f"{path}, formatted", n=0, lineterm=""):
        yield line


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="fredsim_tools.sv_format", description="Format of SystemVerilog sources.")
    parser.add_argument("--write", action="store_true", help="mend the files")
    parser.add_argument("path", nargs="*", type=Path, help="files and folders (default: all of the checkout)")
    options = parser.parse_args(words)
    paths = options.path or [checkout.CHECKOUT / folder for folder in FOLDERS]
    files = sorted({file for path in paths for file in ((one for one in path.rglob("*.sv*") if one.suffix in SUFFIXES) if path.is_dir() else [path])})
    wrong = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        try:
            if file.suffix == ".svh":
                better, findings = formatted_part(text)
            else:
                better, findings = formatted(text, None if file.resolve().is_relative_to(checkout.CHECKOUT / "tests") else file.stem)
        except (sv_lexer.Unreadable, Changed) as error:
            print(f"{file}:{error}")  # begins with its line, where there is one
            wrong += 1
            continue
        for line, finding in findings:
            print(f"{file}:{line}: {finding}")
        wrong += bool(findings) or (better != text and not options.write)
        if better != text and options.write:
            file.write_text(better, encoding="utf-8")
        elif better != text:
            print("\n".join(differences(file, text, better)))
    if wrong:
        print(f"{wrong} of {len(files)} files have another format; sv_format --write mends what it can", file=sys.stderr)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

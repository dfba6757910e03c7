# SPDX-License-Identifier: Apache-2.0
"""Tokens of SystemVerilog, with comments and line ends, as sv_format needs them.

Not a preprocessor: a line that begins with a backquote is one token. An attribute (* … *) is one token too.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

# Ordered: the first match is taken, longer operators before their prefixes.
KINDS = {
    "comment": r"//[^\n]*|/\*.*?\*/",
    "directive": r"^[ \t]*`[^\n]*",
    "attribute": r"\(\*(?!\s*\)).*?\*\)",
    "string": r'"(?:\\.|[^"\\\n])*"',
    "number": r"(?:\d[\d_]*)?'[sS]?[bodhBODH]\s*[0-9a-fA-F_xXzZ?]+|'[01xXzZ](?!\w)|\d[\d_]*(?:\.\d+)?\w*",
    "word": r"[$\\]?[A-Za-z_][\w$]*",
    "operator": r"<<<=|>>>=|===|!==|==\?|!=\?|<<<|>>>|<<=|>>=|\|->|\|=>|\*\*|\+\+|--|\+:|-:|::|&&|\|\||==|!=|<=|>=|<<|>>|~\^|\^~|~&|~\||"
    r"\+=|-=|\*=|/=|%=|&=|\|=|\^=|->|'\{|[-+*/%&|^~!<>=?:;,.()\[\]{}#@']",
}
ESCAPED = r"\\\S+"  # an escaped name ends at a blank
TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in {"escaped": ESCAPED, **KINDS}.items()), re.DOTALL | re.MULTILINE)
BLANKS = re.compile(r"[ \t\r\f]*(?:\n[ \t\r\f]*)*")


class Unreadable(Exception):
    """A character that begins no token, or brackets that do not match; says the line."""


@dataclass(eq=False)
class Token:
    """kind: a key of KINDS, an escaped name is a word. line and column: of the source, from 1 and from 0. newlines: line ends
    in front of it, which a formatter changes. The rest is for what reads tokens: its place in their list, and what it stands for (sv_syntax)."""

    kind: str
    text: str
    line: int
    column: int
    newlines: int
    place: int = 0
    roles: set[str] = field(default_factory=set)
    level: int | None = None  # nesting; None: inside a statement
    pad: int = 0  # blanks in front of it, beyond the usual ones

    def starts_line(self) -> bool:
        return self.newlines > 0

    def is_note(self) -> bool:
        """No part of the language's grammar."""
        return self.kind in ("comment", "directive")


def tokens(text: str) -> list[Token]:
    """All of a source. Comments have no blanks at the ends of their lines."""
    found: list[Token] = []
    place = 0
    line = 1
    while True:
        gap = BLANKS.match(text, place)
        assert gap is not None
        # A directive is found by the start of its line.
        start = text.rfind("\n", 0, gap.end()) + 1
        newlines = gap[0].count("\n") if found else 1
        line += gap[0].count("\n")
        place = gap.end()
        if place == len(text):
            return found
        match = TOKEN.match(text, start if text[place] == "`" and start >= gap.start() else place)
        if match is None or match.end() <= place:
            raise Unreadable(f"{line}: found {text[place]!r}; allowed: SystemVerilog")
        kind = match.lastgroup or ""
        word = text[place : match.end()]
        shown = "\n".join(part.rstrip() for part in word.split("\n"))
        if word.lstrip().startswith("`include"):  # it may stand in a list
            shown = shown.lstrip()
        found.append(Token("word" if kind == "escaped" else kind, shown, line, place - start, newlines, len(found)))
        line += word.count("\n")
        place = match.end()


def stream(found: Sequence[Token]) -> list[tuple[str, str]]:
    """Kinds and texts: what a formatter has to keep. Lines of a longer comment may be indented otherwise."""
    return [(token.kind, "\n".join(line.strip() for line in token.text.splitlines())) for token in found]

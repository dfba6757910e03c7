# SPDX-License-Identifier: Apache-2.0
"""Sites of mutants in C++: conditions, results of functions, assigned values, statements that may be missing.

Reads tokens, no grammar: relies on clang-format, which has blanks around binary operators. What is no site after all does not compile with its mutants,
which are then left out (campaign).
"""

import re
from dataclasses import dataclass

from .site import Site, one_line

TOKEN = re.compile(
    r"(?P<note>//[^\n]*|/\*.*?\*/|^[ \t]*#(?:\\\n|[^\n])*)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+')"
    r"|(?P<number>\d[\w.']*)|(?P<word>[A-Za-z_]\w*)"
    r"|(?P<operator><<=|>>=|<=>|->|\+\+|--|::|&&|\|\||==|!=|<=|>=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|>>|\S)",
    re.DOTALL | re.MULTILINE,
)
SWAPS = {"==": ("relational", "!="), "!=": ("relational", "=="), "<": ("relational", "<="), "<=": ("relational", "<"),
         ">": ("relational", ">="), ">=": ("relational", ">"), "&&": ("logical", "||"), "||": ("logical", "&&"),
         "&": ("bit", "|"), "|": ("bit", "&"), "^": ("bit", "|"), "+": ("arithmetic", "-"), "-": ("arithmetic", "+")}  # fmt: skip
OPENING = {"(": ")", "[": "]", "{": "}"}
ASSIGNMENTS = {"=", "+=", "-=", "|=", "^="}
# Statements with one of these words have no sites.
LEFT_OUT = {"constexpr", "consteval", "static", "using", "typedef", "enum", "template", "operator", "static_assert", "assert", "default", "delete",
            "virtual", "namespace", "struct", "class", "friend", "throw"}  # fmt: skip
CONTROL = {"if", "for", "while", "switch", "else", "do", "return", "case", "break", "continue", "sizeof", "catch"}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int


def sites(text: str) -> list[Site]:
    return _Finder(text).run()


class _Finder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.code = [_Token(match.lastgroup or "", match[0], match.start(), match.end()) for match in TOKEN.finditer(text) if match.lastgroup != "note"]
        self.partner: dict[int, int] = {}
        self.inside: list[str] = []  # bracket around a token
        opened: list[int] = []
        for k, token in enumerate(self.code):
            if token.kind == "operator" and token.text in OPENING.values() and opened:
                start = opened.pop()
                self.partner[start], self.partner[k] = k, start
            self.inside.append(self.code[opened[-1]].text if opened else "")
            if token.kind == "operator" and token.text in OPENING:
                opened.append(k)
        self.found: list[Site] = []

    def run(self) -> list[Site]:
        for k, token in enumerate(self.code):
            if token.text in ("if", "while") and self.code[k + 1].text == "(":
                self.condition(k + 2, self.partner[k + 1] - 1, stuck=token.text == "if")
            elif token.text == "for" and self.code[k + 1].text == "(":
                self.loop(k + 1)
            elif token.text == "return" and self.code[k + 1].text != ";":
                last = self.last_of(k + 1)
                if last:
                    self.expression(k + 1, last)
            elif token.text in ASSIGNMENTS and token.kind == "operator":
                self.assignment(k)
            elif self.starts_statement(k):
                self.call(k)
        return self.found

    # ------------------------------------------------------------------ statements
    def starts_statement(self, k: int) -> bool:
        before = self.code[k - 1] if k else None
        if before is None or self.inside[k] != "{":
            return False
        if before.text == ")":
            return self.code[self.partner[k - 1] - 1].text in ("if", "for", "while")
        return before.text in (";", "{", "}", "else", "do")

    def last_of(self, k: int) -> int:
        """Last token of an expression that ends with a semicolon, or with the comma or brace behind a designated initialiser; 0 if another
        brace comes first."""
        while self.code[k].text not in (";", ",", "}"):
            if self.code[k].text == "{":
                return 0
            k = self.partner[k] if self.code[k].text in OPENING else k
            k += 1
        return k - 1

    def loop(self, opening: int) -> None:
        first = opening
        while self.code[first].text != ";":
            first = self.partner[first] + 1 if self.code[first].text in OPENING and first != opening else first + 1
            if first >= self.partner[opening]:
                return  # over a range
        last = first + 1
        while self.code[last].text != ";":
            last += 1
        if last > first + 1:
            self.expression(first + 1, last - 1)

    def assignment(self, k: int) -> None:
        if self.inside[k] != "{":
            return
        first = k - 1
        while first >= 0 and self.code[first].text not in (";", "{", "}", "else", "do", ",", ":", "?"):
            if self.code[first].text == ")" and self.code[self.partner[first] - 1].text in ("if", "for", "while"):
                break
            first = self.partner[first] - 1 if self.code[first].text in OPENING.values() else first - 1
        first += 1
        words = [token.text for token in self.code[first:k]]
        if not words or LEFT_OUT.intersection(words):
            return
        last = self.last_of(k + 1)
        if not last or last < k + 1 or (self.code[last + 1].text != ";" and words[0] != "."):
            return
        self.expression(k + 1, last)
        declares = any(a.kind == "word" and b.kind == "word" for a, b in zip(self.code[first : k - 1], self.code[first + 1 : k], strict=True))
        whole = self.text[self.code[first].start : self.code[k - 1].end]
        if words[0] == "." or declares or words[0] in ("*", "auto", "const", "std") or "&" in words or "<" in words:
            return
        self.add("drop", k + 1, last, whole if self.code[k].text == "=" else "0")

    def call(self, k: int) -> None:
        """A call, or ++ and --, whose result nobody uses."""
        last = k
        while self.code[last].text not in (";", "{", "}") and last + 1 < len(self.code):
            last = self.partner[last] + 1 if self.code[last].text in ("(", "[") else last + 1
        span = self.code[k:last]
        words = {token.text for token in span}
        if self.code[last].text != ";" or not span or words & (LEFT_OUT | CONTROL | ASSIGNMENTS | {"{"}):
            return
        adjacent = any(a.kind == "word" and b.kind == "word" for a, b in zip(span, span[1:], strict=False))
        if span[0].text in ("++", "--") or (span[0].kind == "word" and span[-1].text == ")" and not adjacent and "<" not in words):
            start, end = span[0].start, span[-1].end
            line = self.text.count("\n", 0, start) + 1
            self.found.append(Site("drop", start, end, line, one_line(self.text[start:end]), "(void)0", "(void)"))

    # ------------------------------------------------------------------ expressions
    def add(self, operator: str, first: int, last: int, mutated: str) -> None:
        start, end = self.code[first].start, self.code[last].end
        line = self.text.count("\n", 0, start) + 1
        self.found.append(Site(operator, start, end, line, one_line(self.text[start:end]), one_line(mutated)))

    def condition(self, first: int, last: int, stuck: bool) -> None:
        if last < first or any(token.text in (";", "=", "{") for token in self.code[first : last + 1]):
            return
        whole = self.text[self.code[first].start : self.code[last].end]
        for mutated in (*(("true", "false") if stuck else ()), *(() if last == first + 1 else (f"!({whole})",))):
            self.add("condition", first, last, mutated)
        self.expression(first, last)

    def expression(self, first: int, last: int) -> None:
        span = self.code[first : last + 1]
        if any(token.text in ("{", "=") for token in span) or LEFT_OUT.intersection(token.text for token in span):
            return
        start, end = span[0].start, span[-1].end
        for token in span:
            operator, other = self.swap(token)
            if operator:
                self.add(operator, first, last, self.text[start : token.start] + other + self.text[token.end : end])

    def swap(self, token: _Token) -> tuple[str, str]:
        spaced = self.text[token.start - 1] in " \n" and self.text[token.end] in " \n"
        if token.text in SWAPS and token.kind == "operator":
            return SWAPS[token.text] if spaced else ("", "")
        if token.text == "!":
            return "logical", " "
        if token.text in ("true", "false"):
            return "constant", "false" if token.text == "true" else "true"
        number = re.fullmatch(r"(\d+)(U?)", token.text)
        return ("constant", f"{int(number[1]) + 1}{number[2]}") if number else ("", "")

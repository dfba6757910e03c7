# SPDX-License-Identifier: Apache-2.0
"""Sites of mutants in SystemVerilog: what continuous assignments, always_ff, always_comb and functions of a module assign and ask for, and what
inputs of instances have.

Left out: packages and elaboration-time code (parameters, generate conditions, loops), assertions and cover points, which are tests themselves.
"""

from ..sv_lexer import Token, tokens
from ..sv_syntax import ASSERTIONS, CASES, OPENING, ends_operand
from .site import Site, one_line

SWAPS = {"==": ("relational", "!="), "!=": ("relational", "=="), "<": ("relational", "<="), "<=": ("relational", "<"),
         ">": ("relational", ">="), ">=": ("relational", ">"), "&&": ("logical", "||"), "||": ("logical", "&&"),
         "&": ("bit", "|"), "|": ("bit", "&"), "^": ("bit", "|"), "+": ("arithmetic", "-"), "-": ("arithmetic", "+"),
         "<<": ("arithmetic", ">>"), ">>": ("arithmetic", "<<")}  # fmt: skip
CONSTANTS = {"1'b0": "1'b1", "1'b1": "1'b0", "'0": "'1", "'1": "'0"}
CHECKS = {"assertions", "covers"}  # names of processes
RANGES = {":", "+:", "-:"}


def sites(text: str) -> list[Site]:
    return _Finder(text).run()


class _Finder:
    def __init__(self, text: str) -> None:
        self.text = text
        self.code = [token for token in tokens(text) if not token.is_note()]
        self.lines = [0]
        for line in text.split("\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.partner: dict[int, int] = {}
        opened: list[int] = []
        for k, token in enumerate(self.code):
            if token.kind == "operator" and token.text in OPENING:
                opened.append(k)
            elif token.kind == "operator" and token.text in OPENING.values():
                self.partner[opened.pop()] = k
        self.found: list[Site] = []
        self.sequential = False

    def run(self) -> list[Site]:
        k = 0
        while k < len(self.code):
            word = self.code[k].text
            if word == "package":
                k = self.behind(k, "endpackage")
            elif word in ("always_ff", "always_comb"):
                self.sequential = word == "always_ff"
                k = self.statement(self.partner[k + 2] + 1 if self.sequential else k + 1)
            elif word == "assign":
                self.sequential = False
                k = self.simple(k + 1)
            elif word == "." and self.code[k + 1].text.endswith("_i") and self.code[k + 2].text == "(":
                self.sequential = False
                k = self.connection(k + 2)
            elif word == "function":
                self.sequential = False
                k = self.behind(k, ";")
                while self.code[k].text != "endfunction":
                    k = self.statement(k)
            else:
                k += 1
        return self.found

    # ------------------------------------------------------------------ places
    def start(self, k: int) -> int:
        return self.lines[self.code[k].line - 1] + self.code[k].column

    def end(self, k: int) -> int:
        return self.start(k) + len(self.code[k].text)

    def behind(self, k: int, word: str) -> int:
        while self.code[k].text != word:
            k = self.partner.get(k, k) + 1
        return k + 1

    # ------------------------------------------------------------------ statements; each returns the place behind it
    def statement(self, k: int) -> int:
        word = self.code[k].text
        if word in ("unique", "unique0", "priority"):
            return self.statement(k + 1)
        if word == "begin":
            return self.block(k)
        if word == "if":
            self.condition(k + 2, self.partner[k + 1] - 1)
            k = self.statement(self.partner[k + 1] + 1)
            return self.statement(k + 1) if self.code[k].text == "else" else k
        if word == "for":
            return self.statement(self.partner[k + 1] + 1)
        if word in CASES:
            return self.case(self.partner[k + 1] + 1)
        if self.code[k].kind == "word" and self.code[k + 1].text == ":":
            return self.statement(k + 2)
        if word in ASSERTIONS:
            return self.behind(k, ";")
        return self.simple(k)

    def block(self, k: int) -> int:
        name = self.code[k + 2].text if self.code[k + 1].text == ":" else ""
        k += 3 if name else 1
        kept = len(self.found)
        while self.code[k].text != "end":
            k = self.statement(k)
        if name in CHECKS:
            del self.found[kept:]
        return k + 1

    def case(self, k: int) -> int:
        while self.code[k].text != "endcase":
            while self.code[k].text not in (":", "default"):
                k = self.partner.get(k, k) + 1
            k += 2 if self.code[k].text == "default" and self.code[k + 1].text == ":" else 1
            k = self.statement(k)
        return k + 1

    def simple(self, k: int) -> int:
        """An assignment, or a declaration, which has none."""
        first = k
        assigned = 0
        while self.code[k].text != ";":
            if self.code[k].text in ("=", "<=") and not assigned:
                assigned = k
            k = self.partner.get(k, k) + 1
        if assigned and not self.code[first].text.startswith("unused") and self.code[first].text not in ("localparam", "int"):
            self.expression(assigned + 1, k - 1)
            if self.sequential and self.code[first].kind == "word":
                self.add("drop", assigned + 1, k - 1, self.text[self.start(first) : self.end(assigned - 1)])
        return k + 1

    def connection(self, opening: int) -> int:
        """The expression at an input of an instance."""
        first, last = opening + 1, self.partner[opening] - 1
        if first <= last and self.code[first].text not in ("clk_i", "rst_ni"):
            self.add("connection", first, last, "'0")
            self.expression(first, last)
        return last + 2

    # ------------------------------------------------------------------ expressions
    def add(self, operator: str, first: int, last: int, mutated: str) -> None:
        start, end = self.start(first), self.end(last)
        original = self.text[start:end]
        if "'{" not in original:
            self.found.append(Site(operator, start, end, self.code[first].line, one_line(original), one_line(mutated)))

    def replaced(self, first: int, last: int, at: int, text: str) -> str:
        return self.text[self.start(first) : self.start(at)] + text + self.text[self.end(at) : self.end(last)]

    def condition(self, first: int, last: int) -> None:
        whole = self.text[self.start(first) : self.end(last)]
        for mutated in ("1'b1", "1'b0", *(() if last == first + 1 else (f"!({whole})",))):
            self.add("condition", first, last, mutated)
        self.expression(first, last)

    def expression(self, first: int, last: int) -> None:
        for k in range(first, last + 1):
            if self.is_constant(first, k):
                continue
            token, before = self.code[k], self.code[k - 1]
            if token.kind == "number":
                self.number(first, last, k)
            elif token.text == "?" and self.depth(first, k) == 0:
                asked = self.text[self.start(first) : self.end(k - 1)]
                self.add("condition", first, last, f"!({asked}){self.text[self.end(k - 1) : self.end(last)]}")
            elif token.text in ("!", "~"):
                self.add("logical" if token.text == "!" else "bit", first, last, self.replaced(first, last, k, " "))
            elif token.text in SWAPS and (token.text in "&|^" or ends_operand(before)) and not (token.text == "^" and not ends_operand(before)):
                operator, other = SWAPS[token.text]
                self.add(operator, first, last, self.replaced(first, last, k, other))

    def number(self, first: int, last: int, k: int) -> None:
        token: Token = self.code[k]
        if self.code[k + 1].text == "'" or (self.code[k - 1].text == "{" and self.code[k + 1].text == "{"):
            return  # width, repetition
        other = CONSTANTS.get(token.text) or (str(int(token.text) + 1) if token.text.isdecimal() else "")
        if other:
            self.add("constant", first, last, self.replaced(first, last, k, other))

    def depth(self, first: int, k: int) -> int:
        return sum(1 for opening, closing in self.partner.items() if first <= opening < k < closing)

    def is_constant(self, first: int, k: int) -> bool:
        """Bounds of a range or its width, in brackets."""
        for opening, closing in self.partner.items():
            if first <= opening < k < closing and self.code[opening].text == "[":
                at = opening + 1
                while at < closing and self.code[at].text not in RANGES:
                    at = self.partner.get(at, at) + 1
                if at < closing and (self.code[at].text == ":" or k > at) and not self.asks(opening, at):
                    return True
        return False

    def asks(self, opening: int, at: int) -> bool:
        """The colon at this place is that of ?:."""
        return any(self.code[k].text == "?" for k in range(opening, at))

# SPDX-License-Identifier: Apache-2.0
"""The structure of a SystemVerilog source, as far as its layout needs it: nesting of statements, declarations, ports, instances.

Reads the tokens of sv_lexer and notes in them where statements start (level), and what a token is (roles):

    start      first token of a statement that may share a line with the one it belongs to: `if (x) y <= z;`
    close      end, endmodule, …
    body       begin, or an else, which belong on a line that is begun already
    unary      an operator in front of its operand
    ternary, range, label    a colon: of ?:, inside of index brackets, behind a name or at a case item
    index      inside of index brackets
    dimension  [ of a declaration, which has a blank in front
    list       ( of a module's or an instance's list, which has a blank in front
    name       first name of a declaration
    assign     = or <= of a statement
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .sv_lexer import Token, Unreadable

OPENING = {"(": ")", "[": "]", "{": "}", "'{": "}"}
BLOCKS = {"module": "endmodule", "package": "endpackage", "function": "endfunction", "task": "endtask", "generate": "endgenerate",
          "interface": "endinterface", "class": "endclass"}  # fmt: skip
CASES = {"case", "casez", "casex"}
CONDITIONS = {"if", "for", "while", "repeat", "foreach", "wait"}
PROCESSES = {"always", "always_comb", "always_ff", "always_latch", "initial", "final"}
ASSERTIONS = {"assert", "assume", "cover", "restrict"}
TYPES = {"logic", "bit", "reg", "wire", "int", "integer", "byte", "shortint", "longint", "time", "real", "string", "genvar", "signed", "unsigned",
         "packed", "var", "enum", "automatic"}  # fmt: skip
QUALIFIERS = {"localparam", "parameter", "const", "automatic", "static", "var", "input", "output", "inout"}
# Behind one of these words an operator is unary, and a bracket opens no list of arguments.
KEYWORDS = {*BLOCKS, *BLOCKS.values(), *CASES, *CONDITIONS, *PROCESSES, *ASSERTIONS, *TYPES, *QUALIFIERS, "endcase", "begin", "end", "else", "default",
            "assign", "posedge", "negedge", "or", "and", "inside", "property", "disable", "iff", "typedef", "struct", "union", "return", "do"}  # fmt: skip
UNARY = {"+", "-", "!", "~", "&", "|", "^", "~&", "~|", "~^", "^~"}
ASSIGNMENTS = {"=", "<=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "<<<=", ">>>="}


@dataclass(eq=False)
class Element:
    """One of a list: its first and last token, without the comma."""

    first: Token
    last: Token


@dataclass(eq=False)
class List:
    opening: Token
    closing: Token
    elements: list[Element]


@dataclass(eq=False)
class Instance:
    module: Token
    parameters: List | None
    name: Token
    connections: List
    end: Token  # semicolon


@dataclass(eq=False)
class Unit:
    """A module or package."""

    keyword: Token
    name: Token
    parameters: List | None = None
    ports: List | None = None


@dataclass(eq=False)
class Declaration:
    """A statement, a member of a struct or a port: its first token, and its first name. kind: net, port or constant."""

    kind: str
    first: Token
    name: Token
    last: Token


@dataclass(eq=False)
class Block:
    """A begin of a generate construct."""

    begin: Token
    label: Token | None


@dataclass
class Source:
    """notes: what a reader of the tokens gets beside them."""

    code: list[Token]
    units: list[Unit] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    generated: list[Block] = field(default_factory=list)
    items: list[tuple[Token, Token]] = field(default_factory=list)  # case items: colon, first token behind it


def read(tokens: Sequence[Token]) -> Source:
    """Notes in the tokens what they are, and returns what they make up. Raises Unreadable."""
    source = Source([token for token in tokens if not token.is_note()])
    _Parser(source).run()
    return source


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.code = source.code
        self.at = 0
        self.partner = self._partners()
        self._note_operators()

    def _partners(self) -> dict[int, int]:
        partner: dict[int, int] = {}
        opened: list[int] = []
        for k, token in enumerate(self.code):
            if token.kind != "operator":
                continue
            if token.text in OPENING:
                opened.append(k)
            elif token.text in OPENING.values():
                if not opened or OPENING[self.code[opened[-1]].text] != token.text:
                    raise Unreadable(f"{token.line}: found {token.text} without its partner")
                partner[opened[-1]] = k
                partner[k] = opened.pop()
        if opened:
            raise Unreadable(f"{self.code[opened[-1]].line}: found {self.code[opened[-1]].text} without its partner")
        return partner

    def _note_operators(self) -> None:
        """Roles that follow from the neighbours and the brackets around: unary, index, ternary, range."""
        brackets: list[tuple[bool, int]] = [(False, 0)]  # index brackets, or inside of some; number of ? without their colon
        before: Token | None = None
        for token in self.code:
            inside, asked = brackets[-1]
            if inside:
                token.roles.add("index")
            if token.kind == "operator":
                if token.text in UNARY and not ends_operand(before):
                    token.roles.add("unary")
                if token.text in OPENING:
                    brackets.append((inside or token.text == "[", 0))
                elif token.text in OPENING.values():
                    brackets.pop()
                elif token.text == "?":
                    brackets[-1] = inside, asked + 1
                elif token.text == ":" and asked:
                    token.roles.add("ternary")
                    brackets[-1] = inside, asked - 1
                elif token.text == ":":
                    token.roles.add("range" if inside else "label")
                elif token.text == ";":
                    brackets[-1] = inside, 0
            before = token

    # ------------------------------------------------------------------ tokens
    def peek(self, ahead: int = 0) -> str:
        """Text of a token from here on; empty behind the last one, and for strings."""
        k = self.at + ahead
        return self.code[k].text if k < len(self.code) and self.code[k].kind != "string" else ""

    def take(self, text: str = "") -> Token:
        if self.at >= len(self.code) or (text and self.code[self.at].text != text):
            place = self.code[min(self.at, len(self.code) - 1)]
            raise Unreadable(f"{place.line}: found {place.text!r}; allowed: {text or 'more'}")
        self.at += 1
        return self.code[self.at - 1]

    def take_brackets(self) -> tuple[int, int]:
        """From the bracket here to its partner; their places."""
        opening = self.at
        if opening not in self.partner or self.peek() not in OPENING:
            raise Unreadable(f"{self.code[min(opening, len(self.code) - 1)].line}: found {self.peek()!r}; allowed: a bracket")
        self.at = self.partner[opening] + 1
        return opening, self.partner[opening]

    def take_to_semicolon(self) -> Token:
        while self.peek() != ";":
            if self.peek() in OPENING:
                self.take_brackets()
            else:
                self.take()
        return self.take(";")

    # ------------------------------------------------------------------ statements
    def run(self) -> None:
        while self.at < len(self.code):
            self.statement(0)

    def statements(self, level: int, end: str, generate: bool) -> None:
        while self.peek() != end:
            self.statement(level, generate)
        self.close(level - 1)

    def close(self, level: int) -> None:
        token = self.take()
        token.level = level
        token.roles.add("close")
        if self.peek() == ":":
            self.take()
            self.take()

    def statement(self, level: int, generate: bool = False, inline: bool = False) -> None:
        """One statement or item at this level of nesting. generate: not in a process or function; inline: its line is begun."""
        first = self.code[self.at] if self.at < len(self.code) else self.take()
        if not inline or first.starts_line():
            first.level = level
        first.roles.add("start")
        while self.at < len(self.code) and self.code[self.at].kind == "attribute":
            self.take()
        while self.peek() in ("unique", "unique0", "priority"):
            self.take()
        word = self.peek()
        if word == "begin":
            self.block(level, generate)
        elif word in BLOCKS:
            self.unit(level)
        elif word in CASES:
            self.case(level)
        elif word == "if":
            self.condition(level, generate)
        elif word in CONDITIONS:
            self.take()
            self.take_brackets()
            self.body(level, generate)
        elif word in PROCESSES:
            self.process(level)
        elif self.peek(1) == ":" and self.code[self.at].kind == "word":
            self.take()
            self.take(":")
            self.statement(level, generate, inline=True)
        elif word == "typedef":
            self.typedef(level)
        elif (instance := self.instance()) is not None:
            self.source.instances.append(instance)
        elif self.declares():
            self.declaration("constant" if word in ("localparam", "parameter") else "net")
        else:
            self.simple()

    def simple(self) -> None:
        """An assignment, an assertion, a call of a task."""
        assigned = False
        while self.peek() != ";":
            if self.peek() in OPENING:
                self.take_brackets()
                continue
            token = self.take()
            if token.text in ASSIGNMENTS and not assigned:
                token.roles.add("assign")
                assigned = True
        self.take(";")

    def body(self, level: int, generate: bool) -> None:
        """Statement of a condition, a loop or a process: a block on the same line, or a statement there or on a line of its own."""
        if self.peek() == "begin":
            self.code[self.at].roles.add("body")
            self.block(level, generate)
        elif self.at < len(self.code) and self.code[self.at].starts_line():
            self.statement(level + 1, generate)
        else:
            self.statement(level, generate, inline=True)

    def block(self, level: int, generate: bool) -> None:
        begin = self.take("begin")
        label = None
        if self.peek() == ":":
            self.take()
            label = self.take()
        if generate:
            self.source.generated.append(Block(begin, label))
        self.statements(level + 1, "end", generate)

    def condition(self, level: int, generate: bool) -> None:
        self.take("if")
        self.take_brackets()
        self.body(level, generate)
        if self.peek() != "else":
            return
        token = self.take("else")
        if self.code[self.at - 2].text == "end":
            token.roles.add("body")
        else:
            token.level = level
        if self.peek() == "if" and not self.code[self.at].starts_line():
            self.statement(level, generate, inline=True)
        else:
            self.body(level, generate)

    def process(self, level: int) -> None:
        self.take()
        if self.peek() == "@":
            self.take()
            if self.peek() == "(":
                self.take_brackets()
            else:
                self.take()
        self.body(level, generate=False)

    def case(self, level: int) -> None:
        self.take()
        self.take_brackets()
        if self.peek() == "inside":
            self.take()
        while self.peek() != "endcase":
            self.code[self.at].level = level + 1
            self.code[self.at].roles.add("start")
            while self.peek() != ":":
                if self.peek() in OPENING:
                    self.take_brackets()
                else:
                    self.take()
            colon = self.take(":")
            if self.at < len(self.code):
                self.source.items.append((colon, self.code[self.at]))
            self.body(level + 1, generate=False)
        self.close(level)

    def unit(self, level: int) -> None:
        keyword = self.take()
        if keyword.text in ("module", "package", "interface"):
            unit = Unit(keyword, self.take())
            self.source.units.append(unit)
            if self.peek() == "#":
                self.take()
                unit.parameters = self.list()
                for element in unit.parameters.elements:
                    self.note_dimensions(element.first, element.last)
            if self.peek() == "(":
                unit.ports = self.list()
                for element in unit.ports.elements:
                    self.port(element)
        elif keyword.text != "generate":
            first = self.code[self.at]
            while self.peek() not in ("(", ";"):
                if self.peek() == "[":
                    self.take_brackets()
                else:
                    self.take()
            self.note_dimensions(first, self.code[self.at - 1])
            if self.peek() == "(":
                opening, closing = self.take_brackets()
                if closing > opening + 1:
                    self.note_dimensions(self.code[opening + 1], self.code[closing - 1])
        if keyword.text != "generate":
            self.take(";")
        self.statements(level + 1, BLOCKS[keyword.text], generate=keyword.text in ("module", "interface", "generate"))

    def typedef(self, level: int) -> None:
        """Members of a struct are declarations, one level further in."""
        self.take("typedef")
        kind = self.peek()
        first = self.code[self.at]
        while self.peek() not in (";", "{"):
            self.take()
        if self.peek() == "{" and kind in ("struct", "union"):
            self.take("{")
            while self.peek() != "}":
                self.code[self.at].level = level + 1
                self.code[self.at].roles.add("start")
                self.declaration("net")
            self.code[self.at].level = level
            self.code[self.at].roles.add("close")
        else:
            self.note_dimensions(first, self.code[self.at - 1])
        self.take_to_semicolon()

    # ------------------------------------------------------------------ lists
    def list(self) -> List:
        """Elements in brackets, separated by commas."""
        self.code[self.at].roles.add("list")
        opening, closing = self.take_brackets()
        return List(self.code[opening], self.code[closing], list(self.elements(opening + 1, closing)))

    def elements(self, begin: int, end: int) -> Iterator[Element]:
        first = begin
        k = begin
        while k < end:
            if self.code[k].text in OPENING and self.code[k].kind == "operator":
                k = self.partner[k]
            elif self.code[k].text == ",":
                if k > first:
                    yield Element(self.code[first], self.code[k - 1])
                first = k + 1
            k += 1
        if end > first:
            yield Element(self.code[first], self.code[end - 1])

    def instance(self) -> Instance | None:
        """NAME #(…) NAME (…); or nothing, without taking any token."""
        start = self.at
        found = None
        if self.code[start].kind == "word" and self.peek() not in KEYWORDS and not self.peek().startswith("$"):
            module = self.take()
            parameters = None
            if self.peek() == "#" and self.peek(1) == "(":
                self.take("#")
                parameters = self.list()
            if self.at + 1 < len(self.code) and self.code[self.at].kind == "word" and self.peek(1) == "(":
                name = self.take()
                found = Instance(module, parameters, name, self.list(), self.take(";"))
        if found is None:
            self.at = start
        return found

    # ------------------------------------------------------------------ declarations
    def declares(self) -> bool:
        """A type, and a name behind it."""
        word = self.peek()
        if word in QUALIFIERS or word in TYPES:
            return True
        k = self.at
        if self.code[k].kind != "word" or word in KEYWORDS:
            return False
        k += 1
        while k + 1 < len(self.code) and self.code[k].text == "::":
            k += 2
        while k < len(self.code) and self.code[k].text == "[":
            k = self.partner[k] + 1
        return k + 1 < len(self.code) and self.code[k].kind == "word" and self.code[k].text not in KEYWORDS and self.code[k + 1].text in (";", ",", "=", "[")

    def declaration(self, kind: str) -> None:
        begin = self.at
        last = self.take_to_semicolon()
        end = self.at - 1
        name = self.note_dimensions(self.code[begin], self.code[end - 1])
        self.source.declarations.append(Declaration(kind, self.code[begin], name, last))
        equals = next((token for token in self.code[begin:end] if token.text == "="), None)
        if equals is not None:
            equals.roles.add("assign")

    def port(self, element: Element) -> None:
        name = self.note_dimensions(element.first, element.last)
        self.source.declarations.append(Declaration("port", element.first, name, element.last))

    def _place(self, token: Token) -> int:
        low, high = 0, len(self.code)
        while low < high:
            middle = (low + high) // 2
            if self.code[middle].place < token.place:
                low = middle + 1
            else:
                high = middle
        return low

    def note_dimensions(self, first: Token, last: Token) -> Token:
        """Brackets between a type and a name, or behind a name, up to an = of its own; returns the first name."""
        k, end = self._place(first), self._place(last) + 1
        name: Token | None = None
        before: Token | None = None
        value = False
        while k < end:
            token = self.code[k]
            if token.text == "[" and not value:
                if before is not None and before.kind == "word":
                    token.roles.add("dimension")
                k = self.partner[k]
                token = self.code[k]
            elif token.text in OPENING:
                k = self.partner[k]
            elif token.text == "=":
                value = True
            elif token.text == ",":
                value = False
            elif token.kind == "word" and name is None and not value:
                follows = k + 1
                while follows < end and self.code[follows].text == "[":
                    follows = self.partner[follows] + 1
                if follows >= end or (self.code[follows].kind != "word" and self.code[follows].text not in ("::", "{")):
                    name = token
            before = token
            k += 1
        if name is None:
            raise Unreadable(f"{first.line}: found {first.text!r}; allowed: a declaration with a name")
        name.roles.add("name")
        return name


def ends_operand(token: Token | None) -> bool:
    """Behind it an operator has two operands."""
    if token is None:
        return False
    if token.kind in ("number", "string"):
        return True
    if token.kind == "word":
        return token.text not in KEYWORDS
    return token.text in (")", "]", "}", "++", "--")

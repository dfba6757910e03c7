# SPDX-License-Identifier: Apache-2.0
"""The RTL as text: which modules there are, what each one is built of, and with which parameters."""

import re
from pathlib import Path

from .. import rtl
from ..kinds import load
from .clock_gates import GATE


class Sources:
    """The modules of all file lists below a checkout: modules of the kinds, and cells around switches, in rtl/common. A list's last
    file is its top; lists in it belong to another top.

    parts: modules that are synthesised on their own and put together afterwards; all other modules are flattened into the module that uses them.
    deep, line, wires: as the kinds have them."""

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        self.kinds = list(load(checkout).values())
        self.parts = {module for kind in self.kinds for module in kind.parts}
        self.deep = {module for kind in self.kinds for module in kind.deep}
        self.line = {module for kind in self.kinds for module in kind.line}
        self.wires = {module for kind in self.kinds for module in kind.wires}
        beside = sorted(str(path.relative_to(checkout)) for path in checkout.glob("rtl/common/*.f"))
        self.lists = list(dict.fromkeys([*(name for kind in self.kinds for name in kind.files), *beside]))
        self.files: dict[str, Path] = {}  # name of a module or package -> file, relative to the checkout
        for name in self.lists:
            for path in rtl.listed(self.checkout / name):
                self.files[path.stem] = path.relative_to(self.checkout.resolve())
        self._texts: dict[str, str] = {}

    def modules(self) -> list[str]:
        return sorted(name for name in self.files if not name.endswith("_pkg"))

    def tops(self) -> list[str]:
        return [Path(name).stem for name in self.lists]

    def text(self, name: str) -> str:
        """Text of a module with its included files."""
        if name not in self._texts:
            self._texts[name] = rtl.text_of(self.checkout / self.files[name])
        return self._texts[name]

    def code(self, name: str) -> str:
        """The text without comments."""
        return re.sub(r"//[^\n]*|/\*.*?\*/", "", self.text(name), flags=re.DOTALL)

    def pins(self, name: str) -> str:
        """Its parameters and ports, as text without comments."""
        return re.findall(r"\bmodule\b.*?^\);", self.code(name), re.MULTILINE | re.DOTALL)[0]

    def parameters(self, name: str) -> list[str]:
        """Parameters that may be set, in order."""
        return re.findall(r"^\s*parameter\s+[\w\s\[\]:-]*?(\w+)\s*=", self.code(name), re.MULTILINE)

    def below(self, name: str) -> list[str]:
        """Everything that a module is elaborated from, in order of reading."""
        packages, boxes, modules = self.needed(name)
        return list(dict.fromkeys([*packages, *(inner for box in boxes for inner in self.below(box)), *modules]))

    def needed(self, name: str) -> tuple[list[str], list[str], list[str]]:
        """Files that a module is elaborated from, in order of reading: (packages, parts used as black boxes, modules)."""
        packages: list[str] = []
        boxes: list[str] = []
        modules: list[str] = []

        def add(item: str, to: list[str]) -> None:
            if item in packages + boxes + modules:
                return
            used = [word for word in dict.fromkeys(re.findall(r"\b\w+\b", self.code(item)))
                    if word in self.files and word != item]  # fmt: skip
            for word in used:
                if word.endswith("_pkg"):
                    add(word, packages)
                elif to is modules:
                    add(word, boxes if word in self.parts or word == GATE else modules)
            to.append(item)

        add(name, modules)
        return packages, boxes, modules

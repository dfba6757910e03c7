# SPDX-License-Identifier: Apache-2.0
"""The page of RTL modules, docs/reference/rtl_modules.md: contract and parameters of each, from the comments in rtl/.

A contract is the comment on top of a file. Its first paragraph says what the module is; a line that is not indented begins an item, indented ones continue it.
Parameters have `///` lines above them.
"""

import argparse
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import checkout, licences
from .rtl import text_of

FOLDERS = {
    "common": "Cells and whatever every switch shares",
    "phased": "Shared by all switches with phases",
    "fred": "FRED switch",
    "reducing_crossbar": "Reducing crossbar",
    "aggregator": "Aggregator",
    "voq_crossbar": "VOQ crossbar",
    "mesh": "Mesh router",
    "mesh_reducing": "Reducing mesh router",
}
PARAMETER = re.compile(r"\s*(parameter|localparam)\s+(?:[\w:]+\s+)*?(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*(.*?),?\s*(?://.*)?$")


@dataclass
class Module:
    name: str
    summary: str
    items: list[str]
    parameters: list[tuple[str, str, str]]  # name, default, meaning; the default of a derived one is empty


def paragraphs(comment: Sequence[str]) -> tuple[str, list[str]]:
    """The summary, and the items after it."""
    summary: list[str] = []
    items: list[list[str]] = []
    ended = False
    for line in comment:
        text = line.strip()
        if not text:
            ended = True
        elif not ended:
            summary.append(text)
        elif not line.startswith(" ") or not items:
            items.append([text])
        else:
            items[-1].append(text)
    return " ".join(summary), [" ".join(item) for item in items]


def parameters(header: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    meaning: list[str] = []
    for line in header:
        if line.strip().startswith("///"):
            meaning.append(line.strip()[3:].strip())
        elif found := PARAMETER.match(line):
            yield found[2], found[3] if found[1] == "parameter" else "", " ".join(meaning)
            meaning = []


def read(file: Path) -> Module:
    lines = [line for line in text_of(file).splitlines() if licences.IDENTIFIER not in line]
    begin = next(k for k, line in enumerate(lines) if not line.startswith("//"))
    summary, items = paragraphs([line.removeprefix("//").removeprefix(" ") for line in lines[:begin]])
    if not summary:
        raise SystemExit(f"{file}: no contract on top")
    end = next((k for k in range(begin, len(lines)) if lines[k].startswith(")")), begin)  # end of the list of parameters, or of ports
    is_module = lines[begin].startswith("module")
    return Module(file.stem, summary, items, list(parameters(lines[begin:end])) if is_module else [])


def escaped(text: str) -> str:
    """Letters that mean something in Markdown; code in `backquotes` stays."""
    words = re.sub(r"(?<!\w)_|_(?!\w)|[\\*\[\]]", r"\\\g<0>", text)
    return words.replace("<", "&lt;").replace("|", "&#124;")


def section(module: Module) -> Iterator[str]:
    yield f"### {module.name}\n"
    yield f"{escaped(module.summary)}\n"
    if module.items:
        yield "\n".join(f"- {escaped(item)}" for item in module.items) + "\n"
    if module.parameters:
        rows = [f"| `{name}` | {f'`{default}`' if default else 'derived'} | {escaped(meaning.removesuffix(', derived'))} |" for name, default, meaning in module.parameters]
        yield "\n".join(["| parameter | default | meaning |", "|---|---|---|", *rows]) + "\n"


def page(rtl: Path) -> str:
    unknown = sorted({file.parent.name for file in rtl.glob("*/*.sv")}.difference(FOLDERS))
    if unknown:
        raise SystemExit(f"rtl/{unknown[0]}: no title in FOLDERS of rtl_modules.py")
    parts = ["# RTL modules\n", "Made from the contracts and parameters in `rtl/`; `scripts/reference.sh` renews it. The ports of a switch are in "
             "[Your own switch](../user/own_switch.md).\n"]  # fmt: skip
    for folder, title in FOLDERS.items():
        modules = [read(file) for file in sorted((rtl / folder).glob("*.sv"))]
        parts.append(f"## {title}\n")
        parts.append(f"`rtl/{folder}/`: {', '.join(f'[{module.name}](#{module.name})' for module in modules)}.\n")
        for module in modules:
            parts += section(module)
    return "\n".join(parts)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce modules", description=(__doc__ or "").splitlines()[0])
    parser.parse_args(words)
    print(page(checkout.CHECKOUT / "rtl"), end="")
    return 0

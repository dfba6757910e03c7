# SPDX-License-Identifier: Apache-2.0
"""The page of C++ libraries, docs/reference/libraries.md: the headers that are installed, with the first sentence of each contract and what they declare.

Headers in a folder `detail` belong to their library alone; they are not installed and not on the page."""

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from . import checkout, licences
from .rtl import text_of
from .rtl_modules import escaped

ROW = re.compile(r"\| `(\w+)` \| (.*) \|$")
TYPE = re.compile(r"(?:class|struct|enum class|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)(?:\s+final)?\s*(?::[^:]|\{|$)")
ALIAS = re.compile(r"using\s+(\w+)\s*=")
CONSTANT = re.compile(r"(?:inline\s+)?(?:constexpr|const)\s[^(=]*?\b(k\w+)\s*(?:\[[^\]]*\])?\s*[={]")
FUNCTION = re.compile(r"[A-Za-z_][\w:<>,&* \[\]]*?[\s&*>]\b(\w+)\(")
MAX_NAMES = 12  # shown per header
NO_FUNCTION = ("namespace", "template", "using", "typedef", "static_assert", "requires", "friend", "return", "extern template", "class ", "struct ", "enum ")


def contract(lines: Sequence[str]) -> list[str]:
    """The comment on top of a header without its licence."""
    top: list[str] = []
    for line in lines:
        if not line.startswith("//"):
            break
        if licences.IDENTIFIER not in line:
            top.append(line[2:].rstrip())
    return top


def first_sentence(comment: Sequence[str]) -> str:
    """Up to a full stop before a blank, or the whole first paragraph; a colon before a list ends it, too."""
    words: list[str] = []
    for line in comment:
        if not line.strip() or (words and line.startswith("   ")):
            break
        words.append(line.strip())
    text = " ".join(words)
    end = re.search(r"(?<!e\.g)(?<!i\.e)\.(?= [A-Z`])", text)
    return (text[: end.start()] if end else text).rstrip(".:")


def declared(lines: Sequence[str]) -> list[str]:
    """Names of the namespace `fredsim` in their order; what stands at the beginning of a line is one."""
    names: list[str] = []
    for line in lines:
        if line.startswith(NO_FUNCTION[3:]) and not (match := TYPE.match(line)):
            continue
        match = TYPE.match(line) or ALIAS.match(line) or CONSTANT.match(line)
        if not match and not line.startswith(NO_FUNCTION):
            match = FUNCTION.match(line)
        if match and match[1] not in names and match[1] != "operator":
            names.append(match[1])
    return names


def headers(folder: Path) -> list[Path]:
    """Those that package.cmake installs."""
    if folder.name == "cli":
        listed = re.search(r"set\(cli_headers (.*?)\)", text_of(folder.parent / "package.cmake"))
        return [folder / name for name in (listed[1].split() if listed else ())]
    return sorted(file for file in folder.rglob("*.h") if "detail" not in file.relative_to(folder).parts[:-1])


def library(sources: Path, name: str, meaning: str) -> Iterator[str]:
    files = headers(sources / name)
    if not files:  # as python
        return
    yield f"## {name}\n"
    yield re.sub(r"\]\(\.\./docs/", "](../", meaning[0].upper() + meaning[1:]) + ".\n"
    rows = ["| header | what it is | declares |", "|---|---|---|"]
    for file in files:
        lines = text_of(file).splitlines()
        sentence = first_sentence(contract(lines))
        if not sentence:
            raise SystemExit(f"{file}: no contract on top")
        names = declared(lines)
        shown = ", ".join(f"`{one}`" for one in names[:MAX_NAMES]) + (f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else "")
        rows.append(f"| `{file.relative_to(sources).as_posix()}` | {escaped(sentence)} | {shown} |")
    yield "\n".join(rows) + "\n"


def page(sources: Path) -> str:
    table = [match for line in text_of(sources / "README.md").splitlines() if (match := ROW.match(line))]
    parts = ["# C++ libraries\n",
             "The headers that an installation has, by library: what each is, as its contract begins, and what it declares. Units, timing and errors are in the contract, "
             "on top of the header. A library includes only those above it. Link `fredsim::fredsim`, which is all of them, or one by its name with `fredsim_` before it "
             "([Your own NPU](../user/testbench.md)). Which headers stay as they are is in [Versions](../developer/versions.md). Made from `sc_models/`; `scripts/reference.sh` renews it.\n"]  # fmt: skip
    for match in table:
        parts += library(sources, match[1], match[2])
    return "\n".join(parts)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="scripts/reproduce libraries", description=(__doc__ or "").splitlines()[0])
    parser.parse_args(words)
    print(page(checkout.CHECKOUT / "sc_models"), end="")
    return 0

# SPDX-License-Identifier: Apache-2.0
"""Renews the gallery: outputs of the commands on the pages of docs/gallery, and their pictures.

A command is an indented line that begins with build/, carried on by backslashes at its ends; the indented block after it is the beginning of what it prints, as many paragraphs as stand there.
"""

import argparse
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import checkout
from .runs import Runs

FOLDER = Path("docs/gallery")
COMMAND = "    build/"


def paragraphs(lines: Sequence[str]) -> list[list[str]]:
    """Lines between empty ones."""
    found: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]


def printed_by(runs: Runs, command: str) -> list[str]:
    """Lines on standard output on a terminal of 80 columns, in a folder like the top of the checkout."""
    print("==", command, file=runs.announced, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for part in ("configs", "docs"):
            Path(folder, part).symlink_to(checkout.CHECKOUT / part)
        Path(folder, "build").mkdir()
        Path(folder, "build/fredsim").symlink_to(Path(runs.program).resolve())
        done = subprocess.run(["bash", "-c", command], cwd=folder, env={**os.environ, "COLUMNS": "80"}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        runs.fail(f"{command}: exit code {done.returncode}")
    return done.stdout.splitlines()


def renewed(runs: Runs, page: str) -> str:
    """The text of a page, with what its commands print now."""
    lines = page.splitlines()
    text: list[str] = []
    while lines:
        line = lines.pop(0)
        text.append(line)
        if not line.startswith(COMMAND):
            continue
        command = line.strip()
        while command.endswith("\\"):
            text.append(lines.pop(0))
            command = command.removesuffix("\\") + text[-1].strip()
        rest = 0  # lines of the block
        while rest < len(lines) and (lines[rest].startswith("    ") or not lines[rest].strip()) and not lines[rest].startswith(COMMAND):
            rest += 1
        shown, lines = lines[:rest], lines[rest:]
        own = paragraphs(printed_by(runs, command))[: len(paragraphs(shown))]
        text += ["", *(part for lines_of in own for part in (*(f"    {word}".rstrip() for word in lines_of), ""))]
    return "".join(f"{line}\n" for line in text)


def main(words: Sequence[str]) -> int:
    checkout.enter()
    names = sorted(page.stem for page in FOLDER.glob("*.md"))
    parser = argparse.ArgumentParser(prog="scripts/reproduce gallery", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="PAGE", help=f"{', '.join(names)} (default: all)")
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if something would change")
    parser.add_argument("--pictures", action="store_true", help="of the pictures alone")
    parser.add_argument("--program", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    unknown = [name for name in options.names if name not in names]
    if unknown:
        parser.error(f"page '{unknown[0]}' found, allowed: {', '.join(names)}")
    program = checkout.programs({"fredsim": options.program}, "gallery.sh", ["python3-matplotlib"])["fredsim"]
    from .pictures import gallery  # needs matplotlib
    from .pictures.picture import Picture

    runs = Runs("gallery", program)
    changed = []
    with tempfile.TemporaryDirectory() as name:
        for page in options.names or names:
            new = {}
            if not options.pictures:
                new[FOLDER / f"{page}.md"] = renewed(runs, (FOLDER / f"{page}.md").read_text(encoding="utf-8"))
            getattr(gallery, page)(Picture(runs, Path(name) / page, faulty=""))
            new[FOLDER / f"pictures/{page}.svg"] = (Path(name) / f"{page}.svg").read_text(encoding="utf-8")
            for file, text in new.items():
                if file.exists() and file.read_text(encoding="utf-8") == text:
                    continue
                changed.append(file)
                if not options.check:
                    file.write_text(text, encoding="utf-8")
    print("\n".join(f"{'differs' if options.check else 'renewed'}: {file}" for file in changed) or "nothing changes")
    return 1 if options.check and changed else 0

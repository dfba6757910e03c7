#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the links of all pages, without a network and without MkDocs.

  links_test.py CHECKOUT

A relative link or picture leads to a file, its #anchor to a heading there, by the rules of GitHub and of MkDocs alike. Pages of docs/ link to pages of docs/
alone, since the site has no others, and every one of them is in the navigation of .mkdocs.yml, which names no others. Pictures are on a page, small, and drawn by
`scripts/reproduce pictures` or `flow_error`. Exit code 0, or 1 and what is wrong.
"""

import os
import re
import sys
import unicodedata
from pathlib import Path

LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")
PICTURE_BYTES = 150_000
FOLDERS = ["configs", "docs", "rtl", "sc_models", "scripts", "testbenches", "tests"]


def prose(text):
    """Without code: fenced and indented blocks, and `words`, whose length stays."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        lines.append("" if fenced or line.startswith("    ") else re.sub(r"`[^`]*`", lambda code: "x" * len(code[0]), line))
    return "\n".join(lines)


def anchors(text):
    """Anchors of headings, as GitHub and as MkDocs have them."""
    found = set()
    for line in text.splitlines():
        if heading := re.match(r"#{1,6} (.*)", line):
            words = re.sub(r"[`*]", "", heading[1]).strip().lower()
            github = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            ascii_words = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
            mkdocs = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_words).strip())
            if github == mkdocs:
                found.add(github)
    return found


def wrong_links(checkout, page):
    text = prose((checkout / page).read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = os.path.normpath(page.parent / path) if path else str(page)
        if not (checkout / target).is_file():
            yield f"{page}: {link}: no such file"
        elif page.parts[0] == "docs" and not target.startswith("docs/"):
            yield f"{page}: {link}: outside of docs/, which the site does not have"
        elif anchor and anchor not in anchors((checkout / target).read_text(encoding="utf-8")):
            yield f"{page}: {link}: no such heading"


def wrong_navigation(checkout, pages):
    named = re.findall(r"[\w/]+\.md", (checkout / ".mkdocs.yml").read_text(encoding="utf-8"))
    there = {str(page.relative_to("docs")) for page in pages if page.parts[0] == "docs"}
    yield from (f".mkdocs.yml: {name}: no such page" for name in named if name not in there)
    yield from (f".mkdocs.yml: no {name}" for name in sorted(there.difference(named)))


def wrong_pictures(checkout, pages):
    text = "".join((checkout / page).read_text(encoding="utf-8") for page in pages)
    sys.path.insert(0, str(checkout / "scripts"))
    from fredsim_tools import beside_booksim, flow_error  # no matplotlib needed
    from fredsim_tools.pictures.command import PLACES

    drawn = {f"docs/{folder}/{name}.svg" for name, (folder, _) in PLACES.items()} | {str(beside_booksim.PICTURE), str(flow_error.PICTURE)}
    there = {str(picture.relative_to(checkout)) for picture in (checkout / "docs").rglob("*.svg")}
    yield from (f"{picture}: drawn by no script" for picture in sorted(there - drawn))
    yield from (f"{picture}: not there; scripts/reproduce pictures" for picture in sorted(drawn - there))
    for picture in sorted((checkout / "docs").rglob("*.svg")):
        if f"/{picture.name})" not in text:
            yield f"{picture.relative_to(checkout)}: on no page"
        if picture.stat().st_size > PICTURE_BYTES:
            yield f"{picture.relative_to(checkout)}: more than {PICTURE_BYTES} bytes"


def main():
    checkout = Path(sys.argv[1])
    files = [*checkout.glob("*.md"), *(file for folder in FOLDERS for file in (checkout / folder).rglob("*.md"))]
    pages = sorted(file.relative_to(checkout) for file in files)
    wrong = [what for page in pages for what in wrong_links(checkout, page)]
    wrong += [*wrong_navigation(checkout, pages), *wrong_pictures(checkout, pages)]
    print("\n".join(wrong) or f"the links of {len(pages)} pages")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())

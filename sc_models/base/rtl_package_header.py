#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the C++ header of a SystemVerilog package, and its constants as JSON: rtl_package_header.py PACKAGE XML WRITTEN_IN HEADER JSON

XML is Verilator's --xml-only output of the package and of a module `probe` (rtl_packages.cmake), whose constants are
the values of the package's functions by size. WRITTEN_IN: the package's file, to be named in the header.
"""
import itertools
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

PORTS = range(2, 33)
MIDDLE = range(2, 5)
ADDER_STAGES = range(1, 3)


def constants(element):
    """Name -> value of the constants declared in a package or module, in their order."""
    found = {}
    for var in element.findall("var[@localparam='true']"):
        text = var.find("const").get("name")
        number = re.fullmatch(r"(\d+)'s?h([0-9a-f]+)", text)
        if number is None or int(number[1]) > 32:
            sys.exit(f"{var.get('name')}: found {text}; allowed: a number of at most 32 bits")
        found[var.get("name")] = int(number[2], 16)
    return found


def function(name, values):
    """A constexpr function of a switch's size. Its values are named name_p2 …, name_m2 …, name_p2m2 … or name_p2a1 …"""
    sizes = [("ports", "p", PORTS), ("middle", "m", MIDDLE), ("adder_stages", "a", ADDER_STAGES)]
    own = next(re.match(f"{name}_((?:[pma][0-9]+)+)$", key)[1] for key in values if re.match(f"{name}_[pma][0-9]", key))
    used = [size for size in sizes if size[1] in own]
    table = [str(values[f"{name}_{''.join(of_one)}"])
             for of_one in itertools.product(*([f"{letter}{value}" for value in allowed] for _, letter, allowed in used))]
    index = ""
    for word, _, allowed in used:
        index = f"{f'({index}) * {len(allowed)} + ' if index else ''}{word} - {allowed[0]}"
    return (f"constexpr std::uint32_t {name}({', '.join(f'int {word}' for word, _, _ in used)}) {{\n"
            f"  constexpr std::array<std::uint32_t, {len(table)}> of_size{{{', '.join(table)}}};\n"
            f"  return of_size[static_cast<std::size_t>({index})];\n}}\n")


def write(name, text):
    """One that stays as it is keeps its time, so that nothing which includes it is compiled again."""
    path = pathlib.Path(name)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def main(package, xml, written_in, header, json_file):
    netlist = ElementTree.parse(xml).getroot().find("netlist")
    values = constants(netlist.find(f"package[@name='{package}']"))
    by_size = constants(netlist.find("module[@name='probe']"))
    names = dict.fromkeys(re.match(r"(\w+)_(p\d+)?(m\d+)?(a\d+)?$", key)[1] for key in by_size)
    text = [f"// Made from {written_in}, which says what these are.\n#pragma once\n\n"
            "#include <array>\n#include <cstddef>\n#include <cstdint>\n\n"
            f"namespace fredsim::{package} {{\n\n"]
    text += [f"inline constexpr std::uint32_t {name} = {value:#x};\n" for name, value in values.items()]
    if names:
        text.append("\n// Of Fred_m(P): ports 2 to 32, middle 2 to 4, stages of an adder 1 or 2.\n")
        text += [function(name, by_size) for name in names]
    text.append(f"\n}}  // namespace fredsim::{package}\n")
    write(header, "".join(text))
    pathlib.Path(json_file).write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

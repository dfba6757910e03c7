# SPDX-License-Identifier: Apache-2.0
"""Writes the Python classes of results, a class per object of their JSON Schema and a property per key: no key is named anywhere else.

Called by the build: record_classes.py SCHEMA OUTPUT."""

import json
import keyword
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Schema = dict[str, Any]
HEAD = '''# SPDX-License-Identifier: Apache-2.0
"""Results as the JSON of fredsim has them, made from its schema: a class per object, a property per key.

A key that is not in the file is None here. Lists of objects are Records, lists of numbers NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from .arrays import numpy
from .record import Record, Records, Results

if TYPE_CHECKING:
    from numpy.typing import NDArray
'''
MACHINE = "machine"  # a machine file
OWN = "own"  # definitions for testbenches with NPUs of their own
ARRAYS = {"integer": "numpy.int64", "number": "numpy.float64"}
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def class_name(definition: str) -> str:
    return "".join(word.capitalize() for word in definition.split("_"))


def reference(schema: Schema) -> str:
    return str(schema["$ref"]).removeprefix("#/$defs/")


class Writer:
    def __init__(self, schema: Schema) -> None:
        self.definitions: dict[str, Schema] = schema["$defs"]
        self.documents = [reference(entry) for entry in schema["anyOf"]]

    def name(self, definition: str) -> str:
        return class_name(definition) + ("Results" if definition in self.documents else "")

    def plain_type(self, schema: Schema) -> str:
        """Python type of the value that json.loads() returns."""
        if "$ref" in schema or "propertyNames" in schema:
            return "dict[str, int]" if "propertyNames" in schema else "dict[str, Any]"
        if "anyOf" in schema:
            return " | ".join("None" if one.get("type") == "null" else self.plain_type(one) for one in schema["anyOf"])
        if "const" in schema:
            return type(schema["const"]).__name__
        if "enum" in schema:
            return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
        kind = schema["type"]
        if isinstance(kind, list):
            return " | ".join(SCALARS[one] for one in kind)
        if kind == "array":
            return f"list[{self.plain_type(schema['items'])}]"
        if kind == "object":
            return f"dict[str, {self.plain_type(schema['additionalProperties'])}]"
        return SCALARS[kind]

    def access(self, key: str, schema: Schema) -> tuple[str, str]:
        """Type of a property, and the code that creates it; "": the value as it is."""
        text = json.dumps(key)
        if "$ref" in schema and reference(schema) != MACHINE:
            name = self.name(reference(schema))
            return name, f"self._record({text}, {name})"
        if schema.get("type") == "array":
            items = schema["items"]
            if "$ref" in items and reference(items) != MACHINE:
                name = self.name(reference(items))
                return f"Records[{name}]", f"self._records({text}, {name})"
            if items.get("type") in ARRAYS:
                value = ARRAYS[items["type"]]
                return f"NDArray[{value}]", f"self._array({text}, {value})"
        return self.plain_type(schema), ""

    def property(self, key: str, schema: Schema, is_there: bool, is_never_null: bool) -> list[str]:
        name = key + "_" if keyword.iskeyword(key) else key
        if not name.isidentifier() or name in taken_names():
            raise SystemExit(f"record_classes.py: '{key}' cannot be a property; allowed: an identifier that Record does not have")
        meaning = schema.get("description", "")
        alternatives = schema.get("anyOf", [])
        if {"type": "null"} in alternatives:
            schema = alternatives[0]
            is_there = is_there and is_never_null
        kind, made = self.access(key, schema)
        value = f"self._value({json.dumps(key)})"
        if schema.get("const") is True:  # left out where it is not so
            made = f"{json.dumps(key)} in self"
        elif not is_there:
            kind += " | None"
            if made:
                made = f"None if {value} is None else {made}"
        return ["", "    @property", f"    def {name}(self) -> {kind}:", f"        {json.dumps(meaning, ensure_ascii=False)}",
                f"        return {made or f'cast({kind}, {value})'}"]  # fmt: skip

    def write_class(self, definition: str) -> list[str]:
        schema = self.definitions[definition]
        base = "Results" if definition in self.documents else "Record"
        lines = ["", "", f"class {self.name(definition)}({base}):", f"    {json.dumps(schema['description'], ensure_ascii=False)}", "", "    __slots__ = ()"]
        filled = {key for key, rule in schema.get("else", {}).get("properties", {}).items() if rule == {"not": {"type": "null"}}}
        for key, of_key in schema["properties"].items():
            lines += self.property(key, of_key, key in schema.get("required", []), key in filled)
        return lines

    def module(self) -> str:
        names = [name for name in self.definitions if name != MACHINE and not re.match(rf"{OWN}(_|$)", name)]
        lines = [HEAD]
        lines += ["__all__ = [", *(f"    {json.dumps(self.name(name))}," for name in names), "]"]
        for name in self.in_order(names):
            lines += self.write_class(name)
        return "\n".join(lines) + "\n"

    def in_order(self, names: list[str]) -> list[str]:
        """Orders definitions: parts before the objects that contain them."""
        ordered: list[str] = []

        def add(name: str) -> None:
            if name in ordered or name not in names:
                return
            for used in re.findall(r'"#/\$defs/(\w+)"', json.dumps(self.definitions[name])):
                if used != name:
                    add(used)
            ordered.append(name)

        for name in names:
            add(name)
        return ordered


def taken_names() -> set[str]:
    """Names that a record already has."""
    source = (Path(__file__).parent / "fredsim" / "record.py").read_text(encoding="utf-8")
    return set(re.findall(r"^    def (\w+)\(", source, re.MULTILINE)) | set(dir(Mapping))


def main(words: list[str]) -> None:
    schema, output = words
    text = Writer(json.loads(Path(schema).read_text(encoding="utf-8"))).module()
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])

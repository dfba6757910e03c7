# SPDX-License-Identifier: Apache-2.0
"""Keyword arguments as options of a command: `timeout_cycles=1000` is `--timeout-cycles 1000`.

Every option of the command is there (begin, end and factor are -b, -e and -f); one that it does not have is its own error, with the nearest right one. True: a flag. None or False: left out.
A list: an option that is given several times. Works, matrices, placements, models and studies may be Python objects in place of files."""

from __future__ import annotations

import json
import numbers
import os
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Union, cast

from .errors import BadInput

__all__ = ["Group", "Option"]

Scalar = Union[str, int, float, bool, os.PathLike[str]]
Group = Union[str, Sequence[Union[int, str]]]
"""Members by rank: "all", "0-3,io2", or [0, 1, "io2"], a list with a number in it."""
Option = Union[Scalar, None, Sequence[Any], Mapping[str, Any]]

# Options whose value is a file of YAML, which may be an object here.
_FILES = ("work", "placement", "workload")
# Options with short names only.
_SHORT = {"begin": "-b", "end": "-e", "factor": "-f"}
# Options reserved for the package.
_OWN = {"json": "the results are returned", "format": "results have to_frame() and to_json()", "legend": "nothing is printed", "quiet": "nothing is printed",
        "progress": "on_progress is called"}  # fmt: skip


class Files:
    """Files that a command reads, made from objects, in a folder that goes with them."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._folder: Path | None = None

    def __enter__(self) -> Files:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def folder(self, name: str) -> str:
        """The path of a folder of its own, which is not there yet."""
        if self._folder is None:
            self._folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="fredsim-")))
        number = sum(1 for _ in self._folder.iterdir())
        inner = self._folder / str(number)
        inner.mkdir()
        return str(inner / name)

    def write(self, name: str, text: str) -> str:
        """Its path. Files of one name are in folders of their own."""
        path = Path(self.folder(name))
        path.write_text(text, encoding="utf-8")
        return str(path)

    def write_object(self, name: str, value: object) -> str:
        """Writes an object as JSON, which is valid YAML."""
        try:
            return self.write(name, json.dumps(value, ensure_ascii=False, indent=1))
        except TypeError as error:
            raise BadInput(f"{Path(name).stem}: found {error}; allowed: dictionaries, lists, numbers, texts and flags") from None


def words_of(options: Mapping[str, Option], files: Files) -> list[str]:
    """Words of the command line."""
    words: list[str] = []
    for key, value in options.items():
        if key in _OWN:
            raise BadInput(f"{key}: found {value!r}; allowed: no such option here, {_OWN[key]}")
        name = _SHORT.get(key, f"--{key.replace('_', '-')}")
        if value is None or value is False:
            continue
        if value is True:
            words.append(name)
        elif key in _FILES and not isinstance(value, (str, os.PathLike)):
            words += [name, files.write_object(f"{key}.yaml", value)]
        else:
            for one in texts_of(key, value):
                words += [name, one]
    return words


def texts_of(key: str, value: Option) -> Iterable[str]:
    """The values of an option, one or several."""
    if isinstance(value, Mapping):
        raise BadInput(f"{key}: found a dictionary; allowed: a value, or a list of values")
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [text_of(key, one) for one in value]
    return [text_of(key, value)]


def text_of(key: str, value: object) -> str:
    """A value as typed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, os.PathLike)):
        return str(value)
    if isinstance(value, numbers.Integral):  # NumPy's too
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    raise BadInput(f"{key}: found {type(value).__name__}; allowed: a number, a text or a flag")


def groups_of(group: Group | Sequence[Group] | None) -> list[str] | None:
    """Values of --group: a list with a number in it is one group, another list several."""
    if group is None:
        return None
    if isinstance(group, str):
        return [group]
    if any(isinstance(member, numbers.Integral) for member in group):
        return [",".join(text_of("group", member) for member in group)]
    return [one for several in group for one in groups_of(cast(Group, several)) or []]


def rates_text(rates: float | str | Iterable[float] | None) -> str | None:
    """Rates as one value, `0.1,0.2`."""
    if rates is None or isinstance(rates, str):
        return rates
    return ",".join(text_of("rate", rate) for rate in (rates if isinstance(rates, Iterable) else [rates]))

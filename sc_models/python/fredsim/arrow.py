# SPDX-License-Identifier: Apache-2.0
"""Tables of results for Arrow and Parquet, by pyarrow, which is imported when the first one is asked for.

Columns: numbers, flags and texts, as Records.rows() has them, and lists of numbers as list columns. A value that is not there is null. A column in which
some values are texts has texts only."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import BadInput

if TYPE_CHECKING:
    import pyarrow

__all__ = ["lists_of", "table", "write_parquet"]


def table(what: str, rows: Sequence[Mapping[str, Any]], metadata: Mapping[str, str]) -> pyarrow.Table:
    """Rows as a table. `what`: the function that was called, for the message of the ImportError."""
    arrow = _module("pyarrow", what)
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = {key: arrow.array(_of_one_type([row.get(key) for row in rows])) for key in keys}
    return arrow.table(columns).replace_schema_metadata(dict(metadata) or None)


def write_parquet(what: str, made: pyarrow.Table, path: str | os.PathLike[str], options: Mapping[str, Any]) -> None:
    """Writes a file that appears complete or not at all. BadInput: it cannot be written."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise BadInput(f"{what}: found '{path}', {error.strerror}; allowed: a file in a folder that can be written") from None
    os.close(handle)
    try:
        _module("pyarrow.parquet", what).write_table(made, name, **options)
        os.chmod(name, _mode_of(target))
        os.replace(name, target)
    except OSError as error:
        raise BadInput(f"{what}: found '{path}', {error.strerror or error}; allowed: a file that can be written") from None
    finally:
        Path(name).unlink(missing_ok=True)


def lists_of(values: Mapping[str, Any], prefix: str = "") -> dict[str, list[Any]]:
    """Lists of numbers in an object, and in objects within it, without the machine."""
    found: dict[str, list[Any]] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            if key != "machine":
                found.update(lists_of(value, f"{prefix}{key}."))
        elif isinstance(value, list) and value and all(isinstance(one, int | float) for one in value):
            found[prefix + key] = value
    return found


def _module(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{what}: found no pyarrow ({error}); allowed: install it: {sys.executable} -m pip install pyarrow (Debian 12 has no package of it), "
                          "or to_frame(), column() and rows(), which do without") from None  # fmt: skip


def _of_one_type(values: list[Any]) -> list[Any]:
    if any(isinstance(value, str) for value in values):
        return [value if value is None else str(value) for value in values]
    if any(isinstance(value, float) for value in values):
        return [float(value) if isinstance(value, int) else value for value in values]
    if any(isinstance(value, list) and any(isinstance(one, float) for one in value) for value in values):
        return [[float(one) for one in value] if isinstance(value, list) else value for value in values]
    return values


def _mode_of(target: Path) -> int:
    """Mode of the older file, or that of a new one."""
    if target.exists():
        return target.stat().st_mode & 0o7777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

# SPDX-License-Identifier: Apache-2.0
"""Base of the classes of results: the JSON, as attributes, arrays, rows and tables."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast, overload

from . import arrow
from .arrays import numpy

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from numpy.typing import NDArray

__all__ = ["Record", "Records", "Results"]

Scalar = str | int | float | bool | None
T = TypeVar("T", bound="Record")
_MAX_HTML_ROWS = 60


class Record(Mapping[str, Any]):
    """An object of the results: keys as attributes and, as json.loads() has them, as items; a key that is not there is None as attribute.

    A key that is a word of Python ends with an underscore as attribute (`link.from_`)."""

    __slots__ = ("_json",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._json = values

    def __getitem__(self, key: str) -> Any:
        return self._json[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._json)

    def __len__(self) -> int:
        return len(self._json)

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.scalars().items())
        return f"{type(self).__name__}({shown})"

    def to_dict(self) -> dict[str, Any]:
        """A copy, of plain Python objects."""
        return cast(dict[str, Any], json.loads(json.dumps(self._json)))

    def to_json(self, indent: int | None = None) -> str:
        """The JSON, keys in the order of the file."""
        return json.dumps(self._json, indent=indent, ensure_ascii=False)

    def scalars(self) -> dict[str, Scalar]:
        """Numbers, flags and texts by key, values of a nested object as `traffic.link_bytes`; without the machine."""
        return _scalars(self._json, "")

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><th>{html.escape(key)}</th><td>{_cell(value)}</td></tr>" for key, value in self.scalars().items())
        return f"<table>{rows}</table>"

    def _value(self, key: str) -> Any:
        return self._json.get(key)

    def _record(self, key: str, of: type[T]) -> T:
        return of(self._json[key])

    def _records(self, key: str, of: type[T]) -> Records[T]:
        return Records(of, self._json[key])

    def _array(self, key: str, of: Any) -> NDArray[Any]:
        return numpy.array(self._json[key], dtype=of)


class Records(Sequence[T], Generic[T]):
    """A list of objects of one kind: a sequence, and a column per key."""

    __slots__ = ("_of", "_json")

    def __init__(self, of: type[T], values: Sequence[Mapping[str, Any]]) -> None:
        self._of = of
        self._json = values

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> Records[T]: ...

    def __getitem__(self, index: int | slice) -> T | Records[T]:
        if isinstance(index, slice):
            return Records(self._of, self._json[index])
        return self._of(self._json[index])

    def __len__(self) -> int:
        return len(self._json)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Records) and list(self._json) == list(other._json)

    def __repr__(self) -> str:
        return f"<{len(self)} of {self._of.__name__}>"

    def column(self, key: str) -> NDArray[Any]:
        """A key of all of them, or one of an object in them, `latency_cycles.mean`. Numbers where all have one; NaN for those that have none.

        KeyError: no object has the key."""
        rows = self.rows()
        values = [row.get(key) for row in rows]
        if rows and not any(key in row for row in rows):
            known = sorted({known for row in rows for known in row})
            raise KeyError(f"found '{key}'; allowed: {', '.join(known)}")
        if any(isinstance(value, str) for value in values):
            return numpy.array(values, dtype=object if None in values else str)
        if any(value is None for value in values):
            return numpy.array([numpy.nan if value is None else value for value in values], dtype=float)
        return numpy.array(values)

    def rows(self) -> list[dict[str, Scalar]]:
        """Record.scalars() of each."""
        return [_scalars(one, "") for one in self._json]

    def to_frame(self) -> pandas.DataFrame:
        """A row each, as a DataFrame. ImportError: there is no pandas."""
        return frame(self.rows())

    def to_arrow(self) -> pyarrow.Table:
        """A row each, as a table of Arrow, with lists of numbers as list columns. ImportError: there is no pyarrow."""
        return self._arrow("to_arrow()", {})

    def to_parquet(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Writes to_arrow() into a file. options: those of pyarrow.parquet.write_table(), such as compression="zstd".

        ImportError: there is no pyarrow. BadInput: the file cannot be written; then nothing is."""
        arrow.write_parquet("to_parquet()", self._arrow("to_parquet()", {}), path, options)

    def _arrow(self, what: str, metadata: Mapping[str, str]) -> pyarrow.Table:
        return arrow.table(what, [{**_scalars(one, ""), **arrow.lists_of(one)} for one in self._json], metadata)

    def _repr_html_(self) -> str:
        return table_html(self.rows())


class Results(Record):
    """Results of a command; `runs`, or `points` of a study, has its parts."""

    __slots__ = ()

    def _parts(self) -> Records[Any]:
        return cast("Records[Any]", getattr(self, "runs" if "runs" in self else "points"))

    def column(self, key: str) -> NDArray[Any]:
        """A key of all runs or points; Records.column()."""
        return self._parts().column(key)

    def to_frame(self) -> pandas.DataFrame:
        """A row per run or point, as a DataFrame. ImportError: there is no pandas."""
        return self._parts().to_frame()

    def to_arrow(self) -> pyarrow.Table:
        """A row per run or point; Records.to_arrow(). The version of fredsim and the command are metadata of the table."""
        return self._arrow("to_arrow()")

    def to_parquet(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Writes to_arrow() into a file; Records.to_parquet()."""
        arrow.write_parquet("to_parquet()", self._arrow("to_parquet()"), path, options)

    def _arrow(self, what: str) -> pyarrow.Table:
        metadata = {f"fredsim.{key}": str(value) for key, value in self.items() if isinstance(value, str)}
        return self._parts()._arrow(what, metadata)

    def _repr_html_(self) -> str:
        return table_html(self._parts().rows())


def frame(rows: Sequence[Mapping[str, Any]]) -> pandas.DataFrame:
    """Rows as a DataFrame."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame(): no pandas found; allowed: install it (Debian: python3-pandas), or column() and rows(), which need none") from error
    return pandas.DataFrame(list(rows))


def table_html(rows: Sequence[Mapping[str, Scalar]]) -> str:
    """Rows as a table for notebooks: columns in which not all are the same first of all, and no more than some rows."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if len(rows) > 1:
        columns = [key for key in columns if len({str(row.get(key)) for row in rows}) > 1] or columns
    head = "".join(f"<th>{html.escape(key)}</th>" for key in columns)
    body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(key))}</td>" for key in columns) + "</tr>" for row in rows[:_MAX_HTML_ROWS])
    rest = f"<p>and {len(rows) - _MAX_HTML_ROWS} more</p>" if len(rows) > _MAX_HTML_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _cell(value: Scalar) -> str:
    if value is None:
        return ""
    return html.escape(f"{value:g}" if isinstance(value, float) else str(value))


def _scalars(values: Mapping[str, Any], prefix: str) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            if key != "machine":
                found.update(_scalars(value, f"{prefix}{key}."))
        elif value is None or isinstance(value, str | int | float | bool):
            found[prefix + key] = value
    return found

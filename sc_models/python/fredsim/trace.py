# SPDX-License-Identifier: Apache-2.0
"""Chakra execution traces, node by node."""

from __future__ import annotations

import os
from collections.abc import Iterator

from . import _fredsim
from ._fredsim import TraceNode
from .errors import BadInput, own_errors

__all__ = ["Trace", "TraceNode"]


class Trace:
    """Execution trace of one rank: protobuf (.et) or JSON, plain or gzip.

    Iterating reads the file from its beginning, one node at a time, in the order of the file. dependencies="data" leaves control dependencies out of
    `after`, which are the call stack in recorded traces.

    BadInput: the file cannot be read or is damaged; the message names file, node and field."""

    def __init__(self, path: str | os.PathLike[str], *, dependencies: str = "all") -> None:
        if dependencies not in ("all", "data"):
            raise BadInput(f"dependencies: found {dependencies!r}; allowed: 'all', 'data'")
        self._path = os.fspath(path)
        self._data_alone = dependencies == "data"
        self._reader()

    def _reader(self) -> _fredsim.TraceReader:
        with own_errors():
            return _fredsim.TraceReader(self._path, self._data_alone)

    @property
    def path(self) -> str:
        return self._path

    @property
    def metadata(self) -> dict[str, str]:
        """Texts in the metadata, by the names of their attributes."""
        return self._reader().texts

    def groups(self) -> dict[str, list[int]]:
        """Process groups that the trace's metadata nodes list, by name; reads the whole file."""
        reader = self._reader()
        with own_errors():
            while reader.next() is not None:
                pass
        return reader.groups

    def __iter__(self) -> Iterator[TraceNode]:
        reader = self._reader()
        while True:
            with own_errors():
                node = reader.next()
            if node is None:
                return
            yield node

    def __repr__(self) -> str:
        return f"<Trace {self._path}>"
